// SPDX-License-Identifier: Apache-2.0

import Glibc
package import PlayheadBuffers
package import PlayheadGL
import Synchronization

/// OpenGL's memory for decoders to work in, so that their pictures are uploaded without a copy.
///
/// Buffers are made on the render thread, a few a frame, when decoders have asked for more than there
/// are; meanwhile they work in memory of their own. A buffer is lent anew when its picture is gone
/// and OpenGL has read it; nobody ever waits for that.
///
/// - Concurrency: `makeMemory` on any thread; the rest on the render thread.
/// - Ownership: a block keeps its memory mapped, whatever becomes of the context.
package final class MappedMemory: PixelBufferPool, @unchecked Sendable {
    // Unchecked: buffers are in the lock's state; what of them the render thread alone touches is
    // touched there.

    /// Lent memory, given back when the last reference goes, on any thread.
    final class Block: PixelBufferMemory, @unchecked Sendable {
        // Unchecked: constant; whoever has the block says who writes.
        let bytes: UnsafeMutableRawBufferPointer
        let buffer: GLUploadBuffer
        let owner: MappedMemory

        fileprivate init(_ buffer: GLUploadBuffer, byteCount: Int, owner: MappedMemory) {
            bytes = UnsafeMutableRawBufferPointer(start: buffer.memory, count: byteCount)
            self.buffer = buffer
            self.owner = owner
        }

        deinit { owner.giveBack(buffer) }
    }

    private struct State {
        /// What may be lent.
        var free: [GLUploadBuffer] = []
        var lentCount = 0
        /// What has come back, and OpenGL may still read.
        var returned: [GLUploadBuffer] = []
        /// Bytes of the block that was asked for in vain; 0 for none.
        var missing = 0
        var byteCount = 0
        var isOffered = false
    }

    /// Decoders keep up to 16 pictures to refer to, one for each of their threads, and a queue's.
    private static let countLimit = 40
    /// 40 pictures of 4K in 4:2:0, 8 bits.
    private static let byteLimit = 512 << 20
    /// Buffers made in a frame: mapping one takes as long as an upload.
    private static let growth = 2

    private let context: any GLContext
    private let state = Mutex(State())

    package init(context: any GLContext) { self.context = context }

    /// Whether decoders get any: not until it has turned out that it is worth it.
    package var isOffered: Bool {
        get { state.withLock { $0.isOffered } }
        set {
            state.withLock { state in
                state.isOffered = newValue
                guard !newValue else { return }
                state.byteCount -= state.free.reduce(0) { $0 + $1.byteCount }
                (state.free, state.missing) = ([], 0)
            }
        }
    }

    /// Bytes that are mapped, lent or not.
    package var byteCount: Int { state.withLock { $0.byteCount } }

    /// How many blocks are lent.
    package var lentCount: Int { state.withLock { $0.lentCount } }

    /// Memory for a picture; nil while there is none to be had. Any thread; never waits.
    package func makeMemory(byteCount: Int) -> (any PixelBufferMemory)? {
        state.withLock { state in
            guard state.isOffered, byteCount > 0 else { return nil }
            guard
                let index = state.free.indices.filter({ state.free[$0].byteCount >= byteCount })
                    .min(by: { state.free[$0].byteCount < state.free[$1].byteCount })
            else {
                state.missing = max(state.missing, byteCount)
                return nil
            }
            let buffer = state.free.remove(at: index)
            state.lentCount += 1
            return Block(buffer, byteCount: byteCount, owner: self)
        }
    }

    private func giveBack(_ buffer: GLUploadBuffer) {
        state.withLock { state in
            state.lentCount -= 1
            state.returned.append(buffer)
        }
    }

    /// Once a frame: what OpenGL has read may be lent again, and what is missing is made.
    package func prepare() {
        let (missing, count) = state.withLock { state in
            guard !state.returned.isEmpty || state.missing > 0 else { return (0, 0) }
            state.returned.removeAll { buffer in
                guard buffer.isIdle else { return false }
                if state.isOffered {
                    state.free.append(buffer)
                } else {
                    state.byteCount -= buffer.byteCount
                }
                return true
            }
            let fits = state.free.contains { $0.byteCount >= state.missing }
            if fits { state.missing = 0 }
            return (state.missing, state.free.count + state.lentCount + state.returned.count)
        }
        guard missing > 0 else { return }
        // Of other sizes than are asked for now: a film of another size has begun.
        state.withLock { state in
            state.free.removeAll { buffer in
                guard buffer.byteCount < missing else { return false }
                state.byteCount -= buffer.byteCount
                return true
            }
        }
        for _ in 0..<Self.growth where count < Self.countLimit {
            guard byteCount + missing <= Self.byteLimit,
                let buffer = try? GLUploadBuffer(
                    byteCount: missing, isPersistent: true, context: context)
            else { break }
            // What damaged streams leave undrawn must not show what was here before.
            if let memory = buffer.memory { memset(memory, 0, missing) }
            state.withLock { state in
                state.free.append(buffer)
                state.byteCount += buffer.byteCount
            }
        }
        state.withLock { $0.missing = 0 }
    }
}
