// SPDX-License-Identifier: Apache-2.0

import PlayheadGL

/// A texture of a ring, with its leases and fences.
///
/// - Concurrency: render thread. The last reference may be released on any thread.
final class TextureSlot {
    let framebuffer: GLFramebuffer
    /// The generation of the ring's textures to which the slot belongs.
    let generation: UInt32
    /// The number of leases.
    var leases = 0
    /// The fences that must be reached before the texture can be reused.
    var fences: [GLFence] = []
    var frameTime = noTime

    init(_ framebuffer: GLFramebuffer, generation: UInt32) {
        self.framebuffer = framebuffer
        self.generation = generation
    }

    /// A Boolean value that indicates whether a host may still be reading the texture. Getting it
    /// polls the fences.
    var isRead: Bool {
        guard leases == 0 else { return true }
        fences.removeAll { $0.isReached }
        return !fences.isEmpty
    }
}
