// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A flag by which one thread tells another to give up a blocking operation.
///
/// - Concurrency: any thread, real-time ones included.
public final class Cancellation: Sendable {
    private let flag = Atomic(false)
    public init() {}
    public var isCancelled: Bool { flag.load(ordering: .relaxed) }
    public func cancel() { flag.store(true, ordering: .relaxed) }
}
