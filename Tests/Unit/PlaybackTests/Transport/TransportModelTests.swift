// SPDX-License-Identifier: Apache-2.0

import Glibc
import MediaTestSupport
import Testing

/// The transport alone, without threads. `Scripts/prove/transport` runs many more events.
@Suite struct TransportModelTests {
    /// The number of events; `PLAYHEAD_TRANSPORT_EVENTS` sets another one.
    private static var eventCount: Int {
        getenv("PLAYHEAD_TRANSPORT_EVENTS").flatMap { Int(String(cString: $0)) } ?? 3_000
    }

    @Test func `the transport equals a model of it after any events`() {
        for seed in 1...max(1, Self.eventCount / TransportHistory.length) {
            var history = TransportHistory(SplitMix64(seed: UInt64(seed)))
            guard let failure = history.run() else { continue }
            Issue.record("seed \(seed): \(failure)")
            return
        }
    }
}
