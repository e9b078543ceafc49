// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A pool of plain memory, up to a number of bytes, that is used again.
///
/// For decoders that are to share a bound on memory, and as the pattern for pools of other memory.
///
/// - Concurrency: any thread; takes a lock for a look at a short list.
/// - Ownership: memory that is lent lives on without the pool.
package final class PlainPixelBufferPool: PixelBufferPool {
    /// How many bytes it has at most, lent or waiting to be used again.
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

    /// Bytes that the pool has, and those of them that are lent.
    package var byteCount: (all: Int, lent: Int) {
        store.state.withLock { ($0.byteCount, $0.byteCount - $0.idleByteCount) }
    }

    private final class Memory: PixelBufferMemory, @unchecked Sendable {
        // Unchecked: constant; who may touch the bytes is said at the protocol.
        let bytes: UnsafeMutableRawBufferPointer
        private let store: Store

        init(_ block: Block, store: Store) {
            bytes = block.bytes
            self.store = store
        }

        deinit { store.giveBack(Block(bytes: bytes)) }
    }

    /// Memory that is lent to nobody, or to one `Memory`.
    private struct Block: @unchecked Sendable {
        // Unchecked: passed from one to the other, under the store's lock.
        let bytes: UnsafeMutableRawBufferPointer
    }

    /// The list, which outlives the pool while memory is lent.
    private final class Store: Sendable {
        struct State {
            var idle: [Block] = []
            var byteCount = 0
            var idleByteCount: Int { idle.reduce(0) { $0 + $1.bytes.count } }
        }

        let state = Mutex(State())

        /// What came back last of this size, for it may still lie in the cache; else new memory, in
        /// place of what is idle if need be.
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
                // What damaged streams leave undrawn must not show what was here before.
                bytes.initializeMemory(as: UInt8.self, repeating: 0)
                state.byteCount += byteCount
                return Block(bytes: bytes)
            }
        }

        func giveBack(_ block: Block) { state.withLock { $0.idle.append(block) } }

        deinit { state.withLock { for block in $0.idle { PictureMemory.deallocate(block.bytes) } } }
    }
}
