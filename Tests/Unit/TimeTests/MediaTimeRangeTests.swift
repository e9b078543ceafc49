// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadTime
import Testing

@Suite struct MediaTimeRangeTests {
    private static func seconds(_ start: Int64, _ end: Int64) -> MediaTimeRange {
        MediaTimeRange(start: at(start), end: at(end))
    }

    private static func at(_ seconds: Int64) -> MediaTime {
        MediaTime(value: seconds, timescale: 1)
    }

    /// Small ranges in quarters of a second, so that they meet, touch, nest and are empty.
    private static let ranges: [MediaTimeRange] = {
        var random = SplitMix64(seed: 9)
        return (0..<30).map { _ in
            let start = Int64.random(in: -8...8, using: &random)
            let length = Int64.random(in: 0...8, using: &random)
            return MediaTimeRange(
                start: MediaTime(value: start, timescale: 4),
                duration: MediaTime(value: length * 3, timescale: 12))
        }
    }()

    private static let instants = (-40...40).map { MediaTime(value: Int64($0), timescale: 8) }

    @Test func `a time is in an intersection exactly if it is in both ranges`() {
        for a in Self.ranges {
            for b in Self.ranges {
                let both = a.intersection(b)
                #expect(both == b.intersection(a))
                let isRight = Self.instants.allSatisfy {
                    both.contains($0) == (a.contains($0) && b.contains($0))
                }
                #expect(isRight, "\(a), \(b): \(both)")
            }
        }
    }

