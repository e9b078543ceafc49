// SPDX-License-Identifier: Apache-2.0

import PlayheadCapturing
import PlayheadPulse
import PlayheadThreads

/// A recording device that delivers audio.
///
/// - Concurrency: any thread may stop it.
final class MicrophoneStream: CaptureStream {
    let configuration: CaptureConfiguration
    private let recording: PulseRecording

    init(_ recording: PulseRecording, _ configuration: CaptureConfiguration) {
        self.recording = recording
        self.configuration = configuration
    }

    func stop() {
        guard recording.isOwnThread else { return recording.close() }
        // A thread cannot wait for its own end, which happens if the session's last owner is a
        // handler.
        _ = WorkerThread(name: "ph-session") { [recording] in recording.close() }
    }
}
