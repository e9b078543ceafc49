// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
package import PlayheadTime
import Synchronization

/// A sink that records its audio, for tests and for export.
///
/// It behaves like a `NullAudioSink` on the same clock. Audio that it took but did not "play"
/// before a pause is removed from the record, too.
///
/// - Concurrency: any thread.
/// - Corresponds to: `AVAudioEngine` in manual rendering mode.
package final class CaptureAudioSink: AudioSink {
    /// An uninterrupted interval of audio.
    package struct Run: Sendable {
        /// The clock time at which the first frame is heard, in nanoseconds.
        package var clockTime: Int64
        /// The interleaved samples.
        package var samples: [Float]
    }

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

    /// See `NullAudioSink.renderDueBlocks()`.
    package func renderDueBlocks() { sink.renderDueBlocks() }
    /// See `NullAudioSink.advance(to:)`.
    package func advance(to time: MediaTime) { sink.advance(to: time) }

    /// All audio heard so far: one run per interval between `resume()` and `pause()`.
    package var runs: [Run] { buffer.runs }
    /// Returns and removes the audio heard since the last call, for recordings too long to keep. A
    /// run in progress is divided there.
    package func takeRuns() -> [Run] { buffer.takeRuns() }
    /// The samples of all runs, joined.
    package var samples: [Float] { buffer.runs.flatMap(\.samples) }
}

/// The record of a `CaptureAudioSink`.
///
/// - Concurrency: any thread.
final class CaptureBuffer: Sendable {
    private struct Content {
        var runs: [CaptureAudioSink.Run] = []
        /// A Boolean value that indicates whether the next block continues the last run.
        var isRunning = false
    }
    private let content = Mutex(Content())
    private let conversion: FrameRateConversion
    private let channelCount: Int

    init(format: AudioFormat) {
        conversion = FrameRateConversion(sampleRate: format.sampleRate)
        channelCount = format.channelCount
    }

    var runs: [CaptureAudioSink.Run] { content.withLock { $0.runs } }

    func takeRuns() -> [CaptureAudioSink.Run] {
        content.withLock { content in
            defer { content = Content() }
            return content.runs
        }
    }

    func append(_ samples: UnsafeBufferPointer<Float>, at clockTime: Int64) {
        content.withLock { content in
            if content.isRunning, let last = content.runs.indices.last {
                content.runs[last].samples.append(contentsOf: samples)
            } else {
                let run = CaptureAudioSink.Run(clockTime: clockTime, samples: Array(samples))
                content.runs.append(run)
                content.isRunning = true
            }
        }
    }

    /// Ends the run, and removes those of its frames that are heard at `clockTime` or later.
    func endRun(at clockTime: Int64) {
        content.withLock { content in
            guard content.isRunning, let last = content.runs.indices.last else { return }
            content.isRunning = false
            let run = content.runs[last]
            let heard = conversion.frames(nanoseconds: clockTime - run.clockTime)
            // The clock is in whole nanoseconds: a frame that began within one has not been heard.
            let count = max(0, Int((heard - 0.001).rounded(.up))) * channelCount
            if count < run.samples.count {
                content.runs[last].samples.removeLast(run.samples.count - count)
            }
        }
    }
}
