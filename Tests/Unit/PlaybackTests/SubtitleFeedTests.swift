// SPDX-License-Identifier: Apache-2.0

import PlayheadTime
import Synchronization
import Testing

@testable import PlayheadPlayback

/// The times at which the thread that reads subtitles looks again.
@Suite struct SubtitleFeedTests {
    private static func seconds(_ value: Int64) -> MediaTime {
        MediaTime(value: value, timescale: 1)
    }

    @Test func `a feed checks again when half of the range is played`() {
        let run = (start: Self.seconds(20), end: Self.seconds(100))
        #expect(SubtitleFeed.nextLook(after: run, rate: 1) == Self.seconds(85))
        #expect(SubtitleFeed.nextLook(after: run, rate: 0) == Self.seconds(85))
        #expect(SubtitleFeed.nextLook(after: run, rate: -1) == Self.seconds(30))
    }

    /// In reverse from 5 s, with subtitles read from before the beginning on.
    @Test(arguments: [-5, 0] as [Int64])
    func `a feed does not check backwards at the beginning`(start: Int64) {
        let clock = ManualClock()
        let timebase = Timebase(masterClock: clock)
        let count = Atomic(0)
        let run = (start: Self.seconds(start), end: Self.seconds(40))
        timebase.setRate(-1, time: Self.seconds(5), atMasterTime: .zero)
        let timer = timebase.addTimer(at: SubtitleFeed.nextLook(after: run, rate: -1)) { _ in
            count.add(1, ordering: .relaxed)
        }
        for second in 1...20 as ClosedRange<Int64> { clock.advance(to: Self.seconds(second)) }
        let lookCount = count.load(ordering: .relaxed)
        #expect(lookCount == 0)
        timer.cancel()
    }
}
