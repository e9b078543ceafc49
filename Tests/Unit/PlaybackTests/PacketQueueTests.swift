// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// The capacity of the packet queue, and its reports.
@Suite struct PacketQueueTests {
    private final class Payload: Sendable {}

    private static func packet(
        _ track: Int, milliseconds: Int64, bytes: Int = 100, duration: Int64 = 40
    ) -> MediaPacket {
        let time = MediaTime(value: milliseconds, timescale: 1000)
        return MediaPacket(
            trackID: track, presentationTime: time, decodeTime: time,
            duration: MediaTime(value: duration, timescale: 1000), isKeyframe: true,
            byteCount: bytes, payload: Payload())
    }

    private static func queue(
        bytes: Int, seconds: Int64 = 2, extents: [Int: PacketProgress.Extent] = [:]
    ) -> PacketQueue {
        let queue = PacketQueue()
        queue.open(tracks: [0, 1], playing: [0, 1], leading: 0, extents: extents)
        queue.bounds = PacketBounds(
            duration: MediaTime(value: seconds, timescale: 1), byteCount: bytes)
        return queue
    }

    /// Appends on a thread of its own, and counts the packets that were accepted.
    private static func fill(_ queue: PacketQueue, with packets: [MediaPacket]) -> Monitor<Int> {
        let count = Monitor(0)
        _ = WorkerThread(name: "test-fill") {
            for packet in packets {
                guard queue.append(packet, generation: 0) else { return }
                count.change { $0 += 1 }
            }
        }
        return count
    }

    /// The times of the next packets of a reader, in milliseconds.
    private static func times(_ queue: PacketQueue, track: Int, count: Int) -> [Int64] {
        var times: [Int64] = []
        while times.count < count {
            switch queue.next(track: track) {
            case .packet(let packet): times.append(packet.presentationTime.value)
            case .ranDry: continue
            default: return times
            }
        }
        return times
    }

    private static func isPacket(_ event: PacketEvent, at milliseconds: Int64) -> Bool {
        guard case .packet(let packet) = event else { return false }
        return packet.presentationTime == MediaTime(value: milliseconds, timescale: 1000)
    }

    @Test func `a full packet queue rests until a quarter is free`() {
        let queue = Self.queue(bytes: 1000)
        // Audio that is available, so that the bytes of the video decide.
        let sound = [Self.packet(1, milliseconds: 0, bytes: 0)]
        let count = Self.fill(
            queue, with: sound + (0..<30).map { Self.packet(0, milliseconds: $0 * 40) })
        count.wait { $0 == 11 ? true : nil }
        for picture in 0..<2 {
            #expect(Self.isPacket(queue.next(track: 0), at: Int64(picture) * 40))
            #expect(queue.level.isFull)
            #expect(queue.depth.bytes == 900 - picture * 100)
        }
        #expect(Self.isPacket(queue.next(track: 0), at: 80))
        count.wait { $0 >= 14 ? true : nil }
        #expect(queue.depth.bytes == 1000)
        queue.close()
    }

    /// The track is shorter than the tolerance of ends: its first packet seems to be its last.
    @Test func `packets that are read again reach a new reader whole, and others not twice`() {
        let end = PacketProgress.Extent.end(MediaTime(value: 200, timescale: 1000))
        let queue = Self.queue(bytes: 100_000, extents: [1: end])
        queue.play([0])
        let pictures = (0..<60).map { Self.packet(0, milliseconds: $0 * 40) }
        let sound = (0..<5).map { Self.packet(1, milliseconds: $0 * 40) }
        let first = Self.fill(queue, with: Array(pictures.prefix(40)))
        first.wait { $0 == 40 ? true : nil }
        let start = queue.readAgain(for: [-1: 1], generation: 0, from: .zero)
        #expect(start == .zero)
        let again = Self.fill(queue, with: [pictures[0], sound[0]])
        again.wait { $0 == 2 ? true : nil }
        #expect(Self.isPacket(queue.next(track: -1), at: 0))
        guard case .ranDry = queue.next(track: -1) else {
            Issue.record("the new reader was notified of packets that it has not read")
            return
        }
        #expect(!queue.hasNothingToCome(lane: -1))
        let rest = Self.fill(queue, with: Array(sound[1...]) + pictures[1...])
        #expect(Self.times(queue, track: -1, count: 4) == [40, 80, 120, 160])
        #expect(Self.times(queue, track: 0, count: 60) == (0..<60).map { $0 * 40 })
        rest.wait { $0 == 63 ? true : nil }
        #expect(queue.depth.count == 0)
        queue.close()
    }

