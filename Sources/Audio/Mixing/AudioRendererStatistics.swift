// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime
import Synchronization

/// What an `AudioRenderer` has delivered, and what was missing.
package struct AudioRendererStatistics: Sendable, Hashable {
    /// Frames of the item handed to the sink, those delivered again after a pause included.
    package var deliveredFrames = 0
    /// How often the sound broke off because the decoder was behind.
    package var underruns = 0
    /// Frames of silence handed to the sink because the decoder was behind.
    package var underrunFrames = 0
    /// How often the device ran dry meanwhile, because it was handed sound too late.
    package var deviceUnderruns = 0
    /// Frames passed over to catch up with the timebase.
    package var skippedFrames = 0
    /// What the sink's clock reads when the sound that set in last is first heard, after silence
    /// of any kind; invalid while there has been none.
    package var lastStartClockTime = MediaTime.invalid
    /// The item time of that moment.
    package var lastStartItemTime = MediaTime.invalid

    package init() {}
}

/// The statistics while they are counted, by the sink's thread.
///
/// - Concurrency: counted by one thread, read by any.
final class AudioCounters: Sendable {
    let delivered = Atomic<Int64>(0)
    let underruns = Atomic<Int64>(0)
    private let underrunFrames = Atomic<Int64>(0)
    let skipped = Atomic<Int64>(0)
    private let missedItemTime = Atomic<Int64>(.min)
    private let startClockTime = Atomic<Int64>(.min)
    private let startItemTime = Atomic<Int64>(.min)

    func noteStart(clockTime: Int64, itemTime: Int64) {
        startItemTime.store(itemTime, ordering: .relaxed)
        startClockTime.store(clockTime, ordering: .releasing)
    }

    /// - Parameter itemTime: of the first frame that is missing.
    func noteUnderrun(frameCount: Int, itemTime: Int64) {
        _ = missedItemTime.compareExchange(
            expected: .min, desired: itemTime, ordering: .relaxed)
        underrunFrames.add(Int64(frameCount), ordering: .releasing)
    }

    func watchForUnderrun() { missedItemTime.store(.min, ordering: .relaxed) }

    /// Of the first frame that was missing since the watch began; nil for none.
    var firstMissed: MediaTime? {
        let time = missedItemTime.load(ordering: .relaxed)
        return time == .min ? nil : MediaTime(nanoseconds: time)
    }

    var statistics: AudioRendererStatistics {
        var result = AudioRendererStatistics()
        result.deliveredFrames = Int(delivered.load(ordering: .relaxed))
        result.underruns = Int(underruns.load(ordering: .relaxed))
        result.underrunFrames = Int(underrunFrames.load(ordering: .acquiring))
        result.skippedFrames = Int(skipped.load(ordering: .relaxed))
        let clockTime = startClockTime.load(ordering: .acquiring)
        if clockTime != .min {
            result.lastStartClockTime = MediaTime(nanoseconds: clockTime)
            result.lastStartItemTime = MediaTime(
                nanoseconds: startItemTime.load(ordering: .relaxed))
        }
        return result
    }
}
