// SPDX-License-Identifier: Apache-2.0

import PlayheadDisplay
import PlayheadThreads
import PlayheadTime
import Testing

@Suite struct DisplayLinkTests {
    /// Runs a link on a driven clock until it has called back `count` times.
    func ticks(
        _ count: Int, clock: ManualClock = ManualClock(), faults: SimulatedDisplay.Faults = .none,
        framesPerSecond: Double = 0, during: @escaping @Sendable (DisplayTick) -> Void = { _ in }
    ) -> [DisplayTick] {
        let display = SimulatedDisplay(
            schedule: VsyncSchedule(vsyncs: 60), driving: clock, faults: faults)
        let seen = Monitor<[DisplayTick]>([])
        let link = DisplayLink(source: display) { tick in
            during(tick)
            seen.change { if $0.count < count { $0.append(tick) } }
        }
        link.preferredFramesPerSecond = framesPerSecond
        link.isPaused = false
        defer { link.invalidate() }
        return seen.wait { $0.count == count ? $0 : nil }
    }

    @Test func `a link calls back once per vsync, exactly on schedule`() {
        let ticks = ticks(100)
        let period = MediaTime(value: 1, timescale: 60)
        for (last, tick) in zip(ticks, ticks.dropFirst()) {
            #expect(tick.sequence == last.sequence + 1)
            #expect(tick.timestamp == last.targetTimestamp)
            #expect(tick.targetTimestamp == tick.timestamp + period)
            #expect(tick.duration == period)
        }
    }

    @Test func `a slow callback skips vsyncs, visible in the sequence`() {
        let clock = ManualClock()
        let ticks = ticks(50, clock: clock) { _ in
            clock.advance(by: MediaTime(value: 42, timescale: 1000))  // two and a half vsyncs
        }
        for (last, tick) in zip(ticks, ticks.dropFirst()) {
            #expect((2...3).contains(tick.sequence - last.sequence))
            #expect(tick.targetTimestamp > last.targetTimestamp)
        }
        #expect(ticks[49].sequence - ticks[0].sequence == 123)
    }

    @Test func `vsyncs with jitter and gaps give smooth ticks`() {
        let faults = SimulatedDisplay.Faults(
            jitter: MediaTime(value: 6, timescale: 10_000), missed: 0.1, seed: 3)
        let ticks = ticks(1500, faults: faults)
        for (last, tick) in zip(ticks, ticks.dropFirst()).dropFirst(600) {
            let vsyncs = Double(tick.sequence - last.sequence)
            let step = (tick.targetTimestamp - last.targetTimestamp).seconds
            #expect(abs(step - vsyncs / 60) < 8e-6 * vsyncs)
        }
    }

    @Test func `a preferred rate uses every n-th vsync`() {
        let ticks = ticks(20, framesPerSecond: 30)
        for (last, tick) in zip(ticks, ticks.dropFirst()) {
            #expect(tick.sequence == last.sequence + 2)
        }
    }

    @Test func `a link is initially paused, performs closures while paused, and pauses promptly`() {
        let calls = Monitor(0)
        let link = DisplayLink(
            source: SimulatedDisplay(schedule: VsyncSchedule(vsyncs: 60), driving: ManualClock())
        ) { _ in calls.change { $0 += 1 } }
        #expect(link.isPaused)
        #expect(link.performAndWait { calls.withLock { $0 } } == 0)
        link.isPaused = false
        calls.wait { $0 >= 10 ? () : nil }
        link.isPaused = true
        let atPause = link.performAndWait { calls.withLock { $0 } }
        #expect(link.performAndWait { calls.withLock { $0 } } == atPause)
        link.isPaused = false
        calls.wait { $0 >= (atPause ?? 0) + 10 ? () : nil }
        link.invalidate()
    }

    @Test func `closures and callbacks run on the link's thread, in order`() async {
        let order = Monitor<[Int]>([])
        let onThread = Monitor<[Bool]>([])
        let box = Monitor<DisplayLink?>(nil)
        let link = DisplayLink(
            source: SimulatedDisplay(schedule: VsyncSchedule(vsyncs: 60), driving: ManualClock())
        ) { _ in
            let isOnThread = box.withLock { $0?.isOnThread } ?? false
            onThread.change { $0.append(isOnThread) }
        }
        box.change { $0 = link }
        #expect(!link.isOnThread)
        for n in 0..<100 { link.perform { order.change { $0.append(n) } } }
        #expect(link.performAndWait { link.isOnThread } == true)
        #expect(link.performAndWait { link.performAndWait { 5 } } == 5)
        #expect(await link.performed { link.isOnThread } == true)
        #expect(order.withLock { $0 } == Array(0..<100))
        link.isPaused = false
        #expect(onThread.wait { $0.count > 3 ? $0 : nil }.allSatisfy { $0 })
        link.invalidate()
        box.change { $0 = nil }
    }

