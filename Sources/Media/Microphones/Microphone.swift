// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadCapturing
import PlayheadPulse
import PlayheadTime
import Synchronization

/// A recording device of an audio server.
///
/// - Concurrency: any thread.
final class Microphone: CaptureDeviceBackend {
    let uniqueID: String
    let localizedName: String
    private let name: String
    private let server: String?
    /// The server's description of the device; nil while the device is absent.
    private let source: Mutex<PulseSource?>
    private let audioClock = AudioClock()

    init(_ source: PulseSource, server: String?) {
        uniqueID = "pulse:\(source.name)"
        localizedName = source.title
        name = source.name
        self.server = server
        self.source = Mutex(source)
    }

    func update(_ source: PulseSource?) { self.source.withLock { $0 = source } }

    var mediaType: MediaType { .audio }
    var clock: (any MediaClock)? { audioClock }
    var isPresent: Bool { source.withLock { $0 != nil } }

    /// Returns the only format in which the device records. Its samples are not resampled.
    func loadFormats() throws(CaptureError) -> [CaptureFormat] {
        guard let format = source.withLock({ $0?.format }) else {
            throw CaptureError(
                .deviceDisconnected, subject: localizedName,
                cause: "the device or the audio server is not available",
                remedy: "plug the device in, or start PulseAudio or pipewire-pulse")
        }
        return [CaptureFormat(audio: format)]
    }

    func start(
        _ configuration: CaptureConfiguration,
        receiver: @escaping @Sendable (CaptureStreamEvent) -> Void
    ) throws(CaptureError) -> any CaptureStream {
        guard let format = configuration.format.audioFormat else {
            throw CaptureError(
                .unsupportedFormat, subject: localizedName, cause: "it records no video")
        }
        do throws(AudioError) {
            let recording = try PulseRecording(
                server: server, source: name, format: format, clock: audioClock
            ) { [localizedName] event in
                switch event {
                case .samples(let buffer): receiver(.audio(buffer))
                case .suspended: receiver(.stalled)
                case .failed(let error):
                    let error = CaptureError(error, of: localizedName)
                    receiver(error.code == .deviceDisconnected ? .disconnected : .failed(error))
                }
            }
            return MicrophoneStream(recording, configuration)
        } catch {
            throw CaptureError(error, of: localizedName)
        }
    }
}
