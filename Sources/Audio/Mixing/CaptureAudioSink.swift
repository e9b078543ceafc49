// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
package import PlayheadTime

/// A sink that records its audio, for tests and for export.
///
/// It behaves like a `NullAudioSink` on the same clock. Audio that it took but did not "play"
/// before a pause is also removed from the record.
///
/// - Concurrency: any thread.
/// - Corresponds to: `AVAudioEngine` in manual rendering mode.
package final class CaptureAudioSink: AudioSink {
    private let sink: NullAudioSink
    private let buffer: CaptureBuffer

    package init(
        format: AudioFormat = .stereo(sampleRate: 48_000),
        clock: any MediaClock = HostClock.shared
    ) {
        buffer = CaptureBuffer(format: format)
        sink = NullAudioSink(format: format, clock: clock, capture: buffer)
    }

    package var format: AudioFormat { sink.format }
    package var clock: any MediaClock { sink.clock }
    package var latency: MediaTime { sink.latency }
    package var status: AudioSinkStatus { sink.status }

    package func start(
        _ source: any AudioSource, onStatusChange: @escaping @Sendable () -> Void
    ) {
        sink.start(source, onStatusChange: onStatusChange)
    }

    package func resume() { sink.resume() }
    package func pause() { sink.pause() }
    package func stop() { sink.stop() }

    /// Renders the blocks that are due; see `NullAudioSink.renderDueBlocks()`.
    package func renderDueBlocks() { sink.renderDueBlocks() }
    /// Moves the manual clock and renders; see `NullAudioSink.advance(to:)`.
    package func advance(to time: MediaTime) { sink.advance(to: time) }

    /// All audio heard so far: one run per interval between `resume()` and `pause()`.
    package var runs: [CapturedAudio] { buffer.runs }
    /// Returns and removes the audio heard since the last call, for recordings too long to keep. A
    /// run in progress is divided at this point.
    package func takeRuns() -> [CapturedAudio] { buffer.takeRuns() }
    /// The samples of all runs, joined.
    package var samples: [Float] { buffer.runs.flatMap(\.samples) }
}
