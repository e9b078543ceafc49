// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// The dates of a timeline whose segments move.
@Suite struct SegmentDatesTests {
    private typealias Segment = LiveTimeline.Segment

    private static func seconds(_ value: Double) -> MediaTime {
        MediaTime(value: Int64((value * 1e6).rounded()), timescale: 1_000_000)
    }

    /// Returns the dates of segments, determined from all of them.
    private static func dates(_ segments: [Segment]) -> TimelineDates {
        var dates = TimelineDates()
        var begin = 0
        while begin < segments.count {
            let number = segments[begin].discontinuity
            let end = segments[begin...].firstIndex { $0.discontinuity != number }
            let group = begin..<(end ?? segments.count)
            begin = group.upperBound
            guard let dated = group.first(where: { segments[$0].date != nil }),
                let date = segments[dated].date
            else { continue }
            for index in group {
                let segment = segments[index]
                let next = index + 1 < segments.count ? segments[index + 1].start : segment.end
                let distance = (segment.start - segments[dated].start).seconds
                dates.append(
                    TimelineDates.Span(
                        range: MediaTimeRange(start: segment.start, end: max(next, segment.start)),
                        date: segment.date ?? date + distance))
            }
        }
        return dates
    }

    /// Returns segments of which some have dates, with discontinuities, and with dates that are not
    /// exact, or not in order.
    private static func segments(_ count: Int, _ random: inout SplitMix64) -> [Segment] {
        var (start, number) = (MediaTime.zero, Int64(3))
        var date = [nil, 1_000_000.0].randomElement(using: &random) ?? nil
        let (durations, roundings): ([Double], [Double]) = ([0, 1, 2, 2.002], [0, 0, 0.0004, 0.5])
        return (0..<count).map { _ in
            if Int.random(in: 0..<8, using: &random) == 0 {
                number += 1
                date = Bool.random(using: &random) ? nil : Double(number) * 1000
            } else if date == nil, Int.random(in: 0..<3, using: &random) == 0 {
                date = 2_000_000
            }
            let duration = seconds(durations.randomElement(using: &random) ?? 2)
            let rounding = roundings.randomElement(using: &random) ?? 0
            let segment = Segment(
                start: start, duration: duration, discontinuity: number,
                date: date.map { $0 + rounding })
            start = start + duration
            date = date.map { $0 + duration.seconds }
            return segment
        }
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `dates that are kept while segments move are those of all segments`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var segments = Self.segments(Int.random(in: 1...60, using: &random), &random)
        var dates = SegmentDates(segments)
        #expect(dates.dates == Self.dates(segments))
        let steps: [Double] = [0.0003, -0.0003, 0.002, -0.3, 0.3, 5]
        for _ in 0..<40 {
            let index = Int.random(in: segments.indices, using: &random)
            let step = steps.randomElement(using: &random) ?? 0
            let before = segments
            let count = dates.move(&segments, from: index, by: Self.seconds(step))
            #expect(segments[..<index] == before[..<index])
            #expect(
                zip(segments, before).dropFirst(index).allSatisfy { moved, old in
                    moved.start == old.start + Self.seconds(step)
                })
            #expect(dates.dates == Self.dates(segments), "from \(index) by \(step)")
            #expect(dates == SegmentDates(segments))
            #expect(count <= segments.count)
        }
    }

    @Test func `a keyframe near the end of a long playlist determines the dates after it`() {
        var start = MediaTime.zero
        var segments = (0..<10_000).map { index in
            defer { start = start + Self.seconds(2) }
            return Segment(
                start: start, duration: Self.seconds(2), discontinuity: 0,
                date: 1e9 + 2 * Double(index))
        }
        var dates = SegmentDates(segments)
        for index in [9999, 9990, 9000] {
            let count = dates.move(&segments, from: index, by: Self.seconds(0.0004))
            #expect(count == 10_000 - index + 1)
        }
        #expect(dates.dates == Self.dates(segments))
    }

    @Test func `a timeline has the dates of its segments after playlists and keyframes`() {
        var random = SplitMix64(seed: 7)
        func list(_ range: Range<Int64>) -> MediaPlaylist {
            var list = MediaPlaylist()
            list.firstSequence = range.lowerBound
            list.targetDuration = Self.seconds(2)
            list.segments = range.map { sequence in
                MediaPlaylist.Segment(
                    duration: Self.seconds(2), discontinuity: sequence / 7,
                    date: sequence % 7 < 2 ? nil : 1000 + 2 * Double(sequence))
            }
            return list
        }
        var timeline = LiveTimeline(list(0..<20))
        for step in Int64(0)..<200 {
            let before = timeline
            var hasChanged = true
            switch Int.random(in: 0..<4, using: &random) {
            case 0: timeline.update(list(step / 10..<step / 10 + 20))
            case 1:
                let place = Double.random(in: 5...7, using: &random)
                timeline.anchor(
                    timeline.firstSequence + 3, at: timeline.range.start + Self.seconds(place))
            default:
                let place = Double.random(in: 0...40, using: &random)
                hasChanged = timeline.note(
                    keyframe: timeline.range.start + Self.seconds(place), previous: nil,
                    offset: .zero)
            }
            #expect(timeline.dates == Self.dates(timeline.segments))
            if !hasChanged { #expect(timeline == before) }
        }
        // A keyframe at the beginning of its segment changes nothing when it is read again.
        let place = timeline.segments[4].start
        timeline.note(keyframe: place, previous: nil, offset: .zero)
        let hasChanged = timeline.note(keyframe: place, previous: nil, offset: .zero)
        #expect(!hasChanged)
    }
}
