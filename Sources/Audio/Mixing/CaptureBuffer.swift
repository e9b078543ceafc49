// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import Synchronization

/// The record of a `CaptureAudioSink`.
///
/// - Concurrency: any thread.
final class CaptureBuffer: Sendable {
    private struct Content {
        var runs: [CapturedAudio] = []
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

    var runs: [CapturedAudio] { content.withLock { $0.runs } }

    func takeRuns() -> [CapturedAudio] {
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
                let run = CapturedAudio(clockTime: clockTime, samples: Array(samples))
                content.runs.append(run)
                content.isRunning = true
            }
        }
    }

    /// Ends the run, and removes the frames of the run that would be heard at `clockTime` or later.
    func endRun(at clockTime: Int64) {
        content.withLock { content in
            guard content.isRunning, let last = content.runs.indices.last else { return }
            content.isRunning = false
            let run = content.runs[last]
            let heard = conversion.frames(nanoseconds: clockTime - run.clockTime)
            // The clock reads whole nanoseconds: a frame that began within the last nanosecond was
            // not heard.
            let count = max(0, Int((heard - 0.001).rounded(.up))) * channelCount
            if count < run.samples.count {
                content.runs[last].samples.removeLast(run.samples.count - count)
            }
        }
    }
}
