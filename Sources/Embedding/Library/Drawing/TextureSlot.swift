// SPDX-License-Identifier: Apache-2.0

import PlayheadGL

/// One of the textures of a ring, and who reads it.
///
/// - Concurrency: render thread; the last reference may go on any thread.
final class TextureSlot {
    let framebuffer: GLFramebuffer
    /// Of the textures that it was made with.
    let generation: UInt32
    /// How often it is out.
    var leases = 0
    /// After these it is no longer read.
    var fences: [GLFence] = []
    var frameTime = noTime

    init(_ framebuffer: GLFramebuffer, generation: UInt32) {
        self.framebuffer = framebuffer
        self.generation = generation
    }

    /// Whether a host may still be reading it. Asks the fences, and waits for none.
    var isRead: Bool {
        guard leases == 0 else { return true }
        fences.removeAll { $0.isReached }
        return !fences.isEmpty
    }
}
