// SPDX-License-Identifier: Apache-2.0

/// The results of requests, by number.
package struct TransportResults: Equatable {
    /// For each request, the number of calls of its completion: a call with false counts as 1, one
    /// with true as 100.
    private var calls: [Int] = []

    package init() {}

    package mutating func note(_ number: Int, _ result: Bool) {
        while calls.count <= number { calls.append(0) }
        calls[number] += result ? 100 : 1
    }
}
