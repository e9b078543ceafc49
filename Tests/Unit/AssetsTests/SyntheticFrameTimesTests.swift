// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime
import Testing

@Suite struct SyntheticFrameTimesTests {
    @Test(arguments: [(1, 24), (1001, 24000), (1001, 30000), (1, 50), (1001, 60000), (1, 144)])
    func `the frame at a frame's time is that frame`(value: Int64, timescale: Int32) {
        let duration = MediaTime(value: value, timescale: timescale)
        let times = SyntheticFrameTimes(frameDuration: duration, count: 500)
        let nanosecond = MediaTime(value: 1, timescale: 1_000_000_000)
        for index in 0..<500 {
            let time = times.time(of: index)
            #expect(times.index(at: time) == index)
            #expect(times.index(at: time + nanosecond) == index)
            #expect(times.index(at: time - nanosecond) == (index == 0 ? nil : index - 1))
        }
        #expect(times.index(at: times.end) == nil)
    }

    @Test func `a duration holds the frames that begin in it`() {
        let second = MediaTime(value: 1, timescale: 1)
        #expect(SyntheticFrameTimes(framesPerSecond: 30, duration: second).count == 30)
        let film = MediaTime(value: 1001, timescale: 24000)
        #expect(SyntheticFrameTimes(frameDuration: film, duration: second).count == 24)
        #expect(SyntheticFrameTimes(frameDuration: second, duration: film).count == 1)
        #expect(SyntheticFrameTimes(framesPerSecond: 30, duration: .zero).count == 0)
    }
}
