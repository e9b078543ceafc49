// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import PlayheadCapturing

extension CaptureError {
    /// Converts an error of the audio server to an error of a device. If the server has ended or
    /// does not answer, the device counts as disconnected, because the server may return.
    init(_ error: AudioError, of device: String) {
        let code: Code =
            switch error.code {
            case .noServer, .connectionLost, .timedOut, .noDevice: .deviceDisconnected
            case .unsupportedFormat: .unsupportedFormat
            default: .deviceFailed
            }
        self.init(
            code, subject: device, cause: "\(error.subject): \(error.cause)", remedy: error.remedy)
    }
}
