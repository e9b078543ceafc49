// SPDX-License-Identifier: Apache-2.0

import PlayheadCapture
import PlayheadScreens

/// A screen or a window on the command line: `screen:`, `screen:1+100,50,640x360?rate=30&cursor=0`,
/// `window:TITLE`.
struct ScreenArgument {
    /// The argument as the user gave it.
    let text: String
    /// The number, identifier or name of the device.
    let name: String
    /// The part of a screen; nil for all of it.
    let part: ScreenArea?
    /// The requested rate.
    let choice: CaptureFormatChoice
    let showsCursor: Bool
    let isWindow: Bool

    /// Returns whether an argument names a screen or a window. To open a file with such a name,
    /// write `./screen:0`.
    static func isScreen(_ argument: String) -> Bool {
        argument.hasPrefix("screen:") || argument.hasPrefix("window:")
    }

    /// Parses an argument.
    ///
    /// - Throws: `ToolError` if a property is unknown.
    init(_ argument: String) throws {
        text = argument
        isWindow = argument.hasPrefix("window:")
        let rest = argument.dropFirst("screen:".count)
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var choice = CaptureFormatChoice(framesPerSecond: 30)
        var showsCursor = true
        for wish in parts.count > 1 ? parts[1].split(separator: "&") : [] {
            let pair = wish.split(separator: "=", maxSplits: 1).map(String.init)
            switch (pair.first, pair.last) {
            case ("rate", let value?):
                guard let rate = Double(value), rate > 0, rate <= 60 else {
                    throw Self.refusal(argument, String(wish))
                }
                choice.framesPerSecond = rate
            case ("cursor", "0"), ("cursor", "1"): showsCursor = pair.last == "1"
            default: throw Self.refusal(argument, String(wish))
            }
        }
        self.choice = choice
        self.showsCursor = showsCursor
        var name = String(parts[0])
        var area: ScreenArea?
        if !isWindow, let plus = name.firstIndex(of: "+") {
            area = Self.area(name[name.index(after: plus)...])
            guard area != nil else { throw Self.refusal(argument, String(name[plus...])) }
            name = String(name[..<plus])
        }
        part = area
        self.name = name.isEmpty ? "0" : name
    }

    /// Parses `x,y,WxH`.
    private static func area(_ text: Substring) -> ScreenArea? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 3, let x = Int(parts[0]), let y = Int(parts[1]), x >= 0, y >= 0,
            let size = try? SizeArgument(argument: String(parts[2]))
        else { return nil }
        return ScreenArea(x: x, y: y, width: size.width, height: size.height)
    }

    private static func refusal(_ argument: String, _ wish: String) -> ToolError {
        ToolError(
            .wrongUsage,
            "\(argument): expected +X,Y,WxH, rate=N up to 60 or cursor=0, found '\(wish)'")
    }

    /// Returns the device, with its rate set.
    func device() throws(CaptureError) -> CaptureDevice {
        let device =
            isWindow
            ? try CaptureDiscoverySession.windows.device(name)
            : try CaptureDevice.screen(name, part: part, showsCursor: showsCursor)
        let configuration = try choice.configuration(
            among: device.loadFormats(), of: device.localizedName)
        try device.configure { $0 = configuration }
        return device
    }
}
