// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import Synchronization

/// A pool that forwards to the item's present pool, because decoders keep one pool for their
/// lifetime.
///
/// - Concurrency: any thread; the pool is asked without a lock held.
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
