// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A flag that one thread sets to make another give up a blocking operation.
///
/// - Concurrency: any thread, real-time ones included.
package final class Cancellation: Sendable {
    private let flag = Atomic(false)
    package init() {}
    /// A Boolean value that indicates whether the operation has been cancelled. Any thread.
    package var isCancelled: Bool { flag.load(ordering: .relaxed) }
    /// Asks for the end, once and for all. Any thread.
    package func cancel() { flag.store(true, ordering: .relaxed) }
}
