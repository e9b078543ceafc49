// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The counts of processed frames and missed deadlines of an `AudioProcessingTap`.
package struct AudioTapStatistics: Sendable, Hashable {
    /// The number of frames for which `process` was called.
    package var processedFrames = 0
    /// The number of calls of `process` that missed their deadline; see `AudioProcessingTap`.
    package var missedDeadlines = 0
    /// The number of frames that bypassed the tap because it had missed deadlines.
    package var bypassedFrames = 0

    package init() {}
}

/// The counters that the sink's thread updates.
///
/// - Concurrency: one thread counts, any thread reads.
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
