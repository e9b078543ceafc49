// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime
import Synchronization

/// The counts of delivered and missing audio of an `AudioRenderer`.
package struct AudioRendererStatistics: Sendable, Hashable {
    /// The number of frames of the item that the sink received, including frames that were repeated
    /// after a pause.
    package var deliveredFrames = 0
    /// The number of times that audio was interrupted because the decoder was late.
    package var underruns = 0
    /// The number of silent frames that the sink received because the decoder was late.
    package var underrunFrames = 0
    /// The number of underruns of the device, which received audio too late.
    package var deviceUnderruns = 0
    /// The number of frames skipped to catch up with the timebase.
    package var skippedFrames = 0
    /// The sink's clock time at which audio last began to be heard after silence of any kind;
    /// `invalid` before audio was first heard.
    package var lastStartClockTime = MediaTime.invalid
    /// The item time that was heard at `lastStartClockTime`.
    package var lastStartItemTime = MediaTime.invalid

    package init() {}
}

/// The counters that the sink's thread updates.
///
/// - Concurrency: one thread counts, any thread reads.
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

    /// Records an underrun.
    ///
    /// - Parameter itemTime: The item time of the first missing frame.
    func noteUnderrun(frameCount: Int, itemTime: Int64) {
        _ = missedItemTime.compareExchange(
            expected: .min, desired: itemTime, ordering: .relaxed)
        underrunFrames.add(Int64(frameCount), ordering: .releasing)
    }

    func watchForUnderrun() { missedItemTime.store(.min, ordering: .relaxed) }

    /// The item time of the first frame that was missing since the watch began; nil if no frame was
    /// missing.
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
