// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
import PlayheadStretching
import Synchronization

/// A ring buffer of decoded audio between the decoder's thread and the audio server's callback,
/// addressed by item time. Audio in reverse order is addressed by negated item time, so that times
/// increase in either direction.
///
/// Like `PacketQueue` and `FrameQueue`, the ring passes data from one thread to another. The writer
/// appends frames and states at which item time each run starts; the reader requests the frames for
/// an item time. Frames are numbered from 0 and never renumbered. A *segment* is a run of frames
/// that follow each other in item time. Frames stay readable for a while after reading
/// (`historyFrames`), because a pause drops the server's buffer, which then has to be delivered
/// again.
///
/// - Concurrency: any thread may write and flush, under a lock that the reader never takes. One
///   thread reads between `beginReading` and `endReading`, without locking, allocating or waiting.
///   A flush does not wait for the reader: discarded frames become invisible at once, and their
///   memory is reused after a read in progress has ended.
package final class AudioRingBuffer: @unchecked Sendable {
    // Unchecked: `samples` is shared as follows. Frame i is in slot i mod capacity. Only frames in
    // tail ..< head are read. Before the writer overwrites a slot, it publishes a tail beyond the
    // frame in that slot, then checks `readingFloor`. Before the reader reads, it publishes a
    // floor, then checks `tail`. All four accesses are sequentially consistent, so at least one of
    // the two threads sees the other: the reader does not read, or the writer does not write.
    // `segmentWords` consists of atomics; see `segmentCount`. Everything else is constant, atomic
    // or under the lock of `writer`.

    /// A run of frames that follow each other in item time.
    struct Segment {
        /// The first frame that can be read.
        var first: Int64
        /// The frame after the last frame of the run.
        var end: Int64
        /// The item time of frame `first`, in nanoseconds.
        var time: Int64
    }

    /// The content of the ring at an item time.
    enum Location {
        /// Frame `frame`, which may have a fraction, in a segment that ends before frame `end`.
        case frame(Double, end: Int64)
        /// A gap until the frames that start at item time `until`.
        case gap(until: Int64)
        /// A time after all written frames.
        case beyond
    }

    /// The format of the frames.
    package let format: AudioFormat
    /// The number of frames that the ring holds, including those already read.
    package let capacity: Int
    /// The number of frames that stay readable after reading.
    package var historyFrames: Int { history.load(ordering: .relaxed) }
    private let history: Atomic<Int>
    private let longestHistory: Int
    /// The largest difference between a timestamp and the expected time, in nanoseconds, that
    /// counts as rounding by the container. Matroska rounds to 1 ms, and some muxers are worse.
    package static let timestampTolerance: Int64 = 5_000_000

    let conversion: FrameRateConversion
    private let channelCount: Int
    private let mask: Int64
    private let samples: UnsafeMutablePointer<Float>

    /// The frame after the last written frame.
    private let head = Atomic<Int64>(0)
    /// The first frame that can be read.
    private let tail = Atomic<Int64>(0)
    /// The first frame that a read in progress may touch; `Int64.max` if there is no such read.
    private let readingFloor = Atomic<Int64>(.max)
    /// The frame that the reader will probably request next.
    private let position = Atomic<Int64>(0)
    /// The frame at which the stream ends; `Int64.max` while the end is unknown.
    private let streamEnd = Atomic<Int64>(.max)

    /// The maximum number of segments in the ring. If there were more, the oldest segments would be
    /// lost and the player would wait for their audio forever. The maximum allows for a
    /// discontinuity at every packet, which some files have; Opus has 400 packets a second.
    static let segmentSlots = 1024
    /// The number of segments ever started. Segment k is in slot k mod `segmentSlots`, with its
    /// first frame in word 2k and its time in word 2k + 1. A reader checks the count again after
    /// reading.
    private let segmentCount = Atomic<Int64>(0)
    private let segmentWords: UnsafeMutablePointer<Atomic<Int64>>

    /// The state of the end of the ring, which only writers use.
    private struct Writer {
        /// The first frame and the item time of the segment being written; nil after a flush.
        var segment: (first: Int64, time: Int64)?
    }
    private let writer = Mutex(Writer())

    /// Creates a ring for at least `frames` unread frames, plus the history.
    package init(format: AudioFormat, frames: Int, historyFrames: Int) {
        precondition(format.channelCount > 0 && format.sampleRate > 0, "the format has channels")
        precondition(frames > 0 && historyFrames >= 0, "a ring has room")
        self.format = format
        var capacity = 1
        while capacity < frames + historyFrames { capacity *= 2 }
        self.capacity = capacity
        history = Atomic(historyFrames)
        longestHistory = capacity - frames
        mask = Int64(capacity - 1)
        channelCount = format.channelCount
        conversion = FrameRateConversion(sampleRate: format.sampleRate)
        samples = .allocate(capacity: capacity * format.channelCount)
        samples.initialize(repeating: 0, count: capacity * format.channelCount)
        segmentWords = .allocate(capacity: 2 * Self.segmentSlots)
        for index in 0..<(2 * Self.segmentSlots) {
            (segmentWords + index).initialize(to: Atomic(0))
        }
    }

    deinit {
        samples.deallocate()
        segmentWords.deinitialize(count: 2 * Self.segmentSlots)
        segmentWords.deallocate()
    }
}

