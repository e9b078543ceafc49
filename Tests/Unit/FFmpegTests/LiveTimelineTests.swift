// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// The timeline of a live stream while its playlist moves.
@Suite struct LiveTimelineTests {
    private static func seconds(_ value: Double) -> MediaTime {
        MediaTime(value: Int64((value * 1e6).rounded()), timescale: 1_000_000)
    }

    /// Returns a playlist of segments of two seconds.
    private static func list(
        _ range: Range<Int64>, date: Double? = nil, discontinuities: [Int64: Int64] = [:],
        hasEnded: Bool = false
    ) -> MediaPlaylist {
        var list = MediaPlaylist()
        list.firstSequence = range.lowerBound
        list.targetDuration = seconds(2)
        list.hasEnded = hasEnded
        list.segments = range.map { sequence in
            MediaPlaylist.Segment(
                duration: seconds(2), discontinuity: discontinuities[sequence] ?? 0,
                date: date.map { $0 + 2 * Double(sequence) })
        }
        return list
    }

    private static func range(_ start: Double, _ end: Double) -> MediaTimeRange {
        MediaTimeRange(start: seconds(start), end: seconds(end))
    }

    @Test func `the window moves with the playlist, and segments keep their times`() {
        var timeline = LiveTimeline(Self.list(100..<105))
        #expect(timeline.range == Self.range(0, 10))
        timeline.update(Self.list(102..<108))
        #expect(timeline.range == Self.range(4, 16))
        #expect(timeline[104]?.start == Self.seconds(8))
        #expect(timeline[101] == nil && timeline[108] == nil)
        timeline.update(Self.list(110..<110))
        #expect(timeline.range == Self.range(4, 16), "an empty playlist")
        timeline.update(Self.list(101..<108))
        #expect(timeline.range == Self.range(2, 16), "segments that come back")
        #expect(!timeline.window.hasEnded)
        timeline.update(Self.list(102..<109, hasEnded: true))
        #expect(timeline.window.hasEnded)
        #expect(timeline.window.range == Self.range(4, 18))
    }

    @Test func `the recommended offset is not longer than the window`() {
        #expect(LiveTimeline(Self.list(0..<2)).window.recommendedOffset == Self.seconds(4))
        #expect(LiveTimeline(Self.list(0..<9)).window.recommendedOffset == Self.seconds(6))
    }

    @Test func `segments are found by time`() {
        let timeline = LiveTimeline(Self.list(100..<105))
        let found = [-1, 0, 1.9, 2, 9.9, 50].map { timeline.sequence(at: Self.seconds($0)) }
        #expect(found == [100, 100, 100, 101, 104, 104])
    }

    @Test func `a playlist that has left all known segments behind continues after the gap`() {
        var timeline = LiveTimeline(Self.list(100..<105))
        timeline.update(Self.list(108..<110))
        #expect(timeline.range == Self.range(16, 20))
        var dated = LiveTimeline(Self.list(100..<105, date: 1000))
        dated.update(Self.list(108..<110, date: 1007.5))
        #expect(dated.range == Self.range(23.5, 27.5), "dates state the gap")
    }

    @Test func `a server that begins to count again continues at the live edge`() {
        var timeline = LiveTimeline(Self.list(100..<105))
        timeline.update(Self.list(0..<3))
        #expect(timeline.range == Self.range(10, 16))
    }

    // MARK: - What is read

    @Test func `keyframes correct the times of segments`() {
        var timeline = LiveTimeline(Self.list(0..<5))
        timeline.anchor(1, at: Self.seconds(2.1))
        #expect(timeline.range == Self.range(0.1, 10.1))
        timeline.note(
            keyframe: Self.seconds(4.25), previous: Self.seconds(2.1), offset: .zero)
        #expect(timeline[1]?.start == Self.seconds(2.1))
        #expect(timeline[2]?.start == Self.seconds(4.25))
        #expect(timeline[4]?.start == Self.seconds(8.25))
        // A keyframe in the middle of a segment does not move it.
        timeline.note(
            keyframe: Self.seconds(5.25), previous: Self.seconds(4.25), offset: .zero)
        #expect(timeline[3]?.start == Self.seconds(6.25))
        // Corrected times outlive the playlist.
        timeline.update(Self.list(2..<6))
        #expect(timeline.range == Self.range(4.25, 12.25))
    }

    @Test func `drift does not accumulate if the durations are rounded`() {
        // Segments of 2.002 s, listed as 2 s, with a keyframe every half second.
        var timeline = LiveTimeline(Self.list(0..<5))
        var previous: MediaTime?
        for count in 0..<4000 {
            let segment = Int64(count / 4)
            if count % 4 == 0 { timeline.update(Self.list(segment..<(segment + 5))) }
            let time = Self.seconds(2.002 * Double(count) / 4)
            timeline.note(keyframe: time, previous: previous, offset: .zero)
            previous = time
        }
        let start = timeline[999]?.start ?? .invalid
        #expect(abs(start.seconds - 2.002 * 999) < 1e-5)
    }

