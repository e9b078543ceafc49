// SPDX-License-Identifier: Apache-2.0

import PlayheadGL

/// A texture of a ring, with its leases and fences.
///
/// - Concurrency: render thread; the last reference may be released on any thread.
final class TextureSlot {
    let framebuffer: GLFramebuffer
    /// The generation of textures to which it belongs.
    let generation: UInt32
    /// The number of leases.
    var leases = 0
    /// The fences after which it is no longer read.
    var fences: [GLFence] = []
    var frameTime = noTime

    init(_ framebuffer: GLFramebuffer, generation: UInt32) {
        self.framebuffer = framebuffer
        self.generation = generation
    }

    /// A Boolean value that indicates whether a host may still read it. Polls the fences.
    var isRead: Bool {
        guard leases == 0 else { return true }
        fences.removeAll { $0.isReached }
        return !fences.isEmpty
    }
}
