// SPDX-License-Identifier: Apache-2.0

import PlayheadDisplay
import PlayheadTime
import Testing

@Suite struct PresentedVsyncsTests {
    private static let second: Int64 = 1_000_000_000
    private static let nominal: Int64 = 16_666_667

    /// A display, and what the link's thread sees of it: it looks at the predicted times, and a
    /// frame is presented at some of the vsyncs.
    private struct Display {
        var vsyncs = PresentedVsyncs(nominalPeriod: nominal)
        var now: Int64 = 5 * second
        var period: Int64
        var refresh: Int64
        var jitter: Int64 = 20_000
        private var next: Int64 = 5 * second + 3_000_000
        private var generator = Generator(seed: 7)

        init(period: Int64, refresh: Int64? = nil) {
            (self.period, self.refresh) = (period, refresh ?? period)
        }

        /// Returns the vsyncs that are returned within a duration.
        mutating func run(for duration: Int64, presents: Bool = true) -> [VsyncEvent] {
            var events: [VsyncEvent] = []
            let end = now + duration
            while now < end {
                now = min(end, max(now + 1000, vsyncs.nextVsync(after: now)))
                while next <= now {
                    if presents {
                        let time = next + .random(in: 0...jitter, using: &generator)
                        vsyncs.add(presentedAt: time, refresh: refresh)
                    }
                    next += period
                }
                if let event = vsyncs.takeVsync(at: now) { events.append(event) }
            }
            return events
        }

        /// The distance of a time to the nearest vsync.
        func error(of event: VsyncEvent) -> Int64 {
            let since = ((event.hostTime.nanoseconds ?? 0) - next) % period
            return min(abs(since), period - abs(since))
        }
    }

    @Test(arguments: [60.0, 75, 144, 59.94])
    func `vsyncs have the phase and the rate of the presented frames`(_ rate: Double) {
        let period = Int64(1e9 / rate)
        var display = Display(period: period)
        _ = display.run(for: Self.second)
        let events = display.run(for: 10 * Self.second)
        #expect(abs(events.count - Int(rate * 10)) <= 1)
        #expect(events.allSatisfy { $0.source == .waylandPresentation })
        #expect(events.allSatisfy { display.error(of: $0) < 100_000 })
        #expect(zip(events, events.dropFirst()).allSatisfy { $0.sequence + 1 == $1.sequence })
    }

    @Test func `before the first frame a timer runs at the nominal rate`() {
        var display = Display(period: Self.nominal)
        let events = display.run(for: Self.second, presents: false)
        #expect(abs(events.count - 60) <= 1)
        #expect(events.allSatisfy { $0.source == .timer })
        #expect(events.map(\.sequence) == Array(1...Int64(events.count)))
    }

    @Test func `while no frame is drawn, vsyncs continue on the display's line`() {
        var display = Display(period: 13_333_333)
        _ = display.run(for: 5 * Self.second)
        let events = display.run(for: 5 * Self.second, presents: false)
        #expect(abs(events.count - 375) <= 1)
        #expect(events.allSatisfy { $0.source == .waylandPresentation })
        #expect(events.allSatisfy { display.error(of: $0) < 300_000 })
        // After a long time the line is only a guess.
        #expect(display.run(for: 10 * Self.second, presents: false).last?.source == .timer)
    }

    @Test func `another display starts another line, and the numbers continue`() throws {
        var display = Display(period: Self.nominal)
        let before = try #require(display.run(for: 2 * Self.second).last)
        display.period = 6_944_444
        display.refresh = 6_944_444
        let change = display.run(for: Self.second)
        #expect(try #require(change.first).sequence == before.sequence + 1)
        let events = display.run(for: 2 * Self.second)
        #expect(abs(events.count - 288) <= 2)
        #expect(events.allSatisfy { display.error(of: $0) < 100_000 })
        let sequences = (change + events).map(\.sequence)
        #expect(zip(sequences, sequences.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func `a display without a constant rate is followed at the nominal one`() {
        var display = Display(period: Self.nominal, refresh: 0)
        _ = display.run(for: Self.second)
        #expect(abs(display.run(for: Self.second).count - 60) <= 1)
    }

    @Test(arguments: [1_000_000, 3_000_000, 8_000_000])
    func `a display that shows frames as soon as they are swapped does not slow down the vsyncs`(
        _ delay: Int64
    ) {
        var vsyncs = PresentedVsyncs(nominalPeriod: Self.nominal)
        var generator = Generator(seed: 11)
        var now = 5 * Self.second
        var events: [(event: VsyncEvent, shown: Int64)] = []
        var shown: Int64?
        while now < 15 * Self.second {
            now = max(now + 1000, vsyncs.nextVsync(after: now))
            let last = shown
            if let last { vsyncs.add(presentedAt: last, refresh: 0) }
            guard let event = vsyncs.takeVsync(at: now) else { continue }
            if let last { events.append((event, last)) }
            shown = now + delay + .random(in: 0...200_000, using: &generator)
        }
        #expect(abs(events.count - 600) <= 1)
        let sequences = events.map(\.event.sequence)
        #expect(zip(sequences, sequences.dropFirst()).allSatisfy { $0 + 1 == $1 })
        // The vsync is the time at which the frame of the tick before became visible.
        for (event, shown) in events.dropFirst(60) {
            #expect(event.source == .waylandPresentation)
            #expect(abs((event.hostTime.nanoseconds ?? 0) - shown) < 300_000)
        }
    }

    @Test func `the ticks of a display without a constant rate follow the nominal rate`() {
        var display = Display(period: Self.nominal, refresh: 0)
        _ = display.run(for: 100 * Self.second)
        display.vsyncs.nominalPeriod = 13_333_333
        let fast = display.run(for: Self.second)
        #expect(abs(fast.count - 75) <= 1)
        display.vsyncs.nominalPeriod = Self.nominal
        let slow = display.run(for: Self.second)
        #expect(abs(slow.count - 60) <= 1)
        let sequences = (fast + slow).map(\.sequence)
        #expect(zip(sequences, sequences.dropFirst()).allSatisfy { $0 < $1 })
    }
}
