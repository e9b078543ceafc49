// SPDX-License-Identifier: Apache-2.0

import PlayheadTime
import Synchronization

/// A store of at least the last second of audio, addressed by item time.
///
/// - Concurrency: one thread writes, without locking, allocating or waiting; any thread may read.
///   If the writer overtakes a reader, the reader detects it and returns nothing.
final class AudioSampleHistory: @unchecked Sendable {
    // Unchecked: samples and records are words that are stored and loaded atomically. Frame i is in
    // slot i mod capacity and is overwritten once `begun` passes i + capacity, so a reader checks
    // `begun` again after reading.

    /// A run of frames that follow each other in item time.
    private struct Record {
        var first: Int64
        var count: Int64
        /// The item time at which the first frame begins to be heard, and the duration of a frame,
        /// in nanoseconds. The duration is negative if the item plays backwards.
        var time: Int64
        var frameDuration: Double
    }

    let sampleRate: Int
    let channelCount: Int
    private let mask: Int64
    private let samples: UnsafeMutablePointer<Atomic<UInt32>>
    /// The frames up to which writing has begun and ended.
    private let begun = Atomic<Int64>(0)
    private let ended = Atomic<Int64>(0)

    /// The number of records per second, which limits how short blocks may be.
    private static let recordsPerSecond = 512.0
    private let recordCount: Int64
    private static let recordWords = 4
    private let records: UnsafeMutablePointer<Atomic<Int64>>
    private let recordsBegun = Atomic<Int64>(0)
    private let recordsEnded = Atomic<Int64>(0)

    init(sampleRate: Int, channelCount: Int, seconds: Double = 1) {
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        var capacity = 1
        while capacity < Int(Double(sampleRate) * seconds) { capacity *= 2 }
        mask = Int64(capacity - 1)
        samples = .allocate(capacity: capacity * channelCount)
        for index in 0..<(capacity * channelCount) { (samples + index).initialize(to: Atomic(0)) }
        recordCount = Int64(Self.recordsPerSecond * max(1, seconds))
        let words = Int(recordCount) * Self.recordWords
        records = .allocate(capacity: words)
        for index in 0..<words { (records + index).initialize(to: Atomic(0)) }
    }

    deinit {
        samples.deinitialize(count: Int(mask + 1) * channelCount)
        samples.deallocate()
        records.deinitialize(count: Int(recordCount) * Self.recordWords)
        records.deallocate()
    }

    private var capacity: Int64 { mask + 1 }

    /// Appends frames that are heard over a range of item time.
    ///
    /// - Parameter isReversed: A Boolean value that indicates whether the first frame is heard at
    ///   the end of the range.
    func append(
        _ new: UnsafeMutableBufferPointer<Float>, frameCount: Int, timeRange: MediaTimeRange,
        isReversed: Bool = false
    ) {
        let begin = isReversed ? timeRange.end : timeRange.start
        guard frameCount > 0, let time = begin.nanoseconds else { return }
        let first = ended.load(ordering: .relaxed)
        begun.store(first + Int64(frameCount), ordering: .sequentiallyConsistent)
        // A reader that sees the stores below also sees the store of `begun`.
        atomicMemoryFence(ordering: .releasing)
        for frame in 0..<frameCount {
            let slot = Int((first + Int64(frame)) & mask) * channelCount
            for channel in 0..<channelCount {
                samples[slot + channel].store(
                    new[frame * channelCount + channel].bitPattern, ordering: .relaxed)
            }
        }
        ended.store(first + Int64(frameCount), ordering: .releasing)
        let number = recordsEnded.load(ordering: .relaxed)
        recordsBegun.store(number + 1, ordering: .sequentiallyConsistent)
        atomicMemoryFence(ordering: .releasing)
        let record = records + Int(number % recordCount) * Self.recordWords
        let length = Double(timeRange.duration.nanoseconds ?? 0) / Double(frameCount)
        let duration = isReversed ? -length : length
        record[0].store(first, ordering: .relaxed)
        record[1].store(Int64(frameCount), ordering: .relaxed)
        record[2].store(time, ordering: .relaxed)
        record[3].store(Int64(bitPattern: duration.bitPattern), ordering: .relaxed)
        recordsEnded.store(number + 1, ordering: .releasing)
    }

    /// Copies a channel's samples around an item time.
    ///
    /// - Parameters:
    ///   - channel: The channel; nil for the mean of all channels.
    ///   - lead: The number of samples before the time.
    /// - Returns: A Boolean value that indicates whether there is audio at that time. Samples
    ///   before the first known sample and after the last one are silent.
    func copy(
        into target: UnsafeMutableBufferPointer<Float>, channel: Int?, at time: Int64, lead: Int
    ) -> Bool {
        guard let center = frame(at: time) else { return false }
        let first = center - Int64(lead)
        let end = ended.load(ordering: .acquiring)
        let start = max(0, begun.load(ordering: .sequentiallyConsistent) - capacity)
        let scale = 1 / Float(channelCount)
        for index in target.indices {
            let frame = first + Int64(index)
            guard frame >= start, frame < end else {
                target[index] = 0
                continue
            }
            let slot = Int(frame & mask) * channelCount
            if let channel {
                target[index] = Float(
                    bitPattern: samples[slot + channel].load(ordering: .relaxed))
            } else {
                var sum: Float = 0
                for channel in 0..<channelCount {
                    sum += Float(bitPattern: samples[slot + channel].load(ordering: .relaxed))
                }
                target[index] = sum * scale
            }
        }
        atomicMemoryFence(ordering: .acquiring)
        // The result is false if the writer has overtaken this read.
        return begun.load(ordering: .relaxed) - capacity <= max(first, start)
    }

    /// Copies all channels of the frame that is heard at an item time.
    ///
    /// - Returns: A Boolean value that indicates whether there is such a frame.
    func copyFrame(into target: UnsafeMutableBufferPointer<Float>, at time: Int64) -> Bool {
        guard let frame = frame(at: time) else { return false }
        let slot = Int(frame & mask) * channelCount
        for channel in 0..<channelCount {
            target[channel] = Float(bitPattern: samples[slot + channel].load(ordering: .relaxed))
        }
        atomicMemoryFence(ordering: .acquiring)
        return begun.load(ordering: .relaxed) - capacity <= frame
    }

    /// Returns the frame that is heard at an item time. If several frames are heard at that time,
    /// because audio was repeated, returns the newest.
    private func frame(at time: Int64) -> Int64? {
        let count = recordsEnded.load(ordering: .acquiring)
        var number = count - 1
        while number >= 0, number > count - recordCount {
            let words = records + Int(number % recordCount) * Self.recordWords
            let record = Record(
                first: words[0].load(ordering: .relaxed), count: words[1].load(ordering: .relaxed),
                time: words[2].load(ordering: .relaxed),
                frameDuration: Double(
                    bitPattern: UInt64(bitPattern: words[3].load(ordering: .relaxed))))
            atomicMemoryFence(ordering: .acquiring)
            if recordsBegun.load(ordering: .relaxed) - number > recordCount { return nil }
            let offset = Double(time - record.time) / record.frameDuration
            // The range is extended by half a frame at both ends, because times are rounded. A time
            // in that extension still belongs to the first or last frame of this record, because
            // the next frame may not have been written yet.
            if record.frameDuration != 0, offset >= -0.5, offset < Double(record.count) + 0.5 {
                let index = min(max(Int64(offset.rounded(.down)), 0), record.count - 1)
                return record.first + index
            }
            number -= 1
        }
        return nil
    }
}
