// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What an `AudioProcessingTap` has processed, and when it was too slow.
public struct AudioTapStatistics: Sendable, Hashable {
    /// Frames that `process` was called for.
    public var processedFrames = 0
    /// Calls of `process` that took longer than their samples are heard.
    public var missedDeadlines = 0
    /// Frames that were passed on without it, because it had missed deadlines.
    public var bypassedFrames = 0

    package init() {}
}

/// The statistics while they are counted, by the sink's thread.
///
/// - Concurrency: counted by one thread, read by any.
final class AudioTapCounters: Sendable {
    let processed = Atomic<Int64>(0)
    let missed = Atomic<Int64>(0)
    let bypassed = Atomic<Int64>(0)

    var statistics: AudioTapStatistics {
        var result = AudioTapStatistics()
        result.processedFrames = Int(processed.load(ordering: .relaxed))
        result.missedDeadlines = Int(missed.load(ordering: .relaxed))
        result.bypassedFrames = Int(bypassed.load(ordering: .relaxed))
        return result
    }
}