    @Test func `packets before a seek's target do not reach a track that had none up to the end`() {
        let queue = Self.queue(bytes: 100_000)
        let picture = Self.packet(0, milliseconds: 2000)
        #expect(queue.append(picture, generation: 0))
        queue.finish(generation: 0)
        #expect(Self.isPacket(queue.next(track: 0), at: 2000))
        #expect(Self.isEnd(queue.next(track: 1)))
        let start = queue.readAgain(
            for: [-1: 2], generation: 0, from: MediaTime(value: 1, timescale: 1))
        #expect(start == MediaTime(value: 1, timescale: 1))
        for packet in [Self.packet(1, milliseconds: 1000), picture] {
            #expect(queue.append(packet, generation: 0))
        }
        #expect(queue.depth.count == 0)
        queue.close()
    }

    /// The demuxer has not returned the packets of a track that did not play.
    @Test func `a seek does not continue with the packets if another track has begun to play`() {
        for isSelected in [false, true] {
            let queue = PacketQueue()
            queue.open(tracks: [0, 1, 2], playing: [0, 1], leading: 0)
            for time in [0, 40, 80] as [Int64] {
                #expect(queue.append(Self.packet(0, milliseconds: time), generation: 0))
                #expect(queue.append(Self.packet(1, milliseconds: time), generation: 0))
            }
            queue.finish(generation: 0)
            #expect(Self.times(queue, track: 0, count: 3) == [0, 40, 80])
            if isSelected { queue.play([0, 2]) }
            let isRedirected = queue.redirect(
                generation: 1, to: MediaTime(value: 80, timescale: 1000), leading: 0,
                index: KeyframeIndex())
            #expect(isRedirected != isSelected)
            queue.close()
        }
    }

    @Test func `a reader that moves to another lane is notified of each generation once`() {
        let queue = Self.queue(bytes: 1000)
        func isFlush(_ event: PacketEvent, _ generation: Int) -> Bool {
            if case .flush(generation) = event { true } else { false }
        }
        queue.restart(generation: 1)
        #expect(isFlush(queue.next(track: 0), 1))
        queue.moveReader(to: 1, generation: 1)
        #expect(queue.append(Self.packet(1, milliseconds: 0), generation: 1))
        #expect(Self.isPacket(queue.next(track: 1), at: 0))
        queue.restart(generation: 2)
        #expect(isFlush(queue.next(track: 1), 2))
        queue.restart(generation: 3)
        queue.moveReader(to: 0, generation: 2)
        #expect(isFlush(queue.next(track: 0), 3))
        queue.close()
    }

    @Test func `a packet queue exceeds its bytes while one track has nothing to read`() {
        let queue = Self.queue(bytes: 1000)
        let pictures = (0..<30).map { Self.packet(0, milliseconds: $0 * 40) }
        let count = Self.fill(queue, with: pictures + [Self.packet(1, milliseconds: 0)])
        count.wait { $0 == 10 ? true : nil }
        #expect(queue.level.isFull)
        guard case .ranDry = queue.next(track: 1) else {
            Issue.record("the reader of audio gets ranDry")
            return
        }
        #expect(Self.isPacket(queue.next(track: 1), at: 0))
        queue.close()
    }

    @Test func `other tracks play without one whose packets are too far away`() {
        let queue = Self.queue(bytes: 1000)
        let pictures = (0..<100).map { Self.packet(0, milliseconds: $0 * 40) }
        _ = queue.next(track: 1)
        let count = Self.fill(queue, with: pictures)
        count.wait { $0 == 40 ? true : nil }
        let level = queue.level
        #expect(level.isFull)
        #expect(level.tracksPassedOver == [1])
        #expect(level.dryTracks == [])
        #expect(level.end == MediaTime(value: 1600, timescale: 1000))
        queue.close()
    }

