// SPDX-License-Identifier: Apache-2.0

import CPlayheadPulse
import PlayheadAudio

extension AudioError {
    static let outOfMemory = AudioError(
        .outOfResources, subject: "PulseAudio", cause: "the client library did not start",
        remedy: "free some memory, or end other programs")

    /// Returns the error, with the name of the missing device added to its subject.
    func naming(device: String?) -> AudioError {
        guard code == .noDevice, let device else { return self }
        var error = self
        error.subject += ", device '\(device)'"
        return error
    }

    /// Creates an error from an error number of PulseAudio.
    init(pulse code: CInt, doing action: String, server: String?) {
        let text = pa_strerror(code).map { String(cString: $0) } ?? "error \(code)"
        let subject = server.map { "PulseAudio at \($0)" } ?? "PulseAudio"
        let cause = "\(action): \(text)"
        switch pa_error_code_t(rawValue: UInt32(max(0, code))) {
        case PA_ERR_CONNECTIONREFUSED, PA_ERR_AUTHKEY, PA_ERR_ACCESS, PA_ERR_INVALIDSERVER,
            PA_ERR_PROTOCOL, PA_ERR_VERSION:
            self.init(
                .noServer, subject: subject, cause: cause,
                remedy: "start PulseAudio or pipewire-pulse, or play without audio")
        case PA_ERR_CONNECTIONTERMINATED, PA_ERR_KILLED:
            self.init(
                .connectionLost, subject: subject, cause: cause,
                remedy: "restart the audio server; audio then returns by itself")
        case PA_ERR_TIMEOUT:
            self.init(
                .timedOut, subject: subject, cause: cause,
                remedy: "restart the audio server, or play without audio")
        case PA_ERR_NOENTITY:
            self.init(
                .noDevice, subject: subject, cause: cause,
                remedy: "'playhead devices' and PulseAudioDevice.all() list the available devices")
        case PA_ERR_NOTSUPPORTED, PA_ERR_INVALID:
            self.init(
                .unsupportedFormat, subject: subject, cause: cause,
                remedy: "use 48000 Hz and two channels")
        default: self.init(.noServer, subject: subject, cause: cause)
        }
    }
}
