// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// The delivery of timed metadata as a value, and the list of what has been read.
@Suite struct MetadataScheduleTests {
    private static func time(_ tenths: Int) -> MediaTime {
        MediaTime(value: Int64(tenths), timescale: 10)
    }

    private static func group(
        _ start: Int, _ name: String, duration: Int? = 0, track: Int? = 1
    ) -> TimedMetadata {
        TimedMetadata(
            trackID: track,
            timeRange: MediaTimeRange(
                start: time(start), duration: duration.map { time($0) } ?? .positiveInfinity),
            items: [MetadataItem(keySpace: .id3, key: "TIT2", value: .text(name))])
    }

    private static func names(_ entries: [MetadataTimeline.Entry]) -> [String] {
        entries.map { $0.group.items[0].stringValue ?? "" }
    }

    /// The names that are delivered, and the time of the next call.
    private struct Delivery: Equatable {
        var names: [String]
        var wake: MediaTime?

        init(_ names: [String], _ wake: MediaTime?) { (self.names, self.wake) = (names, wake) }
    }

    /// A schedule, and what has been read for it.
    private final class Stage {
        var schedule = MetadataSchedule()
        var timeline: MetadataTimeline

        init(_ groups: [TimedMetadata] = [], timeline: MetadataTimeline = MetadataTimeline()) {
            self.timeline = timeline
            for group in groups { add(group) }
        }

        @discardableResult
        func add(_ group: TimedMetadata) -> Bool { timeline.add(group) }

        private var generation = 0

        func flush() -> [MetadataSchedule.Action] {
            generation += 1
            return schedule.handle(.flushed(generation: generation), timeline)
        }

        func deliver(at tenths: Int, rate: Double = 1) -> Delivery {
            var result = Delivery([], nil)
            let time = MetadataScheduleTests.time(tenths)
            for action in schedule.handle(
                .moved(to: time, rate: rate, generation: generation), timeline)
            {
                switch action {
                case .deliver(let entries): result.names += MetadataScheduleTests.names(entries)
                case .wake(let time): result.wake = time
                case .flush: Issue.record("a flush without a seek")
                }
            }
            return result
        }
    }

    @Test func `each group is delivered once, at its time`() {
        let stage = Stage([
            Self.group(30, "c"), Self.group(10, "a"), Self.group(20, "b"), Self.group(20, "B"),
        ])
        #expect(stage.deliver(at: 0) == Delivery([], Self.time(10)))
        #expect(stage.deliver(at: 10) == Delivery(["a"], Self.time(20)))
        #expect(stage.deliver(at: 10) == Delivery([], Self.time(20)))
        #expect(stage.deliver(at: 25) == Delivery(["b", "B"], Self.time(30)))
        #expect(stage.deliver(at: 40) == Delivery(["c"], nil))
    }

    @Test func `groups are delivered earlier by the interval, in seconds of playback`() {
        let stage = Stage([Self.group(30, "a"), Self.group(60, "b")])
        stage.schedule.advance = Self.time(10)
        #expect(stage.deliver(at: 0) == Delivery([], Self.time(20)))
        #expect(stage.deliver(at: 20) == Delivery(["a"], Self.time(50)))
        #expect(stage.deliver(at: 30, rate: 2) == Delivery([], Self.time(40)))
        #expect(stage.deliver(at: 40, rate: 2) == Delivery(["b"], nil))
    }

    @Test(arguments: [1.1, 1.0 / 3, 0.37, 3.7])
    func `the next call is always later than the present one`(rate: Double) {
        let stage = Stage()
        for index in 0..<200 { stage.add(Self.group(index, "\(index)")) }
        stage.schedule.advance = MediaTime(value: 1001, timescale: 30_000)
        var time = MediaTime(value: 1, timescale: 44_100)
        var count = 0
        for _ in 0..<500 {
            var next: MediaTime?
            for action in stage.schedule.handle(
                .moved(to: time, rate: rate, generation: 0), stage.timeline)
            {
                switch action {
                case .deliver(let entries): count += entries.count
                case .wake(let time): next = time
                case .flush: Issue.record("a flush without a seek")
                }
            }
            guard let due = next else { break }
            #expect(due > time)
            time = due
        }
        #expect(count == 199)
    }

