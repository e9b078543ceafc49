// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// A ring of OpenGL buffers into which framebuffers are read, so that neither the CPU nor the GPU
/// waits for the other.
///
/// A read is begun after drawing, and its pixels are taken some frames later, when the GPU has
/// delivered them. Neither allocates memory.
///
/// - Concurrency: render thread; the last reference may be dropped on any thread.
/// - Ownership: owns its buffers and fences.
/// - Corresponds to: pixel pack buffers with `glFenceSync`.
package final class GLReadRing {
    private struct Slot {
        var name: UInt32 = 0
        var fence: UnsafeMutableRawPointer?
    }

    private let width: Int
    private let height: Int
    private var slots: [Slot]
    private var first = 0
    private let deletionQueue: GLDeletionQueue

    /// The number of reads whose pixels have not been taken.
    package private(set) var pendingCount = 0
    /// A Boolean value that indicates whether no read can begin.
    package var isFull: Bool { pendingCount == slots.count }

    private var byteCount: Int { width * height * 4 }

    /// Creates a ring for framebuffers of one size.
    ///
    /// - Parameter count: the maximum number of reads in progress.
    package init(width: Int, height: Int, count: Int, context: any GLContext) {
        precondition(width > 0 && height > 0 && count > 0)
        self.width = width
        self.height = height
        deletionQueue = context.deletionQueue
        slots = (0..<count).map { _ in Slot() }
        let target = UInt32(GL_PIXEL_PACK_BUFFER)
        for index in slots.indices {
            ph_glGenBuffers(1, &slots[index].name)
            deletionQueue.didMake(.buffer, byteCount: width * height * 4)
            ph_glBindBuffer(target, slots[index].name)
            GLDriverLock.withLock {
                ph_glBufferData(target, width * height * 4, nil, UInt32(GL_STREAM_READ))
            }
            GLLabel.set("read", of: .buffer, slots[index].name, in: context)
        }
        ph_glBindBuffer(target, 0)
    }

    deinit {
        for slot in slots {
            deletionQueue.enqueue(.buffer, slot.name, byteCount: width * height * 4)
            if let fence = slot.fence {
                deletionQueue.didMake(.fence)
                deletionQueue.enqueue(fence: fence)
            }
        }
    }

    /// Begins to read the framebuffer that is bound for reading, as RGBA of 8 bits. The pixel
    /// storage parameters must have their defaults.
    ///
    /// - Precondition: the ring is not full.
    package func begin() {
        precondition(!isFull, "a ring with \(slots.count) reads in progress takes no other")
        let index = (first + pendingCount) % slots.count
        let target = UInt32(GL_PIXEL_PACK_BUFFER)
        ph_glBindBuffer(target, slots[index].name)
        slots[index].fence = GLDriverLock.withLock {
            ph_glReadPixels(
                0, 0, Int32(width), Int32(height), UInt32(GL_RGBA), UInt32(GL_UNSIGNED_BYTE), nil)
            return ph_glFenceSync()
        }
        ph_glBindBuffer(target, 0)
        pendingCount += 1
    }

    /// A Boolean value that indicates whether the pixels of the oldest read have arrived.
    package var isReady: Bool {
        guard pendingCount > 0 else { return false }
        // A lost context has no fence and nothing to wait for.
        guard let fence = slots[first].fence else { return true }
        return GLDriverLock.withLock {
            ph_glClientWaitSync(fence, 0) != UInt32(GL_TIMEOUT_EXPIRED)
        }
    }

    /// Takes the pixels of the oldest read, the lowest row first. Waits for them unless `isReady`.
    ///
    /// - Returns: false if the buffer cannot be mapped, as in a lost context.
    package func take(into bytes: UnsafeMutableRawPointer) -> Bool {
        precondition(pendingCount > 0, "no read is in progress")
        let slot = slots[first]
        slots[first].fence = nil
        first = (first + 1) % slots.count
        pendingCount -= 1
        if let fence = slot.fence { ph_glDeleteSync(fence) }
        let target = UInt32(GL_PIXEL_PACK_BUFFER)
        ph_glBindBuffer(target, slot.name)
        defer { ph_glBindBuffer(target, 0) }
        return GLDriverLock.withLock {
            guard
                let mapped = ph_glMapBufferRange(
                    target, 0, byteCount, UInt32(GL_MAP_READ_BIT))
            else { return false }
            bytes.copyMemory(from: mapped, byteCount: byteCount)
            return ph_glUnmapBuffer(target) != 0
        }
    }
}
