// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A flag with which one thread cancels a blocking operation of another thread.
///
/// - Concurrency: any thread, including real-time threads.
package final class Cancellation: Sendable {
    private let flag = Atomic(false)
    package init() {}
    /// A Boolean value that indicates whether the operation has been cancelled. It can be read on
    /// any thread.
    package var isCancelled: Bool { flag.load(ordering: .relaxed) }
    /// Cancels the operation. This cannot be undone. May be called on any thread.
    package func cancel() { flag.store(true, ordering: .relaxed) }
}
