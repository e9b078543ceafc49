// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A number that a handler on another thread counts.
final class MutexCounter: Sendable {
    private let number = Mutex(0)
    var value: Int { number.withLock { $0 } }
    func increment() { number.withLock { $0 += 1 } }
}
