// SPDX-License-Identifier: Apache-2.0

import PlayheadCapture
import PlayheadScreens

/// A device for video on the command line: a camera, a screen or a window.
enum LiveVideoArgument {
    case camera(CameraArgument)
    case screen(ScreenArgument)

    /// Returns whether an argument names a device for video.
    static func isOne(_ argument: String) -> Bool {
        CameraArgument.isCamera(argument) || ScreenArgument.isScreen(argument)
    }

    /// Parses an argument that names a device.
    init(_ argument: String) throws {
        self =
            try CameraArgument.isCamera(argument)
            ? .camera(CameraArgument(argument)) : .screen(ScreenArgument(argument))
    }

    /// The argument as the user gave it.
    var text: String {
        switch self {
        case .camera(let camera): camera.text
        case .screen(let screen): screen.text
        }
    }

    /// The kind of the device, for errors.
    static func noun(_ argument: String) -> String {
        String(argument.prefix { $0 != ":" })
    }

    /// The requested format. The driver may deliver another one.
    var choice: CaptureFormatChoice {
        switch self {
        case .camera(let camera): camera.choice
        case .screen(let screen): screen.choice
        }
    }

    /// Returns the device, with its settings.
    func device() throws(CaptureError) -> CaptureDevice {
        switch self {
        case .camera(let camera): try camera.device()
        case .screen(let screen): try screen.device()
        }
    }
}
