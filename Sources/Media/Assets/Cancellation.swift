// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A flag with which one thread cancels a blocking operation of another.
///
/// - Concurrency: any thread, real-time ones included.
package final class Cancellation: Sendable {
    private let flag = Atomic(false)
    package init() {}
    /// A Boolean value that indicates whether the operation has been cancelled. Any thread.
    package var isCancelled: Bool { flag.load(ordering: .relaxed) }
    /// Cancels permanently. Any thread.
    package func cancel() { flag.store(true, ordering: .relaxed) }
}