    @Test func `a paused item delivers what is due and asks for no further call`() {
        let stage = Stage([Self.group(0, "a"), Self.group(5, "b")])
        stage.schedule.advance = Self.time(10)
        #expect(stage.deliver(at: 0, rate: 0) == Delivery(["a"], nil))
        #expect(stage.deliver(at: 0) == Delivery(["b"], nil))
    }

    @Test func `after a seek, only what spans the time or follows is delivered`() {
        let stage = Stage([
            Self.group(10, "moment"), Self.group(10, "long", duration: 20),
            Self.group(15, "over", duration: 5), Self.group(20, "there"),
            Self.group(12, "open", duration: nil, track: 2), Self.group(30, "later"),
        ])
        #expect(stage.deliver(at: 0).names == [])
        #expect(stage.flush() == [.flush, .wake(at: nil)])
        #expect(stage.deliver(at: 20).names == ["long", "open", "there"])
        #expect(stage.deliver(at: 30).names == ["later"])
        // The landing may be known before the beginning.
        let landed = stage.schedule.handle(
            .moved(to: Self.time(40), rate: 1, generation: 2), stage.timeline)
        #expect(landed.first == .flush)
        #expect(stage.flush().isEmpty)
        _ = stage.flush()
        #expect(
            stage.deliver(at: 10).names == ["moment", "long"])
    }

    @Test func `nothing is delivered in reverse, and a group that is read late at once`() {
        let stage = Stage([Self.group(10, "a")])
        #expect(stage.deliver(at: 20, rate: -1) == Delivery([], nil))
        #expect(stage.deliver(at: 5).names == [])
        #expect(stage.deliver(at: 30).names == ["a"])
        stage.add(Self.group(20, "late"))
        #expect(stage.deliver(at: 31).names == ["late"])
        stage.add(Self.group(4, "before it began"))
        #expect(stage.deliver(at: 32).names == [])
    }

    // MARK: - What has been read

    @Test func `a group that is read twice is kept once`() {
        let stage = Stage()
        #expect(stage.add(Self.group(10, "a")))
        #expect(!stage.add(Self.group(10, "a")))
        #expect(stage.add(Self.group(10, "a", track: 2)))
        #expect(stage.add(Self.group(11, "a")))
        #expect(stage.timeline.entries.count == 3)
    }

    @Test(arguments: [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
    func `a group without an end applies until the next one of its track`(order: [Int]) {
        let groups = [
            Self.group(10, "a", duration: nil, track: nil),
            Self.group(20, "b", duration: nil, track: nil),
            Self.group(15, "other", duration: nil, track: 4),
        ]
        let stage = Stage(order.map { groups[$0] })
        #expect(
            stage.timeline.entries.map(\.start) == [Self.time(10), Self.time(15), Self.time(20)])
        #expect(
            stage.timeline.entries.map(\.end) == [
                Self.time(20), .positiveInfinity, .positiveInfinity,
            ])
    }

    @Test func `the list is bounded, and forgets what is far behind`() {
        let stage = Stage(timeline: MetadataTimeline(countLimit: 100, byteLimit: 1 << 20))
        for index in 0..<5000 { stage.add(Self.group(0, "\(index)")) }
        #expect(stage.timeline.entries.count == 100)
        stage.timeline.forget(before: Self.time(50))
        #expect(stage.timeline.entries.count == 100)
        stage.timeline.forget(before: Self.time(101))
        #expect(stage.timeline.entries.isEmpty)
        let large = String(repeating: "x", count: 1 << 18)
        for index in 0..<100 { stage.add(Self.group(index, large)) }
        #expect(stage.timeline.entries.count == 3)
    }

    @Test func `times that are no times are refused`() {
        let stage = Stage()
        let wrong: [MediaTime] = [
            .invalid, .indefinite, .positiveInfinity, .negativeInfinity,
            MediaTime(value: .max, timescale: 1), MediaTime(value: .min + 1, timescale: 1),
        ]
        for time in wrong {
            var group = Self.group(0, "a")
            group.timeRange.start = time
            #expect(!stage.add(group))
        }
        var group = Self.group(0, "a")
        group.timeRange.duration = Self.time(-5)
        #expect(stage.add(group))
        #expect(stage.timeline.entries[0].end == .zero)
    }

    // MARK: - Random histories

    /// The groups that are due. The model looks at each tenth of a second of playback.
    private struct Model {
        var groups: [(start: Int, end: Int, name: String, readAt: Int)] = []
        var advance = 0
        var origin = 0
        var delivered: Set<String> = []

        mutating func due(at time: Int, step: Int) -> Set<String> {
            let due = groups.filter { group in
                group.readAt <= step && group.start - advance <= time
                    && (group.start >= origin || group.end > origin)
                    && !delivered.contains(group.name)
            }
            delivered.formUnion(due.map(\.name))
            return Set(due.map(\.name))
        }
    }

    @Test(arguments: 0..<40)
    func `random histories deliver what a model delivers`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let stage = Stage()
        var model = Model()
        model.advance = Int.random(in: 0...20, using: &random)
        stage.schedule.advance = Self.time(model.advance)
        var (time, step, count) = (0, 0, 0)
        _ = stage.deliver(at: 0)
        for _ in 0..<300 {
            step += 1
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                count += 1
                let start = time + Int.random(in: -30...60, using: &random)
                let duration =
                    Bool.random(using: &random) ? 0 : Int.random(in: 1...40, using: &random)
                let name = "\(count)"
                stage.add(Self.group(start, name, duration: duration))
                model.groups.append((start, start + duration, name, step))
            case 4:
                time = max(0, time + Int.random(in: -50...50, using: &random))
                #expect(stage.flush().first == .flush)
                (model.origin, model.delivered) = (time, [])
            default: time += Int.random(in: 0...15, using: &random)
            }
            let expected = model.due(at: time, step: step)
            let delivery = stage.deliver(at: time)
            #expect(Set(delivery.names) == expected && delivery.names.count == expected.count)
            let next = model.groups.filter { $0.start - model.advance > time }.map(\.start).min()
            #expect(delivery.wake == next.map { Self.time($0 - model.advance) })
        }
    }
}

