// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlaybackTestSupport
import Testing

/// Random histories of all operations on a player, on random videos. `Scripts/prove/property` runs
/// many more of them.
@Suite struct PlaybackPropertyTests {
    /// The number of events; `PLAYHEAD_PROPERTY_EVENTS` sets another number, and
    /// `PLAYHEAD_PROPERTY_SEED` the first seed.
    private static var eventCount: Int { number("PLAYHEAD_PROPERTY_EVENTS") ?? 3000 }
    private static var firstSeed: Int { number("PLAYHEAD_PROPERTY_SEED") ?? 1 }

    private static func number(_ variable: String) -> Int? {
        getenv(variable).flatMap { Int(String(cString: $0)) }
    }

    @Test func `the engine answers like the model after any history`() {
        let last = Self.firstSeed + max(1, Self.eventCount / RandomHistory.length)
        var failures = 0
        var tally = PlaybackTally()
        for seed in Self.firstSeed..<last where failures < 3 {
            let history = RandomHistory(seed: UInt64(seed))
            guard let failure = history.firstFailure(adding: &tally) else { continue }
            failures += 1
            Issue.record(Comment(rawValue: history.report(failure)))
        }
        #expect(tally.stalls > 0 && tally.rounds > 0 && tally.declaredStarts > 0)
        #expect(tally.trackSwitches > 0 && tally.frames > 0 && tally.samples > 0)
    }
}
