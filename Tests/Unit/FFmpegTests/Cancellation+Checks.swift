// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import Synchronization

extension Cancellation {
    /// Returns a cancellation that is triggered once it has been checked more often than `limit`,
    /// so that the call that it cancels has begun to wait.
    static func afterChecks(_ limit: Int) -> Cancellation {
        let checks = Mutex(0)
        return Cancellation {
            checks.withLock { count in
                count += 1
                return count > limit
            }
        }
    }
}
