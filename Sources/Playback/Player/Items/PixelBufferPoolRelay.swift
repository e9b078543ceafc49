// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import Synchronization

/// A pool that forwards to the item's current pool. It is needed because a decoder uses the same
/// pool for as long as it exists.
///
/// - Concurrency: any thread. No lock is held while the pool is called.
final class PixelBufferPoolRelay: PixelBufferPool {
    private let current = Mutex<(any PixelBufferPool)?>(nil)

    var pool: (any PixelBufferPool)? {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    func makeMemory(byteCount: Int) -> (any PixelBufferMemory)? {
        pool?.makeMemory(byteCount: byteCount)
    }
}
