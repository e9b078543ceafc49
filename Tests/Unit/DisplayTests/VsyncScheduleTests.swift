// SPDX-License-Identifier: Apache-2.0

import PlayheadDisplay
import PlayheadTime
import Testing

@Suite struct VsyncScheduleTests {
    @Test func `vsync 60,000 at 60000/1001 Hz is at 1001 s to the last digit`() {
        let schedule = VsyncSchedule(vsyncs: 60_000, inSeconds: 1001)
        #expect(schedule.time(of: 60_000) == MediaTime(value: 1001, timescale: 1))
        #expect(schedule.time(of: -1) == MediaTime(value: -1001, timescale: 60_000))
    }

    @Test(arguments: [Int32(24), 60, 144, 360])
    func `a schedule finds the last vsync that is not after a time`(rate: Int32) {
        let schedule = VsyncSchedule(vsyncs: rate * 1000, inSeconds: 1001)
        var generator = Generator(seed: UInt64(rate))
        for _ in 0..<1000 {
            let time = MediaTime(
                nanoseconds: .random(in: -1_000_000_000_000...1_000_000_000_000, using: &generator))
            let sequence = schedule.sequence(atOrBefore: time)
            #expect(schedule.time(of: sequence) <= time)
            #expect(schedule.time(of: sequence + 1) > time)
            #expect(schedule.sequence(atOrBefore: schedule.time(of: sequence)) == sequence)
        }
    }
}
