// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import Synchronization

/// Stands for whichever pool an item has at the moment, since decoders keep one for life.
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