/// The sets of date ranges that a collector reports.
@Suite struct DateRangeCollectionTests {
    private static func range(_ name: String, end: Double? = nil) -> DateRange {
        DateRange(identifier: name, classifyingLabel: nil, start: 0, end: end, items: [])
    }

    @Test func `new and changed ranges are marked, and nothing is reported twice`() {
        var collection = DateRangeCollection()
        let none = collection.update([])
        #expect(none == nil)
        let first = collection.update([Self.range("a"), Self.range("b")])
        #expect(first?.new == [0, 1] && first?.modified == [])
        let same = collection.update([Self.range("a"), Self.range("b")])
        #expect(same == nil)
        let second = collection.update([Self.range("b", end: 5), Self.range("c")])
        #expect(second?.new == [1] && second?.modified == [0])
        let third = collection.update([Self.range("c")])
        #expect(third?.ranges.count == 1 && third?.new == [] && third?.modified == [])
    }

    @Test(arguments: 0..<20)
    func `random lists are reported as a model reports them`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var collection = DateRangeCollection()
        var known: [DateRange] = []
        for _ in 0..<50 {
            let ranges = (0..<8).filter { _ in Bool.random(using: &random) }.map {
                Self.range("\($0)", end: Double(Int.random(in: 0..<2, using: &random)))
            }
            let change = collection.update(ranges)
            let new = ranges.indices.filter { index in
                !known.contains { $0.identifier == ranges[index].identifier }
            }
            let modified = ranges.indices.filter { index in
                known.contains {
                    $0.identifier == ranges[index].identifier && $0.end != ranges[index].end
                }
            }
            if ranges == known {
                #expect(change == nil)
            } else {
                #expect(change?.new == new && change?.modified == modified)
            }
            known = ranges
        }
    }
}