    @Test func `a union is the smallest range that contains both`() {
        for a in Self.ranges {
            for b in Self.ranges {
                let union = a.union(b)
                #expect(union == b.union(a) || (a.isEmpty && b.isEmpty))
                if !a.isEmpty { #expect(union.contains(a)) }
                if !b.isEmpty { #expect(union.contains(b)) }
                if !a.isEmpty, !b.isEmpty {
                    #expect(union.start == min(a.start, b.start) && union.end == max(a.end, b.end))
                }
            }
        }
    }

    @Test func `a range from minus infinity is all of time or invalid`() {
        #expect(MediaTimeRange(start: .negativeInfinity, end: Self.at(5)) == .invalid)
        #expect(MediaTimeRange(start: .negativeInfinity, end: .positiveInfinity) == .all)
        #expect(MediaTimeRange.all.intersection(Self.seconds(1, 3)) == Self.seconds(1, 3))
        #expect(MediaTimeRange.all.union(Self.seconds(1, 3)) == .all)
    }

    @Test func `a range excludes its end, and an empty one contains nothing`() {
        for range in Self.ranges {
            #expect(!range.contains(range.end))
            #expect(range.contains(range.start) == !range.isEmpty)
            #expect(range.contains(range))
        }
        #expect(MediaTimeRange.zero.isEmpty && !MediaTimeRange.invalid.isEmpty)
        #expect(!MediaTimeRange.zero.contains(MediaTime.zero))
    }

    @Test func `ranges without end contain all later times, and infinite ones all times`() {
        let live = MediaTimeRange(start: Self.at(3), duration: .indefinite)
        #expect(live.isValid && live.isIndefinite && live.contains(Self.at(1 << 40)))
        #expect(!live.contains(Self.at(2)) && !live.contains(.indefinite))
        #expect(live.intersection(Self.seconds(0, 5)) == Self.seconds(3, 5))
        #expect(live.union(Self.seconds(0, 5)).start == .zero)
        #expect(live.union(Self.seconds(0, 5)).duration == .indefinite)
        #expect(MediaTimeRange.all.contains(Self.at(-9)) && MediaTimeRange.all.isValid)
        #expect(MediaTimeRange.all.intersection(Self.seconds(1, 2)) == Self.seconds(1, 2))
        #expect(MediaTimeRange.all.union(Self.seconds(1, 2)) == .all)
        let rest = MediaTimeRange(start: Self.at(1), duration: .positiveInfinity)
        #expect(rest.contains(Self.seconds(4, 9)) && rest.end == .positiveInfinity)
    }

    @Test func `ranges are invalid if their duration is negative or has an epoch`() {
        #expect(!Self.seconds(3, 2).isValid && !MediaTimeRange.invalid.isValid)
        let odd = MediaTimeRange(
            start: .zero, duration: MediaTime(value: 1, timescale: 1, epoch: 1))
        #expect(!odd.isValid && !odd.contains(MediaTime.zero))
        #expect(!MediaTimeRange.invalid.union(Self.seconds(0, 1)).isValid)
        #expect(!Self.seconds(0, 1).intersection(.invalid).isValid)
    }

    @Test func `ranges of different epochs have neither union nor intersection`() {
        let later = MediaTimeRange(
            start: MediaTime(value: 0, timescale: 1, epoch: 1), duration: Self.at(5))
        #expect(later.isValid && later.end.epoch == 1)
        #expect(!later.union(Self.seconds(0, 5)).isValid)
        #expect(!later.intersection(Self.seconds(0, 5)).isValid)
        #expect(!later.contains(Self.at(2)))
        #expect(later.contains(MediaTime(value: 2, timescale: 1, epoch: 1)))
    }

    @Test func `clamping moves only times outside, to the nearer end`() {
        for range in Self.ranges where !range.isEmpty {
            for time in Self.instants {
                let clamped = time.clamped(to: range)
                #expect(clamped >= range.start && clamped <= range.end)
                if range.contains(time) { #expect(clamped == time) }
                if time < range.start { #expect(clamped == range.start) }
                if time > range.end { #expect(clamped == range.end) }
            }
        }
        #expect(Self.at(1).clamped(to: .zero) == .invalid)
        #expect(MediaTime.invalid.clamped(to: Self.seconds(0, 1)) == .invalid)
        #expect(MediaTime.positiveInfinity.clamped(to: Self.seconds(0, 1)) == Self.at(1))
    }

    @Test func `a folded time is in the range, whole durations away`() {
        var random = SplitMix64(seed: 10)
        for _ in 0..<2000 {
            let range = MediaTimeRange(
                start: Self.moderate(&random), duration: Self.moderate(&random).magnitude)
            let time = Self.moderate(&random)
            guard !range.isEmpty else { continue }
            let folded = time.folded(into: range)
            #expect(range.contains(folded), "\(time) into \(range): \(folded)")
            let exact = BigRational(folded)
            if !folded.hasBeenRounded {
                let turns = (BigRational(time) - exact) / BigRational(range.duration)
                #expect(turns.isWhole, "\(time) into \(range): \(folded)")
            }
        }
    }

    /// Returns a time within 35 years at any timescale.
    private static func moderate(_ random: inout SplitMix64) -> MediaTime {
        let timescale = random.nextTimescale()
        let units = Int64.random(in: -(1 << 30)...(1 << 30), using: &random) * Int64(timescale)
        let rest = Int64.random(in: 0..<Int64(timescale), using: &random)
        return MediaTime(value: units + rest, timescale: timescale)
    }

    @Test func `folding gives the times of a loop, forwards and backwards`() {
        let range = MediaTimeRange(
            start: MediaTime(value: 1, timescale: 3), duration: MediaTime(value: 2, timescale: 5))
        #expect(MediaTime.zero.folded(into: range) == MediaTime(value: 6, timescale: 15))
        #expect(
            MediaTime(value: -7, timescale: 11).folded(into: range)
                == MediaTime(value: 93, timescale: 165))
        #expect(range.end.folded(into: range) == range.start)
        #expect(Self.at(25).folded(into: Self.seconds(0, 10)) == Self.at(5))
        #expect(Self.at(25).folded(into: .zero) == .invalid)
        let endless = MediaTimeRange(start: Self.at(2), duration: .positiveInfinity)
        #expect(Self.at(25).folded(into: endless) == Self.at(25))
        #expect(Self.at(1).folded(into: endless) == .invalid)
        #expect(MediaTime.indefinite.folded(into: range) == .invalid)
    }

    @Test func `a mapping maps start to start and end to end, and is exactly linear between`() {
        var random = SplitMix64(seed: 11)
        for _ in 0..<2000 {
            let source = MediaTimeRange(
                start: MediaTime(
                    value: Int64.random(in: -(1 << 40)...(1 << 40), using: &random),
                    timescale: 90000),
                duration: MediaTime(
                    value: Int64.random(in: 1...(1 << 40), using: &random), timescale: 48000))
            let target = MediaTimeRange(
                start: MediaTime(
                    value: Int64.random(in: -(1 << 40)...(1 << 40), using: &random),
                    timescale: 30000),
                duration: MediaTime(
                    value: Int64.random(in: 1...(1 << 40), using: &random), timescale: 600))
            #expect(source.start.mapped(from: source, to: target) == target.start)
            #expect(source.end.mapped(from: source, to: target) == target.end)
            let time = MediaTime(
                value: Int64.random(in: -(1 << 40)...(1 << 40), using: &random), timescale: 90000)
            let duration = time - source.start
            expectFaithful(
                duration.durationMapped(from: source, to: target),
                BigRational(duration) * BigRational(target.duration)
                    / BigRational(source.duration), "\(duration) from \(source) to \(target)")
            let mapped = time.mapped(from: source, to: target)
            #expect(
                mapped == duration.durationMapped(from: source, to: target) + target.start)
        }
    }

    @Test func `mapping is invalid for empty ranges and other epochs, and shifts endless ones`() {
        let (source, target) = (Self.seconds(1, 3), Self.seconds(10, 14))
        #expect(Self.at(2).mapped(from: source, to: target) == Self.at(12))
        #expect(Self.at(0).mapped(from: source, to: target) == Self.at(8))
        #expect(Self.at(1).durationMapped(from: source, to: target) == Self.at(2))
        #expect(Self.at(2).mapped(from: .zero, to: target) == .invalid)
        #expect(Self.at(2).mapped(from: source, to: .zero) == .invalid)
        let other = MediaTime(value: 2, timescale: 1, epoch: 1)
        #expect(other.mapped(from: source, to: target) == .invalid)
        #expect(other.durationMapped(from: source, to: target) == .invalid)
        let endless = [1, 10].map {
            MediaTimeRange(start: Self.at($0), duration: .positiveInfinity)
        }
        #expect(Self.at(5).mapped(from: endless[0], to: endless[1]) == Self.at(14))
        #expect(Self.at(5).mapped(from: endless[0], to: target) == .invalid)
    }

    @Test
    func `an edit has the rate at which its source fits, and an empty one has no source times`() {
        let edit = MediaTimeMapping(source: Self.seconds(1, 5), target: Self.seconds(10, 12))
        #expect(edit.isValid && !edit.isEmpty && edit.rate == 2)
        #expect(edit.sourceTime(atTargetTime: Self.at(11)) == Self.at(3))
        #expect(edit.targetTime(atSourceTime: Self.at(3)) == Self.at(11))
        #expect(edit.sourceTime(atTargetTime: Self.at(12)) == .invalid)
        let empty = MediaTimeMapping.empty(target: Self.seconds(0, 4))
        #expect(empty.isValid && empty.isEmpty && empty.rate == 0)
        #expect(empty.sourceTime(atTargetTime: Self.at(1)) == .invalid)
        #expect(empty.targetTime(atSourceTime: Self.at(1)) == .invalid)
        let still = MediaTimeMapping(source: Self.seconds(7, 7), target: Self.seconds(0, 4))
        #expect(still.rate == 0 && still.sourceTime(atTargetTime: Self.at(3)) == Self.at(7))
        #expect(!MediaTimeMapping.invalid.isValid && !MediaTimeMapping.invalid.isEmpty)
        #expect(MediaTimeMapping.invalid.rate.isNaN)
    }
}