    @Test func `invalidating runs earlier closures and no later ones`() async {
        let ran = Monitor(0)
        let link = DisplayLink(
            source: SimulatedDisplay(schedule: VsyncSchedule(vsyncs: 60), driving: ManualClock())
        ) { _ in }
        for _ in 0..<10 { link.perform { ran.change { $0 += 1 } } }
        link.invalidate()
        link.invalidate()
        #expect(ran.withLock { $0 } == 10)
        #expect(!link.perform {})
        #expect(link.performAndWait { 1 } == nil)
        #expect(await link.performed { 1 } == nil)
    }

    @Test func `a link pauses if its source is stopped from outside`() {
        let display = SimulatedDisplay(schedule: VsyncSchedule(vsyncs: 60), driving: ManualClock())
        let calls = Monitor(0)
        let link = DisplayLink(source: display) { _ in calls.change { $0 += 1 } }
        link.isPaused = false
        calls.wait { $0 > 0 ? () : nil }
        display.stop()
        while !link.isPaused { _ = link.performAndWait {} }
        #expect(link.performAndWait { 3 } == 3)
        link.invalidate()
    }

    @Test func `a released link ends its thread and releases its callback`() {
        final class Token: Sendable {
            let isGone: Monitor<Bool>
            init(_ isGone: Monitor<Bool>) { self.isGone = isGone }
            deinit { isGone.change { $0 = true } }
        }
        let isGone = Monitor(false)
        do {
            let token = Token(isGone)
            let link = DisplayLink(
                source: SimulatedDisplay(
                    schedule: VsyncSchedule(vsyncs: 60), driving: ManualClock())
            ) { [token] _ in withExtendedLifetime(token) {} }
            link.isPaused = false
        }
        isGone.wait { $0 ? () : nil }
    }

    @Test func `a manual link moves its clock to each vsync and over missed ones`() {
        let clock = ManualClock()
        var read: [MediaTime] = []
        let link = ManualDisplayLink(
            clock: clock, schedule: VsyncSchedule(vsyncs: 60_000, inSeconds: 1001)
        ) { _ in read.append(clock.time) }
        #expect(link.tick().sequence == 0)
        #expect(link.tick().targetTimestamp == MediaTime(value: 2002, timescale: 60_000))
        #expect(link.tick(missing: 3).sequence == 5)
        #expect(read.count == 3)
        #expect(read[2].nanoseconds == MediaTime(value: 5005, timescale: 60_000).nanoseconds)
        let odd = link.tick(
            at: MediaTime(value: 1, timescale: 10), target: MediaTime(value: 11, timescale: 100))
        #expect(odd.duration == MediaTime(value: 1, timescale: 100))
        #expect(odd.sequence == 6)
    }

    @Test func `a manual link continues with another schedule`() {
        let clock = ManualClock()
        var times: [MediaTime] = []
        let link = ManualDisplayLink(clock: clock, schedule: VsyncSchedule(vsyncs: 60)) { tick in
            times.append(tick.timestamp)
            #expect(tick.timestamp.nanoseconds == clock.time.nanoseconds)
        }
        var sequences: [Int64] = []
        for rate in [60, 24, 120] as [Int32] {
            link.schedule = VsyncSchedule(vsyncs: rate)
            for _ in 0..<10 { sequences.append(link.tick().sequence) }
        }
        #expect(sequences == Array(0..<30))
        let steps = zip(times, times.dropFirst()).map { ($1 - $0).seconds }
        // When one schedule follows another, its next vsync comes after less than a whole period.
        for (range, rate) in [(0..<9, 60.0), (10..<19, 24), (20..<29, 120)] {
            #expect(steps[range].allSatisfy { abs($0 - 1 / rate) < 1e-9 }, "\(rate)")
        }
        for (index, rate) in [(9, 24.0), (19, 120)] {
            #expect(steps[index] > 0 && steps[index] <= 1 / rate + 1e-9)
        }
    }

    @Test(arguments: [1e-20, 1e300, .infinity])
    func `extreme preferred rates are accepted`(rate: Double) {
        let display = SimulatedDisplay(schedule: VsyncSchedule(vsyncs: 60))
        let count = Monitor(0)
        let link = DisplayLink(source: display) { _ in count.change { $0 += 1 } }
        link.preferredFramesPerSecond = rate
        link.isPaused = false
        if rate > 1 { count.wait { $0 > 1 ? () : nil } }
        link.invalidate()
    }
}
