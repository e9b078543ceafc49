// SPDX-License-Identifier: Apache-2.0

import PlayheadGL
import PlayheadThreads

/// The uploaded frames of a share group: a frame that one window uploaded is shown by the others
/// too.
///
/// A window takes part through its `TextureCache`, which registers and releases its use of a frame.
/// Fences keep the order on the GPU: a frame is not shown before it is uploaded, and not
/// overwritten while another window may still read it. The CPU waits at most while another thread
/// uploads a frame that it would otherwise upload itself.
///
/// - Concurrency: render threads of the group, under a lock.
final class SharedPictures: Sendable {
    private struct Entry {
        /// The identity of the textures' contents.
        let picture: PictureTextures
        /// The fence after the upload.
        let uploaded: GLFence
        var userCount: Int
        /// The fences after the last reads of windows that no longer use it.
        var read: [GLFence]
    }

    /// The number of unused entries that are kept for the frames that follow.
    private static let idleCount = 3

    private let entries = Monitor<[Entry]>([])

    /// Returns a frame, uploaded now unless it is already.
    ///
    /// - Parameters:
    ///   - matches: returns whether a frame's textures can hold this one.
    ///   - upload: uploads the frame into the given textures, or into new ones if they are nil.
    /// - Returns: the frame, and whether it was uploaded.
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
            // A fence that is not flushed is never reached.
            GLState.flush()
            entries.append(Entry(picture: picture, uploaded: fence, userCount: 1, read: []))
            return (picture, true)
        }
    }

    /// Ends one use of a frame. Its draws up to now are executed before its textures are reused.
    func release(identifier: UInt64, context: any GLContext) {
        entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.picture.identifier == identifier })
            else { return }
            entries[index].userCount -= 1
            // A frame that is shown repeatedly would accumulate them.
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