// MARK: - Writing

extension AudioRingBuffer {
    /// Appends frames that start at item time `time`, in nanoseconds. If `time` is nil, the frames
    /// follow the previous ones.
    ///
    /// If the time is later than expected, a gap remains, which is read as silence. Frames of the
    /// input that are earlier than the end of the frames in the ring are skipped.
    ///
    /// - Returns: The number of frames written or skipped. It is smaller than `frameCount` if the
    ///   ring is full.
    package func write(_ frames: UnsafePointer<Float>, frameCount: Int, at time: Int64?) -> Int {
        writer.withLock { writer in
            let start = head.load(ordering: .relaxed)
            var skipped = 0
            var newSegment: Int64?
            if let segment = writer.segment {
                let expected =
                    segment.time + conversion.nanoseconds(frames: start - segment.first)
                let difference = (time ?? expected) - expected
                if difference > Self.timestampTolerance {
                    newSegment = time
                } else if difference < -Self.timestampTolerance {
                    skipped = Int(
                        min(
                            Int64(frameCount),
                            conversion.nearestFrame(nanoseconds: -difference)))
                }
            } else {
                newSegment = time ?? 0
            }
            let count = min(frameCount - skipped, reclaim(wanting: frameCount - skipped))
            guard count > 0 else { return skipped }
            copy(frames + skipped * channelCount, count: count, to: start)
            if let newSegment {
                let number = segmentCount.load(ordering: .relaxed)
                let slot = segmentWords + 2 * Int(number % Int64(Self.segmentSlots))
                // A reader that sees one of the stores below also sees the present count.
                atomicMemoryFence(ordering: .releasing)
                slot[0].store(start, ordering: .relaxed)
                slot[1].store(newSegment, ordering: .relaxed)
                segmentCount.store(number + 1, ordering: .releasing)
                writer.segment = (start, newSegment)
            }
            head.store(start + Int64(count), ordering: .releasing)
            return skipped + count
        }
    }

    /// Sets the number of frames that stay readable after reading, limited by the capacity of the
    /// ring. Frames that are already discarded do not return.
    package func keep(historyFrames: Int) {
        history.store(min(max(0, historyFrames), longestHistory), ordering: .relaxed)
    }

    /// Discards all frames, read or not, without waiting for the reader. The next frames may have
    /// any time.
    package func flush() {
        writer.withLock { writer in
            writer.segment = nil
            streamEnd.store(.max, ordering: .relaxed)
            tail.store(head.load(ordering: .relaxed), ordering: .sequentiallyConsistent)
        }
    }

    /// Discards the frames before item time `time`, in nanoseconds, whether they were read or not.
    /// Does not wait for the reader.
    package func discard(before time: Int64) {
        writer.withLock { _ in
            let window = Window(
                tail: tail.load(ordering: .relaxed), head: head.load(ordering: .relaxed))
            var location = locate(time, in: window)
            if case .gap(let until) = location { location = locate(until, in: window) }
            let first: Int64
            switch location {
            case .frame(let frame, _): first = Int64(frame)
            case .gap: return
            case .beyond: first = window.head
            }
            if first > window.tail { tail.store(first, ordering: .sequentiallyConsistent) }
        }
    }

