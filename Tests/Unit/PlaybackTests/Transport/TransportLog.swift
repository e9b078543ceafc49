// SPDX-License-Identifier: Apache-2.0

import TransportTestSupport

/// Receives the results of requests.
final class TransportLog: @unchecked Sendable {
    // Unchecked: one thread uses it.
    private(set) var results = TransportResults()

    func note(_ number: Int, _ result: Bool) { results.note(number, result) }
}