    @Test func `timestamps that begin again are placed at their segment`() {
        var timeline = LiveTimeline(Self.list(0..<5, discontinuities: [3: 1, 4: 1]))
        timeline.use(.zero, in: 0)
        #expect(timeline.offset(ofFrameAt: Self.seconds(2.01), in: 1) == .zero)
        // The first frame after the discontinuity has a timestamp from another timeline.
        let offset = timeline.offset(ofFrameAt: Self.seconds(1.4), in: 3)
        #expect(offset == Self.seconds(4.6))
        timeline.use(offset, in: 3)
        #expect(timeline.offset(ofFrameAt: Self.seconds(3.41), in: 4) == offset)
        // Segments before it still have their own.
        #expect(timeline.offset(ofFrameAt: Self.seconds(4.02), in: 2) == .zero)
        // Timestamps that overflowed need no discontinuity.
        let overflow = timeline.offset(ofFrameAt: Self.seconds(4 - 95_443.7), in: 2)
        #expect(overflow == Self.seconds(95_443.7))
    }

    @Test func `a stated discontinuity at which timestamps continue changes nothing`() {
        var timeline = LiveTimeline(Self.list(0..<5, discontinuities: [3: 1, 4: 1]))
        timeline.use(.zero, in: 0)
        #expect(timeline.offset(ofFrameAt: Self.seconds(6.1), in: 3) == .zero)
    }

    @Test func `discontinuities are found near their times`() {
        let timeline = LiveTimeline(Self.list(0..<5, discontinuities: [3: 1, 4: 1]))
        #expect(timeline.hasDiscontinuities)
        #expect(!LiveTimeline(Self.list(0..<5)).hasDiscontinuities)
        for (time, joint) in [(6.0, 6.0), (5.1, 6), (6.9, 6)] {
            #expect(timeline.discontinuity(near: Self.seconds(time)) == Self.seconds(joint))
        }
        for time in [0, 4.9, 7.1, 100] {
            #expect(timeline.discontinuity(near: Self.seconds(time)) == nil)
        }
    }

    // MARK: - Other playlists

    @Test func `in the playlist of a rendition, segments are found by time and discontinuity`() {
        let timeline = LiveTimeline(Self.list(10..<15, discontinuities: [13: 1, 14: 1]))
        var other = Self.list(0..<5, discontinuities: [2: 3, 3: 4, 4: 4])
        for index in 0..<2 { other.segments[index].discontinuity = 3 }
        let durations = [2.9, 2.9, 0.3, 2, 2]
        for index in durations.indices {
            other.segments[index].duration = Self.seconds(durations[index])
        }
        let found = (10..<15).map { timeline.index(of: $0, in: other, isSame: false) }
        #expect(found == [0, 0, 1, 3, 3])
        #expect(timeline.index(of: 13, in: other, isSame: true) == 3)
    }

    @Test func `segments of other playlists are found by date, number or distance`() {
        let timeline = LiveTimeline(Self.list(100..<110, date: 1000))
        // By date, although the numbers differ: segment 104 begins at 1208.
        var dated = Self.list(0..<10)
        for index in dated.segments.indices {
            dated.segments[index].date = 1200.05 + 2 * Double(index)
        }
        #expect(timeline.sequence(like: 104, in: dated) == 4)
        #expect(timeline.shift(of: dated) == 100)
        #expect(timeline.sequence(like: 104, in: Self.list(102..<112)) == 104)
        #expect(timeline.shift(of: Self.list(102..<112)) == 0)
        #expect(timeline.sequence(like: 104, in: Self.list(0..<10)) == 4, "six from the edge")
    }

    @Test func `another variant need not list the newest segment of a low-latency stream yet`() {
        var list = Self.list(100..<110, date: 1000)
        list.include(
            partTarget: Self.seconds(0.5), holdBack: Self.seconds(2),
            incompleteSegment: Self.seconds(0.5))
        var other = Self.list(0..<10)
        for index in other.segments.indices {
            other.segments[index].date = 1200 + 2 * Double(index)
        }
        #expect(LiveTimeline(list).shift(of: other) == 100)
    }

    /// Each opening finds the same dates at other numbers, and then the numbers jump.
    @Test func `numbers of a server that counts at random do not overflow`() {
        let largest = MediaPlaylist.largestSequence
        var list = Self.list(0..<3, date: 1000)
        var timeline = LiveTimeline(list)
        for _ in 0..<40 {
            list.firstSequence = 0
            let shift = timeline.shift(of: list)
            for raw in [0, largest] {
                list.firstSequence = raw + shift
                timeline.update(list)
                #expect(timeline.endSequence <= 2 * largest + 3)
            }
        }
    }
}
