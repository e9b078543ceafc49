// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

extension GLFramebuffer {
    /// Binds a framebuffer for reading; 0 is the default framebuffer.
    package static func bindForReading(_ framebuffer: UInt32) {
        ph_glBindFramebuffer(UInt32(GL_READ_FRAMEBUFFER), framebuffer)
    }

    /// Returns the name of a new framebuffer without a texture. The caller deletes it through the
    /// context's deletion queue.
    package static func makeName(in context: any GLContext) -> UInt32 {
        var name: UInt32 = 0
        ph_glGenFramebuffers(1, &name)
        context.deletionQueue.didMake(.framebuffer)
        return name
    }

    /// Binds a framebuffer for reading, and attaches a texture to it. If `texture` is 0, the
    /// attached texture is detached. Returns whether the framebuffer can be read.
    package static func attachForReading(texture: UInt32, to framebuffer: UInt32) -> Bool {
        let target = UInt32(GL_READ_FRAMEBUFFER)
        ph_glBindFramebuffer(target, framebuffer)
        guard texture == 0 || ph_glIsTexture(texture) != 0 else { return false }
        ph_glFramebufferTexture2D(
            target, UInt32(GL_COLOR_ATTACHMENT0), UInt32(GL_TEXTURE_2D), texture, 0)
        return texture != 0
            && ph_glCheckFramebufferStatus(target) == UInt32(GL_FRAMEBUFFER_COMPLETE)
    }

    /// Copies the framebuffer that is bound for reading, as RGBA of 8 bits, the lowest row first.
    /// Waits until all drawing is done. The pixel storage parameters must have their defaults.
    package static func read(width: Int, height: Int, into bytes: UnsafeMutableRawBufferPointer) {
        precondition(bytes.count >= width * height * 4, "four bytes a pixel")
        GLDriverLock.withLock {
            ph_glReadPixels(
                0, 0, Int32(width), Int32(height), UInt32(GL_RGBA), UInt32(GL_UNSIGNED_BYTE),
                bytes.baseAddress)
        }
    }
}
