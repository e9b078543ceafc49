// SPDX-License-Identifier: Apache-2.0

import PlayheadGL
import PlayheadThreads

/// The uploaded frames of a share group. A frame that one window uploaded can be shown by the other
/// windows too.
///
/// A window takes part through its `TextureCache`, which registers and releases the use of a frame.
/// Fences keep the order on the GPU: a frame is not shown before it is uploaded, and not
/// overwritten while another window may still read it. A render thread waits only while another
/// thread of the group uploads a frame.
///
/// - Concurrency: render threads of the group, under a lock.
final class SharedPictures: Sendable {
    private struct Entry {
        /// The textures, and the identity of the frame in them.
        let picture: PictureTextures
        /// The fence after the upload.
        let uploaded: GLFence
        var userCount: Int
        /// The fences after the last reads by windows that no longer use the frame.
        var read: [GLFence]
    }

    /// The number of unused entries that are kept for later frames.
    private static let idleCount = 3

    private let entries = Monitor<[Entry]>([])

    /// Returns a frame. If it is not in the table yet, the call uploads it.
    ///
    /// - Parameters:
    ///   - matches: returns whether the given textures can hold the frame.
    ///   - upload: uploads the frame into the given textures, or into new ones if they are nil.
    /// - Returns: the frame, and whether this call uploaded it.
    func picture(
        identifier: UInt64, like matches: (PictureTextures) -> Bool, context: any GLContext,
        upload: (PictureTextures?) throws(GLError) -> PictureTextures
    ) throws(GLError) -> (PictureTextures, isNew: Bool) {
        try entries.withLock { entries throws(GLError) in
            if let index = entries.firstIndex(where: { $0.picture.identifier == identifier }) {
                entries[index].userCount += 1
                entries[index].uploaded.waitOnGPU()
                return (entries[index].picture, false)
            }
            let idle = entries.firstIndex { $0.userCount == 0 && matches($0.picture) }
            let reused = idle.map { entries.remove(at: $0) }
            for fence in reused?.read ?? [] { fence.waitOnGPU() }
            let picture = try upload(reused?.picture)
            let fence = GLFence(context: context)
            // A fence is never reached unless it is flushed.
            GLState.flush()
            entries.append(Entry(picture: picture, uploaded: fence, userCount: 1, read: []))
            return (picture, true)
        }
    }

    /// Ends one use of a frame. Draws that were issued before this call are executed before the
    /// frame's textures are reused.
    func release(identifier: UInt64, context: any GLContext) {
        entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.picture.identifier == identifier })
            else { return }
            entries[index].userCount -= 1
            // Without this, fences would accumulate if a frame is shown repeatedly.
            entries[index].read.removeAll { $0.isReached }
            entries[index].read.append(GLFence(context: context))
            while entries.count(where: { $0.userCount == 0 }) > Self.idleCount,
                let oldest = entries.firstIndex(where: { $0.userCount == 0 })
            {
                entries.remove(at: oldest)
            }
        }
    }
}
