// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// The frames of tracks that show nothing for a while, and of tracks that share little memory.
@Suite struct FrameExtentTests {
    private static func time(_ milliseconds: Int64) -> MediaTime {
        MediaTime(value: milliseconds, timescale: 1000)
    }

    /// Returns frames of a computed video, each 100 ms long, that begin at the given times.
    private func frames(_ milliseconds: [Int64]) throws -> [VideoFrame] {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                frameDuration: Self.time(100), count: milliseconds.count), sounds: [])
        (media.width, media.height) = (64, 36)
        let output = try AssetReader(asset: SyntheticAsset(media)).addVideoOutput()
        return try milliseconds.map { start in
            var frame = try #require(try output.copyNextSampleBuffer())
            frame.presentationTime = Self.time(start)
            return frame
        }
    }

    /// Returns the times of the frames that a queue of frames at 1,000 and 3,000 ms shows.
    private func shown(_ extent: FrameExtent, at times: [Int64]) throws -> [Int64?] {
        let queue = FrameQueue(extent: extent)
        let timebase = Timebase(masterClock: ManualClock())
        for frame in try frames([1000, 3000]) {
            #expect(queue.push(frame, generation: 0, timebase: timebase) == .stored)
        }
        return times.map { time in
            queue.frame(at: Self.time(time), playhead: .zero, taking: false)
                .map { $0.presentationTime.value }
        }
    }

    @Test func `each kind of track shows its frames at its own times`() throws {
        let times: [Int64] = [0, 999, 1000, 1099, 1100, 2999, 3000, 9000]
        #expect(
            try shown(.unlimited, at: times)
                == [1000, 1000, 1000, 1000, 1000, 1000, 3000, 3000])
        #expect(
            try shown(.start(by: Self.time(100)), at: times)
                == [nil, nil, 1000, 1000, 1000, 1000, 3000, 3000])
        #expect(
            try shown(.start(by: Self.time(1000)), at: times)
                == [1000, 1000, 1000, 1000, 1000, 1000, 3000, 3000])
        #expect(
            try shown(.frames, at: times) == [nil, nil, 1000, 1000, nil, nil, 3000, nil])
    }

    @Test func `a frame is held after a seek only where the track shows something`() throws {
        let queue = FrameQueue(extent: .frames)
        let timebase = Timebase(masterClock: ManualClock())
        for frame in try frames([1000, 1100]) {
            #expect(queue.push(frame, generation: 0, timebase: timebase) == .stored)
        }
        queue.restart(generation: 1, visibleAt: Self.time(1050))
        #expect(queue.frame(at: .zero, playhead: .zero, taking: false) != nil)
        queue.releaseHeld(generation: 0)
        #expect(queue.frame(at: .zero, playhead: .zero, taking: false) != nil)
        queue.releaseHeld(generation: 1)
        #expect(queue.frame(at: .zero, playhead: .zero, taking: false) == nil)
    }

    @Test func `a queue of a track that shares its memory is full with two large frames`() throws {
        let timebase = Timebase(masterClock: ManualClock())
        let frames = try frames(Array(stride(from: 0, to: 800, by: 100)))
        for (limits, count) in [((Int.max, Int.max), 8), ((1, Int.max), 4), ((1, 1), 2)] {
            let queue = FrameQueue()
            queue.setByteLimit(limits.0, hardLimit: limits.1)
            var stored = 0
            while !queue.isFullOrEnded {
                _ = queue.push(frames[stored], generation: 0, timebase: timebase)
                stored += 1
            }
            #expect(stored == count)
        }
    }
}
