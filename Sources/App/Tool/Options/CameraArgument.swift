// SPDX-License-Identifier: Apache-2.0

import PlayheadCapture

/// A camera on the command line: `camera:0`, `camera:ID?size=1280x720&rate=30&format=mjpeg`.
struct CameraArgument {
    private let address: CameraAddress

    /// Returns whether an argument names a camera. To open a file with such a name, write
    /// `./camera:0`.
    static func isCamera(_ argument: String) -> Bool { CameraAddress.isOne(argument) }

    /// Parses an argument.
    ///
    /// - Throws: `ToolError` if a property is unknown.
    init(_ argument: String) throws {
        do {
            address = try CameraAddress(argument)
        } catch {
            throw ToolError(.wrongUsage, error.description)
        }
    }

    /// The argument as the user gave it.
    var text: String { address.text }
    /// The requested format.
    var choice: CaptureFormatChoice { address.choice }

    /// Returns the argument as text, with other values of controls.
    func text(withControls controls: [(name: String, value: Int)]) -> String {
        address.text(withControls: controls)
    }

    /// Returns the device, with its format and controls set.
    func device() throws(CaptureError) -> CaptureDevice {
        try address.device(in: CaptureDiscoverySession.cameras)
    }
}
