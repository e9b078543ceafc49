// SPDX-License-Identifier: Apache-2.0

import PlayheadDisplay
import PlayheadTime
import Testing

@Suite struct SimulatedDisplayTests {
    @Test func `waiting moves the driven clock exactly from vsync to vsync`() throws {
        let clock = ManualClock(time: MediaTime(value: 10, timescale: 1))
        let schedule = VsyncSchedule(vsyncs: 24_000, inSeconds: 1001)
        let display = SimulatedDisplay(schedule: schedule, driving: clock)
        let first = try #require(display.waitForVsync())
        #expect(first.hostTime > MediaTime(value: 10, timescale: 1))
        #expect(first.source == .simulated)
        for n in 1...100 {
            let event = try #require(display.waitForVsync())
            #expect(event.sequence == first.sequence + Int64(n))
            #expect(event.hostTime == schedule.time(of: event.sequence))
            #expect(clock.time.nanoseconds == event.hostTime.nanoseconds)
        }
    }

    @Test func `the last passed vsync is reported at once, and earlier ones never`() throws {
        let clock = ManualClock(time: MediaTime(value: 1, timescale: 1))
        let display = SimulatedDisplay(schedule: VsyncSchedule(vsyncs: 50), driving: clock)
        let first = try #require(display.waitForVsync())
        clock.advance(by: MediaTime(value: 50, timescale: 1000))
        let late = try #require(display.waitForVsync())
        #expect(late.sequence == first.sequence + 2)
        #expect(late.hostTime < clock.time)
        #expect(try #require(display.waitForVsync()).sequence == first.sequence + 3)
    }

    @Test func `the same seed gives the same faults, within their bounds`() throws {
        let jitter = MediaTime(value: 1, timescale: 1000)
        let faults = SimulatedDisplay.Faults(jitter: jitter, missed: 0.25, seed: 7)
        let schedule = VsyncSchedule(vsyncs: 60)
        let displays = (0..<2).map { _ in
            SimulatedDisplay(schedule: schedule, driving: ManualClock(), faults: faults)
        }
        #expect(displays[0].schedule == nil)
        var skipped: Int64 = 0
        var last: Int64 = 0
        for _ in 0..<1000 {
            let event = try #require(displays[0].waitForVsync())
            #expect(displays[1].waitForVsync() == event)
            #expect((event.hostTime - schedule.time(of: event.sequence)).magnitude <= jitter)
            skipped += event.sequence - last - 1
            last = event.sequence
        }
        #expect((250...420).contains(skipped))
    }

    @Test func `a display in real time reports no vsync before it comes`() throws {
        let display = SimulatedDisplay(schedule: VsyncSchedule(vsyncs: 1000))
        for _ in 0..<20 {
            let event = try #require(display.waitForVsync())
            #expect(event.source == .timer)
            #expect(HostClock.shared.time >= event.hostTime)
        }
    }

    @Test func `a stopped display reports nothing more`() {
        let display = SimulatedDisplay(schedule: VsyncSchedule(vsyncs: 60), driving: ManualClock())
        display.stop()
        #expect(display.waitForVsync() == nil)
    }
}
