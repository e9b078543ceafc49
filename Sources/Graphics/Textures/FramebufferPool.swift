// SPDX-License-Identifier: Apache-2.0

package import PlayheadGL

/// A pool that lends framebuffers for intermediate results, and keeps returned ones for the next
/// frame.
///
/// - Concurrency: render thread.
/// - Ownership: return each framebuffer from `acquire` with `release`. If a framebuffer is not
///   returned, it takes memory, but has no other effect.
package final class FramebufferPool {
    private struct Entry {
        let framebuffer: GLFramebuffer
        var isLent: Bool
        var lastUse: Int
    }

    private let context: any GLContext
    private var entries: [Entry] = []
    private var frame = 0

    package init(context: any GLContext) {
        self.context = context
    }

    /// Lends a framebuffer with undefined contents. Its format is the given one or, if that cannot
    /// be drawn to in this context, the nearest format that can.
    package func acquire(
        format: GLTextureFormat = .rgba8, width: Int, height: Int
    ) throws(GLError) -> GLFramebuffer {
        let format = context.capabilities.drawable(format)
        let idle = entries.firstIndex {
            !$0.isLent && $0.framebuffer.width == width && $0.framebuffer.height == height
                && $0.framebuffer.texture.format == format
        }
        if let idle {
            entries[idle].isLent = true
            entries[idle].lastUse = frame
            return entries[idle].framebuffer
        }
        let framebuffer = try GLFramebuffer(
            format: format, width: width, height: height, label: "lent", context: context)
        entries.append(Entry(framebuffer: framebuffer, isLent: true, lastUse: frame))
        return framebuffer
    }

    /// Takes a framebuffer back. Earlier draws that read it remain correct, because OpenGL executes
    /// draws in order.
    package func release(_ framebuffer: GLFramebuffer) {
        guard let index = entries.firstIndex(where: { $0.framebuffer === framebuffer }) else {
            return
        }
        entries[index].isLent = false
        entries[index].lastUse = frame
    }

    /// Takes back all lent framebuffers, except those that are kept over several frames.
    package func reclaim(except isInUse: (GLFramebuffer) -> Bool) {
        for index in entries.indices where !isInUse(entries[index].framebuffer) {
            entries[index].isLent = false
        }
    }

    /// Ends a frame. Framebuffers that were not lent recently are released.
    package func endFrame() {
        frame += 1
        let oldest = IdleMemory.oldestKept(frame: frame, count: entries.count) {
            let entry = entries[$0]
            return (entry.isLent ? frame : entry.lastUse, entry.framebuffer.texture.byteCount)
        }
        if entries.contains(where: { !$0.isLent && $0.lastUse < oldest }) {
            entries.removeAll { !$0.isLent && $0.lastUse < oldest }
        }
    }

    /// Releases all framebuffers that were not lent for the last frame.
    package func trim() { entries.removeAll { !$0.isLent && $0.lastUse < frame - 1 } }

    /// The number of framebuffers, lent or not.
    package var count: Int { entries.count }
}
