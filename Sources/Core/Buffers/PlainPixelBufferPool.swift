// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A pool of plain memory that reuses its blocks and has a size limit.
///
/// It is for decoders that share a memory limit, and shows how a pool of another kind of memory can
/// be implemented.
///
/// - Concurrency: any thread; locks briefly to search a short list.
/// - Ownership: lent memory outlives the pool.
package final class PlainPixelBufferPool: PixelBufferPool {
    /// The maximum number of bytes in the pool, both lent and idle.
    package let byteLimit: Int
    private let store: Store

    package init(byteLimit: Int) {
        precondition(byteLimit >= 0, "a pool of \(byteLimit) bytes")
        self.byteLimit = byteLimit
        store = Store()
    }

    package func makeMemory(byteCount: Int) -> (any PixelBufferMemory)? {
        store.take(max(byteCount, 1), limit: byteLimit).map { Memory($0, store: store) }
    }

    /// The total number of bytes in the pool, and the number of bytes that are lent.
    package var byteCount: (all: Int, lent: Int) {
        store.state.withLock { ($0.byteCount, $0.byteCount - $0.idleByteCount) }
    }

    private final class Memory: PixelBufferMemory, @unchecked Sendable {
        // Unchecked: constant; the protocol defines the thread rules for the bytes.
        let bytes: UnsafeMutableRawBufferPointer
        private let store: Store

        init(_ block: Block, store: Store) {
            bytes = block.bytes
            self.store = store
        }

        deinit { store.giveBack(Block(bytes: bytes)) }
    }

    /// A block that is idle or belongs to one `Memory`.
    private struct Block: @unchecked Sendable {
        // Unchecked: passed between owners under the store's lock.
        let bytes: UnsafeMutableRawBufferPointer
    }

    /// The list of blocks, which outlives the pool while memory is lent.
    private final class Store: Sendable {
        struct State {
            var idle: [Block] = []
            var byteCount = 0
            var idleByteCount: Int { idle.reduce(0) { $0 + $1.bytes.count } }
        }

        let state = Mutex(State())

        /// Returns the idle block of this size that was used last, because it may still be in the
        /// processor's cache. If no block of this size is idle, allocates one, and frees other idle
        /// blocks if the limit would be exceeded. Returns nil if the lent blocks alone leave too
        /// little of the limit.
        func take(_ byteCount: Int, limit: Int) -> Block? {
            state.withLock { state in
                if let index = state.idle.lastIndex(where: { $0.bytes.count == byteCount }) {
                    return state.idle.remove(at: index)
                }
                guard byteCount <= limit - (state.byteCount - state.idleByteCount) else {
                    return nil
                }
                while state.byteCount + byteCount > limit {
                    let block = state.idle.removeFirst()
                    state.byteCount -= block.bytes.count
                    PictureMemory.deallocate(block.bytes)
                }
                let bytes = PictureMemory.allocate(byteCount: byteCount)
                // Regions that a damaged stream leaves undecoded must not show old contents.
                if let start = bytes.baseAddress { memset(start, 0, bytes.count) }
                state.byteCount += byteCount
                return Block(bytes: bytes)
            }
        }

        func giveBack(_ block: Block) { state.withLock { $0.idle.append(block) } }

        deinit { state.withLock { for block in $0.idle { PictureMemory.deallocate(block.bytes) } } }
    }
}
