// SPDX-License-Identifier: Apache-2.0

import PlayheadCapture

/// A microphone on the command line: `microphone:0`, `microphone:NAME`.
struct MicrophoneArgument {
    /// The number, identifier or name of the device.
    let name: String

    private static let scheme = "microphone:"

    /// Returns whether an argument names a microphone. To open a file with such a name, write
    /// `./microphone:0`.
    static func isMicrophone(_ argument: String) -> Bool { argument.hasPrefix(scheme) }

    /// Parses an argument.
    init(_ argument: String) {
        let rest = argument.dropFirst(Self.scheme.count)
        name = rest.isEmpty ? "0" : String(rest)
    }

    /// Returns the device.
    ///
    /// - Throws: `ToolError` with the server's error if there is no audio server.
    func device() throws -> CaptureDevice {
        let list = CaptureDiscoverySession.microphones
        do throws(CaptureError) {
            return try list.device(name)
        } catch {
            guard list.devices.isEmpty else { throw error }
            do throws(AudioError) {
                _ = try PulseAudioDevice.all()
            } catch {
                throw ToolError(.mediaFailure, "microphone:\(name): \(error)")
            }
            throw error
        }
    }
}
