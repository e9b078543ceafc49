// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

/// The address of a camera: `camera:0`, `camera:ID?size=1280x720&rate=30&format=mjpeg`.
package struct CameraAddress: Sendable {
    /// The reason why a text is not an address.
    package struct Refusal: Error, CustomStringConvertible {
        package let description: String

        fileprivate init(_ text: String, _ wish: Substring) {
            description =
                "\(text): expected size=WxH, rate=N, format=NAME, range=full or CONTROL=N, found "
                + "'\(wish)'"
        }
    }

    /// The address as text.
    package let text: String
    /// The number, identifier, name or node of the device.
    package let name: String
    /// The requested format.
    package let choice: CaptureFormatChoice
    /// The range of the samples; nil for the one that the driver declares.
    package let range: ColorAttachments.Range?
    /// The values of controls, by name.
    package let controls: [(name: String, value: Int)]

    private static let scheme = "camera:"

    /// Returns whether a text is the address of a camera.
    package static func isOne(_ text: String) -> Bool { text.hasPrefix(scheme) }

    /// Parses an address.
    ///
    /// - Throws: a `Refusal` if a property is unknown or has a wrong value.
    package init(_ text: String) throws(Refusal) {
        self.text = text
        let parts = text.dropFirst(Self.scheme.count)
            .split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        name = parts.first.map(String.init) ?? "0"
        var choice = CaptureFormatChoice()
        var range: ColorAttachments.Range?
        var controls: [(name: String, value: Int)] = []
        for wish in parts.count > 1 ? parts[1].split(separator: "&") : [] {
            let pair = wish.split(separator: "=", maxSplits: 1).map(String.init)
            guard pair.count == 2 else { throw Refusal(text, wish) }
            switch pair[0] {
            case "size":
                let sides = pair[1].split(
                    omittingEmptySubsequences: false, whereSeparator: { "xX".contains($0) }
                ).map { Int($0) ?? 0 }
                guard sides.count == 2, sides.allSatisfy({ (1...16384).contains($0) }) else {
                    throw Refusal(text, wish)
                }
                (choice.width, choice.height) = (sides[0], sides[1])
            case "rate":
                guard let rate = Double(pair[1]), rate > 0, rate <= 1000 else {
                    throw Refusal(text, wish)
                }
                choice.framesPerSecond = rate
            case "range":
                guard pair[1] == "full" || pair[1] == "limited" else { throw Refusal(text, wish) }
                range = pair[1] == "full" ? .full : .limited
            case "format": choice.mediaSubType = pair[1]
            default:
                guard let value = Int(pair[1]) else { throw Refusal(text, wish) }
                controls.append((pair[0], value))
            }
        }
        self.choice = choice
        self.range = range
        self.controls = controls
    }

    /// Returns the address as text, with other values of controls.
    package func text(withControls controls: [(name: String, value: Int)]) -> String {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let own = Set(self.controls.map(\.name))
        let kept = (parts.count > 1 ? parts[1].split(separator: "&") : []).filter {
            !own.contains(String($0.prefix { $0 != "=" }))
        }
        let wishes = kept.map(String.init) + controls.map { "\($0.name)=\($0.value)" }
        return ([String(parts[0])] + (wishes.isEmpty ? [] : [wishes.joined(separator: "&")]))
            .joined(separator: "?")
    }

    /// Finds the camera in a list, and sets its format and controls. Waits for the driver.
    package func device(
        in cameras: CaptureDiscoverySession
    ) throws(CaptureError) -> CaptureDevice {
        let device = try cameras.device(name.isEmpty ? "0" : name)
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
