// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import Testing

/// The transport alone, without threads. `Scripts/prove/transport` runs many more events.
@Suite struct TransportModelTests {
    private static let eventCount = 3_000

    @Test func `the transport equals a model of it after any events`() {
        var count = 0
        var seed: UInt64 = 1
        while count < Self.eventCount {
            var history = TransportHistory(SplitMix64(seed: seed))
            let failure = history.run()
            count += history.eventCount
            if let failure {
                Issue.record("seed \(seed): \(failure)")
                return
            }
            seed += 1
        }
    }
}
