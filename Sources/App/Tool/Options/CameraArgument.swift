// SPDX-License-Identifier: Apache-2.0

import PlayheadCapture

/// A camera on the command line: `camera:0`, `camera:ID?size=1280x720&rate=30&format=mjpeg`.
struct CameraArgument {
    /// The argument as the user gave it.
    let text: String
    /// The number, identifier, name or node of the device.
    let name: String
    /// The requested format.
    let choice: CaptureFormatChoice
    /// The range of the samples; nil for the one that the driver declares.
    let range: ColorAttachments.Range?
    /// The values of controls, by name.
    let controls: [(name: String, value: Int)]

    private static let scheme = "camera:"

    /// Returns whether an argument names a camera. To open a file with such a name, write
    /// `./camera:0`.
    static func isCamera(_ argument: String) -> Bool { argument.hasPrefix(scheme) }

    /// Parses an argument.
    ///
    /// - Throws: `ToolError` if a property is unknown.
    init(_ argument: String) throws {
        text = argument
        let parts = argument.dropFirst(Self.scheme.count)
            .split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        name = parts[0].isEmpty ? "0" : String(parts[0])
        var choice = CaptureFormatChoice()
        var range: ColorAttachments.Range?
        var controls: [(name: String, value: Int)] = []
        let wishes = parts.count > 1 ? parts[1].split(separator: "&") : []
        for wish in wishes {
            let pair = wish.split(separator: "=", maxSplits: 1).map(String.init)
            guard pair.count == 2 else { throw Self.refusal(argument, String(wish)) }
            switch pair[0] {
            case "size":
                guard let size = try? SizeArgument(argument: pair[1]) else {
                    throw Self.refusal(argument, String(wish))
                }
                (choice.width, choice.height) = (size.width, size.height)
            case "rate":
                guard let rate = Double(pair[1]), rate > 0, rate <= 1000 else {
                    throw Self.refusal(argument, String(wish))
                }
                choice.framesPerSecond = rate
            case "range":
                guard pair[1] == "full" || pair[1] == "limited" else {
                    throw Self.refusal(argument, String(wish))
                }
                range = pair[1] == "full" ? .full : .limited
            case "format": choice.mediaSubType = pair[1]
            default:
                guard let value = Int(pair[1]) else { throw Self.refusal(argument, String(wish)) }
                controls.append((pair[0], value))
            }
        }
        self.choice = choice
        self.range = range
        self.controls = controls
    }

    private static func refusal(_ argument: String, _ wish: String) -> ToolError {
        ToolError(
            .wrongUsage,
            "\(argument): expected size=WxH, rate=N, format=NAME, range=full or CONTROL=N, found "
                + "'\(wish)'")
    }

    /// Returns the device, with its format and controls set.
    func device() throws(CaptureError) -> CaptureDevice {
        let device = try CaptureDiscoverySession.cameras.device(name)
        let configuration = try choice.configuration(
            among: device.loadFormats(), of: device.localizedName)
        try device.configure {
            $0 = configuration
            if let range { $0.range = range }
        }
        for (name, value) in controls { try device.setControl(name, to: value) }
        return device
    }
}