    @Test func `a dry track is waited for within the interleaving limit`() {
        let queue = Self.queue(bytes: 1 << 20, seconds: 60)
        _ = queue.next(track: 1)
        for time in stride(from: 0, through: 14_000, by: 40) as StrideThrough<Int64> {
            _ = queue.append(Self.packet(0, milliseconds: time), generation: 0)
        }
        #expect(queue.level.dryTracks == [1])
        #expect(!queue.level.end.isValid)
        for time in stride(from: 14_040, through: 16_000, by: 40) as StrideThrough<Int64> {
            _ = queue.append(Self.packet(0, milliseconds: time), generation: 0)
        }
        #expect(queue.level.dryTracks == [])
        #expect(queue.level.tracksPassedOver == [1])
    }

    @Test func `the reader of a further video track is notified of each gap once`() {
        let queue = Self.queue(bytes: 1 << 20)
        _ = queue.readAgain(for: [-1: 2], video: [-1], generation: 0, from: .zero)
        guard case .flush = queue.next(track: -1) else {
            Issue.record("the reader begins with a generation")
            return
        }
        for (start, packet) in [(0, 16_040), (16_080, 33_000)] as [(Int64, Int64)] {
            guard case .ranDry = queue.next(track: -1) else {
                Issue.record("there is no packet of the track")
                return
            }
            #expect(!queue.isPassedOver(lane: -1))
            for time in stride(from: start, through: start + 16_000, by: 40) {
                _ = queue.append(Self.packet(1, milliseconds: time, bytes: 1), generation: 0)
                _ = queue.append(Self.packet(0, milliseconds: time, bytes: 1), generation: 0)
                _ = Self.times(queue, track: 0, count: 1)
                _ = Self.times(queue, track: 1, count: 1)
            }
            guard case .passedOver = queue.next(track: -1) else {
                Issue.record("others have been read far beyond the track")
                return
            }
            #expect(queue.isPassedOver(lane: -1))
            _ = queue.append(Self.packet(2, milliseconds: packet, bytes: 1), generation: 0)
            #expect(!queue.isPassedOver(lane: -1))
            #expect(Self.isPacket(queue.next(track: -1), at: packet))
        }
        queue.close()
    }

    @Test func `a complete track is not waited for`() {
        let end = PacketProgress.Extent.end(MediaTime(value: 1, timescale: 1))
        let queue = Self.queue(bytes: 1 << 20, extents: [1: end])
        _ = queue.append(Self.packet(1, milliseconds: 0, duration: 1000), generation: 0)
        #expect(Self.isPacket(queue.next(track: 1), at: 0))
        guard case .ranDry = queue.next(track: 1) else {
            Issue.record("nothing is left")
            return
        }
        let count = Self.fill(queue, with: (0..<100).map { Self.packet(0, milliseconds: $0 * 40) })
        // Two seconds from the first packet to the last.
        count.wait { $0 == 51 ? true : nil }
        let level = queue.level
        #expect(level.isFull)
        #expect(level.dryTracks == [])
        #expect(level.end == MediaTime(value: 2040, timescale: 1000))
        queue.close()
    }

    /// Containers round the ends of tracks: a track that has been read to almost its end may go on.
    @Test func `a track is not exhausted while its last packets may come`() {
        let end = PacketProgress.Extent.end(MediaTime(value: 1, timescale: 1))
        let queue = Self.queue(bytes: 1 << 20, extents: [1: end])
        queue.play([1])
        for time: Int64 in [0, 900] {
            let packet = Self.packet(1, milliseconds: time, duration: 900)
            #expect(queue.append(packet, generation: 0))
            #expect(Self.isPacket(queue.next(track: 1), at: time))
            guard case .ranDry = queue.next(track: 1) else {
                Issue.record("nothing is left")
                return
            }
            #expect(!queue.isExhausted(track: 1))
        }
        queue.finish(generation: 0)
        #expect(queue.isExhausted(track: 1))
        queue.close()
    }

