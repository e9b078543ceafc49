// SPDX-License-Identifier: Apache-2.0

import Glibc
package import PlayheadBuffers
package import PlayheadGL
import Synchronization

/// OpenGL memory into which decoders write frames, which are then uploaded without a copy.
///
/// If decoders have requested more memory than there is, the render thread creates a few buffers in
/// each frame. Until there are enough buffers, decoders use their own memory. A buffer is reused
/// after its frame was released and OpenGL has read it; no thread waits for that.
///
/// - Concurrency: `makeMemory` on any thread; the rest on the render thread.
/// - Ownership: a block keeps its memory mapped, even after the context is destroyed.
package final class MappedMemory: PixelBufferPool, @unchecked Sendable {
    // Unchecked: buffers are in the lock's state. The parts of them that belong to the render
    // thread are used there only.

    /// A lent block of memory, which is returned when its last reference is dropped, on any thread.
    final class Block: PixelBufferMemory, @unchecked Sendable {
        // Unchecked: constant; the holder of the block synchronises writes.
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
        /// The buffers that may be lent.
        var free: [GLUploadBuffer] = []
        var lentCount = 0
        /// The returned buffers, which OpenGL may still be reading.
        var returned: [GLUploadBuffer] = []
        /// The size of the largest block that was requested and could not be provided, in bytes; 0
        /// if every block was provided.
        var missing = 0
        var byteCount = 0
        var isOffered = false
    }

    /// The maximum number of buffers. Decoders keep up to 16 reference frames and one frame for
    /// each of their threads, and a queue keeps frames too.
    private static let countLimit = 40
    /// The maximum memory, in bytes: enough for 40 frames of 4K video in 8-bit 4:2:0.
    private static let byteLimit = 512 << 20
    /// The maximum number of buffers that are created in a frame. Mapping a buffer takes as long as
    /// an upload.
    private static let growth = 2

    private let context: any GLContext
    private let state = Mutex(State())

    package init(context: any GLContext) { self.context = context }

    /// A Boolean value that indicates whether decoders are given memory. Set to true if a trial has
    /// shown that uploads from it are faster.
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

    /// The mapped memory, lent or not, in bytes.
    package var byteCount: Int { state.withLock { $0.byteCount } }

    /// The number of lent blocks.
    package var lentCount: Int { state.withLock { $0.lentCount } }

    /// Returns memory for a frame; nil if no buffer is free. May be called on any thread, and never
    /// waits.
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

    /// Makes buffers that OpenGL has read available again, and creates buffers that decoders have
    /// requested. Called once a frame.
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
        // If buffers have a size that is no longer requested, because a video of another size has
        // begun, they are released.
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
            // If a stream is damaged, areas may be left undecoded. They must not show the previous
            // contents of the memory.
            if let memory = buffer.memory { memset(memory, 0, missing) }
            state.withLock { state in
                state.free.append(buffer)
                state.byteCount += buffer.byteCount
            }
        }
        state.withLock { $0.missing = 0 }
    }
}
