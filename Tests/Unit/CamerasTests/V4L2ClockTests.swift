// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PlayheadCameras

/// The host times of frames by the driver's stamps.
@Suite struct V4L2ClockTests {
    /// `V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC`, `…_COPY` and `…_UNKNOWN` of `videodev2.h`.
    private static let (monotonic, copy, unknown): (UInt32, UInt32, UInt32) = (0x2000, 0x4000, 0)

    @Test func `stamps of the monotonic clock are taken as they are`() {
        var clock = V4L2Clock()
        #expect(clock.time(stamp: 1000, flags: Self.monotonic, arrival: 5000) == 1000)
        #expect(clock.time(stamp: 2000, flags: Self.monotonic, arrival: 6000) == 2000)
    }

    @Test(arguments: [copy, unknown])
    func `without the monotonic clock, the time of arrival counts`(flags: UInt32) {
        var clock = V4L2Clock()
        #expect(clock.time(stamp: 1000, flags: flags, arrival: 5000) == 5000)
    }

    @Test func `a stamp of another clock, whatever the flags say, is not taken`() {
        var clock = V4L2Clock()
        let arrival: Int64 = 100_000_000_000
        #expect(
            clock.time(
                stamp: 1_700_000_000_000_000_000, flags: Self.monotonic, arrival: arrival)
                == arrival)
        #expect(clock.time(stamp: 5, flags: Self.monotonic, arrival: arrival + 1) == arrival + 1)
    }

    @Test func `times increase even if stamps repeat or decrease, and arrivals too`() {
        var clock = V4L2Clock()
        var last = Int64.min
        let stamps: [Int64] = [1000, 1000, 900, 2000, 2000, 2000, 3000]
        for (index, stamp) in stamps.enumerated() {
            let time = clock.time(
                stamp: stamp, flags: Self.monotonic, arrival: 1000 + Int64(index / 3) * 1000)
            #expect(time > last)
            last = time
        }
    }
}
