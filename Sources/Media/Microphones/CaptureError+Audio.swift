// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import PlayheadCapturing

extension CaptureError {
    /// Creates the error of a device from that of its audio server. A server that has gone, or does
    /// not answer, may come back, as a device does that was unplugged.
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
