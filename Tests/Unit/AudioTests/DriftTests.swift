// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime
import Testing

@testable import PlayheadAudio

/// Ten minutes on a device whose clock differs from the host's, simulated without waiting.
@Suite struct DriftTests {
    @Test(arguments: [300e-6, -300e-6])
    func `a device that is 300 ppm off is followed to a millisecond`(
        drift: Double
    ) {
        let clock = AudioClock()
        let timebase = Timebase(masterClock: clock)
        var random = SplitMix64(seed: 7)
        var offset: Int64 = 0
        var worst = 0.0
        // The number of vsyncs of 60 Hz for which each frame of 30 a second was shown.
        var shown: [Int: Int] = [:]
        timebase.setRate(1, time: .zero, atMasterTime: .zero)
        for vsync in 0..<36_000 {
            let host = Int64(vsync) * 1_000_000_000 / 60
            if vsync % 6 == 0 {
                // Ten readings a second, each late or early by up to a millisecond.
                let jitter = Int64(random.next() % 2_000_000) - 1_000_000
                let device = Double(host) * (1 + drift)
                offset = clock.addReading(
                    deviceTime: Int64(device) + jitter, hostTime: host)
            }
            let item = timebase.time(atHostTime: MediaTime(nanoseconds: host)).seconds
            shown[Int((item * 30 + 1e-6).rounded(.down)), default: 0] += 1
            // The device's current sample, as computed by the renderer, compared with the frame's
            // time.
            let heard = (Double(offset) + Double(host) * (1 + drift)) / 1e9
            if vsync > 600 { worst = max(worst, abs(item - heard)) }
        }
        #expect(worst < 0.005, "\(worst * 1000) ms")
        // 180 ms of drift are 10.8 vsyncs, which the frames must gain or lose.
        let odd = shown.values.filter { $0 != 2 }.count
        #expect(odd <= 11 + 2, "\(odd) frames for other than two vsyncs")
        #expect(shown.keys.count == (shown.keys.max() ?? 0) - (shown.keys.min() ?? 0) + 1)
    }
}
