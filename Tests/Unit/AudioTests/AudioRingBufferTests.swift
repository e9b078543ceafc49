// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadThreads
import Synchronization
import Testing

@testable import PlayheadAudio

@Suite struct AudioRingBufferTests {
    private let rate = 1_000
    /// One millisecond: the duration of a frame at the rate used here.
    private let frame: Int64 = 1_000_000

    private func makeRing(frames: Int = 48, history: Int = 16) -> AudioRingBuffer {
        AudioRingBuffer(
            format: .mono(sampleRate: rate), frames: frames, historyFrames: history)
    }

    /// Reads the contents of the ring at an item time, up to the end of the segment.
    private func read(_ ring: AudioRingBuffer, at time: Int64, count: Int) -> [Float]? {
        let window = ring.beginReading()
        guard case .frame(let first, let end) = ring.locate(time, in: window) else {
            ring.endReading(position: nil)
            return nil
        }
        let start = Int64(first.rounded())
        var result = [Float](repeating: .nan, count: min(count, Int(end - start)))
        result.withUnsafeMutableBufferPointer {
            ring.read(from: start, count: $0.count, into: $0.baseAddress!)
        }
        ring.endReading(position: start + Int64(result.count))
        return result
    }

    @Test func `with more gaps than the ring stores, the newest are kept`() throws {
        let ring = makeRing(frames: 4 * AudioRingBuffer.segmentSlots, history: 0)
        let count = Int64(AudioRingBuffer.segmentSlots) * 3 / 2
        for index in 0..<count {
            // Ten frames of silence between each two frames of audio.
            let taken = ring.write([1, 2], frameCount: 2, at: index * 12 * frame)
            #expect(taken == 2)
        }
        let times = try #require(ring.bufferedTimes())
        #expect(times.end == (count * 12 - 10) * frame)
        #expect(times.end - times.start >= Int64(AudioRingBuffer.segmentSlots - 2) * 12 * frame)
        #expect(read(ring, at: times.start, count: 9) == [1, 2])
    }

    @Test func `discarding up to a time frees space and keeps later frames`() throws {
        let ring = makeRing(frames: 48, history: 0)
        let samples = (1...64).map(Float.init)
        let full = ring.write(samples, frameCount: 64, at: 0)
        #expect(ring.writableFrames == 64 - full)
        ring.discard(before: 20 * frame)
        #expect(ring.writableFrames == 64 - full + 20)
        #expect(read(ring, at: 0, count: 1) == nil)
        #expect(read(ring, at: 20 * frame, count: 2) == [21, 22])
        ring.discard(before: 1000 * frame)
        #expect(ring.bufferedTimes() == nil)
    }

    @Test func `random chunks are read as they were written`() {
        var random = SplitMix64(seed: 7)
        for _ in 0..<50 {
            let ring = makeRing(
                frames: Int.random(in: 1...100, using: &random),
                history: Int.random(in: 0...50, using: &random))
            var written = 0
            var wanted = 0
            while wanted < 3_000 {
                if Bool.random(using: &random) {
                    let count = Int.random(in: 1...40, using: &random)
                    let samples = (written..<(written + count)).map(Float.init)
                    let time: Int64? = Bool.random(using: &random) ? Int64(written) * frame : nil
                    let taken = ring.write(samples, frameCount: count, at: time)
                    #expect(taken <= count)
                    written += taken
                    // In the model, only unread frames and the history may stop a writer.
                    if taken < count {
                        #expect(written - wanted >= ring.capacity - ring.historyFrames)
                    }
                } else {
                    let count = Int.random(in: 1...40, using: &random)
                    let frames = read(ring, at: Int64(wanted) * frame, count: count)
                    let available = min(count, written - wanted)
                    #expect(frames ?? [] == (wanted..<(wanted + available)).map(Float.init))
                    wanted += available
                    // Frames that were read can be read again.
                    let back = min(wanted, Int.random(in: 0...ring.historyFrames, using: &random))
                    if back > 0 {
                        let again = read(ring, at: Int64(wanted - back) * frame, count: back)
                        #expect(again == ((wanted - back)..<wanted).map(Float.init))
                    }
                }
            }
        }
    }

    @Test func `a gap in time is a gap in the ring, and an overlap is cut`() {
        let ring = makeRing()
        #expect(ring.write([1, 2, 3], frameCount: 3, at: 0) == 3)
        #expect(ring.write([4, 5], frameCount: 2, at: 20 * frame) == 2)
        #expect(ring.write([6, 7, 8, 9, 10, 11, 12, 13], frameCount: 8, at: 15 * frame) == 8)
        let window = ring.beginReading()
        defer { ring.endReading(position: nil) }
        guard case .gap(let until) = ring.locate(5 * frame, in: window) else {
            Issue.record("expected a gap")
            return
        }
        #expect(until == 20 * frame)
        #expect(read(ring, at: 0, count: 9) == [1, 2, 3])
        #expect(read(ring, at: 20 * frame, count: 9) == [4, 5, 13])
        #expect(read(ring, at: 23 * frame, count: 9) == nil)
    }

