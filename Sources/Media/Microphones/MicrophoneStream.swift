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
        // If a handler was the last owner of the session, this is the recording's own thread, which
        // cannot wait for its own end.
        _ = WorkerThread(name: "ph-session") { [recording] in recording.close() }
    }
}