    /// Marks the end of the written frames as the end of the stream, until the next flush.
    package func markEndOfStream() {
        writer.withLock { _ in
            streamEnd.store(head.load(ordering: .relaxed), ordering: .releasing)
        }
    }

    /// The number of frames that can be written without waiting.
    package var writableFrames: Int {
        let head = head.load(ordering: .relaxed)
        let read = position.load(ordering: .relaxed) - Int64(historyFrames)
        let tail = max(tail.load(ordering: .relaxed), min(read, head))
        return capacity - Int(head - tail)
    }

    /// Frees space for `count` frames if possible, and returns the free space.
    private func reclaim(wanting count: Int) -> Int {
        let head = head.load(ordering: .relaxed)
        let oldTail = tail.load(ordering: .relaxed)
        let needed = head + Int64(count - capacity)
        if needed > oldTail {
            let free = min(
                position.load(ordering: .acquiring) - Int64(historyFrames), head)
            let newTail = min(needed, max(free, oldTail))
            if newTail > oldTail { tail.store(newTail, ordering: .sequentiallyConsistent) }
        }
        let tail = tail.load(ordering: .relaxed)
        // Slots below the new tail may be written only after the end of all reads that began before
        // the new tail was published.
        let floor = min(tail, readingFloor.load(ordering: .sequentiallyConsistent))
        return max(0, capacity - Int(head - floor))
    }

    private func copy(_ source: UnsafePointer<Float>, count: Int, to frame: Int64) {
        let slot = Int(frame & mask)
        let first = min(count, capacity - slot)
        Self.copy(source, count: first * channelCount, to: samples + slot * channelCount)
        Self.copy(
            source + first * channelCount, count: (count - first) * channelCount, to: samples)
    }

    /// Copies samples. NaN and infinities from damaged files are replaced by silence, because they
    /// would persist in every filter.
    private static func copy(
        _ source: UnsafePointer<Float>, count: Int, to target: UnsafeMutablePointer<Float>
    ) {
        for index in 0..<count {
            let sample = source[index]
            target[index] = abs(sample) <= .greatestFiniteMagnitude ? sample : 0
        }
    }
}

// MARK: - Reading

extension AudioRingBuffer {
    /// The frames that the reader may touch until `endReading`.
    struct Window {
        var tail: Int64
        var head: Int64
    }

    /// Protects all readable frames from being overwritten.
    func beginReading() -> Window {
        readingFloor.store(tail.load(ordering: .relaxed), ordering: .sequentiallyConsistent)
        return Window(
            tail: tail.load(ordering: .sequentiallyConsistent),
            head: head.load(ordering: .acquiring))
    }

    /// Ends the protection. `position` is the frame that will be requested next, if known. Frames
    /// that precede it by more than the history may be overwritten.
    func endReading(position: Int64?) {
        if let position { self.position.store(position, ordering: .relaxed) }
        readingFloor.store(.max, ordering: .releasing)
    }

    /// Returns the content at item time `time`, in nanoseconds.
    func locate(_ time: Int64, in window: Window) -> Location {
        var result = Location.beyond
        forEachSegment(in: window) { segment in
            let frame =
                Double(segment.first) + conversion.frames(nanoseconds: time - segment.time)
            if frame.rounded() >= Double(segment.end) { return false }
            if frame.rounded() >= Double(segment.first) {
                result = .frame(max(frame, Double(segment.first)), end: segment.end)
                return false
            }
            result = .gap(until: segment.time)
            return true
        }
        return result
    }

    /// Returns the segment that contains `frame`.
    func segment(containing frame: Int64, in window: Window) -> Segment? {
        var result: Segment?
        forEachSegment(in: window) { segment in
            if frame >= segment.first, frame < segment.end { result = segment }
            return result == nil && segment.first > frame
        }
        return result
    }