    @Test func `timestamps rounded by the container cause neither gaps nor overlaps`() {
        let ring = makeRing()
        var time: Int64 = 0
        for index in 0..<16 {
            let rounding: Int64 = index % 2 == 0 ? 900_000 : -900_000
            #expect(ring.write([Float(index), 0], frameCount: 2, at: time + rounding) == 2)
            time += 2 * frame
        }
        #expect(read(ring, at: 900_000, count: 32)?.count == 32)
    }

    @Test func `after a flush the whole ring can be written without a read`() {
        let ring = makeRing(frames: 48, history: 16)
        let samples = (0..<64).map(Float.init)
        #expect(ring.write(samples, frameCount: 64, at: 0) == 64)
        #expect(ring.write(samples, frameCount: 64, at: nil) == 0)
        ring.flush()
        #expect(read(ring, at: 0, count: 1) == nil)
        #expect(ring.write(samples, frameCount: 64, at: 9_000 * frame) == 64)
        #expect(read(ring, at: 9_010 * frame, count: 3) == [10, 11, 12])
        #expect(read(ring, at: 10 * frame, count: 1) == nil)
    }

    @Test func `a flush during a read does not overwrite what is being read`() {
        let ring = makeRing(frames: 48, history: 16)
        let samples = (0..<64).map(Float.init)
        #expect(ring.write(samples, frameCount: 64, at: 0) == 64)
        let window = ring.beginReading()
        ring.flush()
        #expect(ring.write(samples, frameCount: 64, at: 0) == 0)
        var copy = [Float](repeating: 0, count: 64)
        copy.withUnsafeMutableBufferPointer {
            ring.read(from: window.tail, count: 64, into: $0.baseAddress!)
        }
        #expect(copy == samples)
        ring.endReading(position: nil)
        #expect(ring.write(samples, frameCount: 64, at: 0) == 64)
    }

    @Test func `more discontinuities than fit lose the oldest, and only those`() {
        let ring = makeRing(frames: AudioRingBuffer.segmentSlots * 2, history: 0)
        let count = Int64(AudioRingBuffer.segmentSlots) * 3 / 2
        for index in 0..<count {
            #expect(ring.write([Float(index)], frameCount: 1, at: index * 10 * frame) == 1)
        }
        let last = count - 1
        #expect(read(ring, at: last * 10 * frame, count: 1) == [Float(last)])
        #expect(read(ring, at: (last - 200) * 10 * frame, count: 1) == [Float(last - 200)])
        #expect(read(ring, at: 0, count: 1) == nil)
    }

    @Test func `concurrent writing, flushing and reading keep every sample at its time`() {
        let ring = makeRing(frames: 256, history: 64)
        let isDone = Atomic(false)
        let hasRead = Atomic(false)
        let passes = 300
        // Each sample is its own item time, in frames; each pass starts at another time.
        let writer = WorkerThread(name: "writer") {
            var random = SplitMix64(seed: 3)
            var pass = 0
            // Continues until the other thread has had a turn.
            while pass < passes || !hasRead.load(ordering: .relaxed) {
                pass += 1
                // Small enough to be exact in a sample.
                let start = pass % 10_000 * 1_000
                var written = 0
                while written < 600 {
                    let count = min(600 - written, Int.random(in: 1...64, using: &random))
                    let samples = (0..<count).map { Float(start + written + $0) }
                    written += ring.write(
                        samples, frameCount: count, at: Int64(start + written) * 1_000_000)
                    if Int.random(in: 0..<20, using: &random) == 0 { break }
                }
                ring.flush()
            }
            isDone.store(true, ordering: .releasing)
        }
        var wrong = 0
        var buffer = [Float](repeating: 0, count: 64)
        while !isDone.load(ordering: .acquiring) {
            let window = ring.beginReading()
            var position: Int64?
            if let segment = ring.segment(containing: window.head - 1, in: window) {
                let count = min(64, Int(segment.end - segment.first))
                let first = segment.end - Int64(count)
                buffer.withUnsafeMutableBufferPointer {
                    ring.read(from: first, count: count, into: $0.baseAddress!)
                }
                let time = segment.time / 1_000_000 + (first - segment.first)
                for index in 0..<count where buffer[index] != Float(time + Int64(index)) {
                    wrong += 1
                }
                hasRead.store(true, ordering: .relaxed)
                position = segment.end
            }
            ring.endReading(position: position)
        }
        writer.join()
        #expect(wrong == 0)
    }
}