    /// Returns a queue that is full of audio, behind the only frame, whose track declares no more.
    private static func queueBehindPicture(_ more: [MediaPacket] = []) -> (
        queue: PacketQueue, count: Monitor<Int>
    ) {
        let end = PacketProgress.Extent.end(MediaTime(value: 1, timescale: 1))
        let queue = queue(bytes: 1000, extents: [0: end])
        _ = queue.append(packet(0, milliseconds: 0, duration: 1000), generation: 0)
        #expect(isPacket(queue.next(track: 0), at: 0))
        let sound = (0..<17).map { packet(1, milliseconds: $0 * 1000, duration: 1000) }
        return (queue, fill(queue, with: sound + more))
    }

    private static func isEnd(_ event: PacketEvent) -> Bool {
        if case .endOfStream = event { true } else { false }
    }

    @Test func `video ends if there is no space before the file's end`() {
        let more = Self.packet(1, milliseconds: 17_000, duration: 1000)
        let (queue, count) = Self.queueBehindPicture([more])
        guard case .ranDry = queue.next(track: 0) else {
            Issue.record("the file may go on")
            return
        }
        #expect(Self.isEnd(queue.next(track: 0)))
        // It ends only after others have been read for longer than the distance of tracks.
        #expect(queue.depth.count == 17)
        #expect(queue.level.isFull)
        // It is idle like any other, though the reader of frames has nothing.
        for second in 0..<9 as Range<Int64> {
            #expect(Self.isPacket(queue.next(track: 1), at: second * 1000))
            #expect(queue.level.isFull)
        }
        #expect(Self.isPacket(queue.next(track: 1), at: 9000))
        count.wait { $0 == 18 ? true : nil }
        queue.finish(generation: 0)
        for second in 10..<18 as Range<Int64> {
            #expect(Self.isPacket(queue.next(track: 1), at: second * 1000))
        }
        #expect(Self.isEnd(queue.next(track: 1)))
        // The reader of frames has been notified.
        queue.close()
        guard case .closed = queue.next(track: 0) else {
            Issue.record("the video track ends once")
            return
        }
    }

    @Test func `frames after the declared end of video are read`() {
        let late = Self.packet(0, milliseconds: 1000)
        let (queue, count) = Self.queueBehindPicture([late])
        _ = queue.next(track: 0)
        #expect(Self.isEnd(queue.next(track: 0)))
        for _ in 0..<10 { _ = queue.next(track: 1) }
        count.wait { $0 == 18 ? true : nil }
        #expect(Self.isPacket(queue.next(track: 0), at: 1000))
        guard case .ranDry = queue.next(track: 0) else {
            Issue.record("where they end is not known any more")
            return
        }
        queue.finish(generation: 0)
        #expect(Self.isEnd(queue.next(track: 0)))
    }

    @Test func `when all tracks are complete the rest is read to the end`() {
        let end = PacketProgress.Extent.end(MediaTime(value: 1, timescale: 1))
        let queue = Self.queue(bytes: 1 << 20, extents: [0: end, 1: end])
        for track in [0, 1] {
            _ = queue.append(
                Self.packet(track, milliseconds: 0, duration: 1000), generation: 0)
        }
        _ = queue.append(Self.packet(0, milliseconds: 1000), generation: 0)
        queue.finish(generation: 0)
        #expect(queue.level.hasEnded)
        #expect(queue.level.end == MediaTime(value: 1040, timescale: 1000))
    }

    @Test func `a cover image is not waited for`() {
        let queue = Self.queue(bytes: 1 << 20, extents: [0: .still])
        _ = queue.append(Self.packet(0, milliseconds: 0), generation: 0)
        let count = Self.fill(queue, with: (0..<100).map { Self.packet(1, milliseconds: $0 * 40) })
        count.wait { $0 == 51 ? true : nil }
        #expect(queue.level.isFull)
        #expect(queue.level.end == MediaTime(value: 2040, timescale: 1000))
        queue.close()
    }

    @Test func `the byte rates of all tracks add up`() {
        let queue = Self.queue(bytes: 1 << 20)
        for index in 0..<25 as Range<Int64> {
            _ = queue.append(Self.packet(0, milliseconds: index * 40), generation: 0)
            _ = queue.append(
                Self.packet(1, milliseconds: index * 40, bytes: 20), generation: 0)
        }
        #expect(queue.level.byteRate == 3000)
        queue.restart(generation: 1)
        #expect(queue.level.byteRate == nil)
        #expect(queue.level.byteCount == 0)
    }
}