    /// Returns whether the stream ends with the written frames.
    func isStreamEnd(in window: Window) -> Bool {
        streamEnd.load(ordering: .acquiring) <= window.head
    }

    /// Copies `count` frames, beginning with `frame`. All of them must be within the window.
    func read(from frame: Int64, count: Int, into target: UnsafeMutablePointer<Float>) {
        let slot = Int(frame & mask)
        let first = min(count, capacity - slot)
        target.update(from: samples + slot * channelCount, count: first * channelCount)
        (target + first * channelCount).update(
            from: samples, count: (count - first) * channelCount)
    }

    /// Returns a pointer to the first sample of `frame`, which must be within the window.
    func pointer(to frame: Int64) -> UnsafePointer<Float> {
        UnsafePointer(samples + Int(frame & mask) * channelCount)
    }

    /// Returns the frames of a segment that are within the window, as a source for time stretching.
    func source(of segment: Segment) -> StretchSource {
        StretchSource(
            samples: UnsafePointer(samples), mask: mask, channelCount: channelCount,
            frames: segment.first..<segment.end)
    }

    /// Calls `body` for the segments within the window, from the last to the first, until it
    /// returns false.
    private func forEachSegment(in window: Window, _ body: (Segment) -> Bool) {
        let count = segmentCount.load(ordering: .acquiring)
        var end = window.head
        var number = count - 1
        while number >= 0, number > count - Int64(Self.segmentSlots), end > window.tail {
            let slot = segmentWords + 2 * Int(number % Int64(Self.segmentSlots))
            let start = slot[0].load(ordering: .relaxed)
            let time = slot[1].load(ordering: .relaxed)
            atomicMemoryFence(ordering: .acquiring)
            let now = segmentCount.load(ordering: .relaxed)
            if now - number >= Int64(Self.segmentSlots) { return }
            // A segment that was started after the window was taken is not part of it.
            if start < end {
                let first = max(start, window.tail)
                let segment = Segment(
                    first: first, end: end,
                    time: time + conversion.nanoseconds(frames: first - start))
                if !body(segment) { return }
                end = start
            }
            number -= 1
        }
    }
}

// MARK: - State

extension AudioRingBuffer {
    /// Returns the item times, in nanoseconds, of the next frame to be read and of the end of the
    /// written frames; nil if no frame waits to be read.
    ///
    /// - Concurrency: any thread except the reader's; takes the writers' lock.
    func bufferedTimes() -> (start: Int64, end: Int64)? {
        writer.withLock { _ in
            let head = head.load(ordering: .relaxed)
            let tail = tail.load(ordering: .relaxed)
            let window = Window(tail: tail, head: head)
            let next = max(position.load(ordering: .relaxed), tail)
            var times: (start: Int64, end: Int64)?
            // The loop goes from the last segment back to the one that is read next, or to the
            // oldest known.
            forEachSegment(in: window) { segment in
                guard segment.end > next else { return false }
                let first = max(next, segment.first)
                let start = segment.time + conversion.nanoseconds(frames: first - segment.first)
                let end = segment.time + conversion.nanoseconds(frames: segment.end - segment.first)
                times = (start, times?.end ?? end)
                return true
            }
            return times
        }
    }

    /// The item time, in nanoseconds, at which the frames written since the last flush end; nil if
    /// there are no such frames.
    ///
    /// - Concurrency: any thread except the reader's; takes the writers' lock.
    var writtenEnd: Int64? {
        writer.withLock { writer in
            writer.segment.map { segment in
                let frames = head.load(ordering: .relaxed) - segment.first
                return segment.time + conversion.nanoseconds(frames: frames)
            }
        }
    }

    /// A Boolean value that indicates whether a writer has to wait until frames are read.
    var isFull: Bool { writableFrames == 0 }

    /// A Boolean value that indicates whether the end of the stream has been written.
    var hasStreamEnd: Bool { streamEnd.load(ordering: .acquiring) != .max }

    /// A Boolean value that indicates whether the end of the stream has been written and read.
    var isDrained: Bool {
        position.load(ordering: .relaxed) >= streamEnd.load(ordering: .acquiring)
    }
}
