// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A flag with which one thread cancels a blocking operation of another thread.
///
/// - Concurrency: any thread, including real-time threads unless the flag has a condition.
package final class Cancellation: Sendable {
    private let flag = Atomic(false)
    private let condition: (@Sendable () -> Bool)?

    package init() { condition = nil }

    /// Creates a flag for an operation that also counts as cancelled while a condition holds.
    ///
    /// - Parameter condition: Called on the threads that read the flag, often, so it must be brief.
    package init(while condition: @escaping @Sendable () -> Bool) { self.condition = condition }

    /// A Boolean value that indicates whether the operation has been cancelled. It can be read on
    /// any thread.
    package var isCancelled: Bool {
        flag.load(ordering: .relaxed) || condition.map { $0() } ?? false
    }
    /// Cancels the operation. This cannot be undone. May be called on any thread.
    package func cancel() { flag.store(true, ordering: .relaxed) }
}
