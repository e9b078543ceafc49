// SPDX-License-Identifier: Apache-2.0

import PlayheadGL
import PlayheadThreads

/// The pictures that windows of one share group have in textures: what one has uploaded, the others
/// show.
///
/// A window takes part by its `TextureCache`, which says when it begins and ends to need a picture.
/// OpenGL is told to keep the order: nothing is shown before it is uploaded, nor uploaded over while
/// another window may still read it. The processor waits at most while another thread uploads, which
/// it would otherwise do itself.
///
/// - Concurrency: render threads of the group, under a lock.
final class SharedPictures: Sendable {
    private struct Entry {
        /// Says what is in the textures.
        let picture: PictureTextures
        /// Reached when it has been uploaded.
        let uploaded: GLFence
        var userCount: Int
        /// Reached when those who do not need it any more have read it.
        var read: [GLFence]
    }

    /// Pictures that nobody needs, kept for those that follow.
    private static let idleCount = 3

    private let entries = Monitor<[Entry]>([])

    /// A picture that is there, or is uploaded now.
    ///
    /// - Parameters:
    ///   - matches: whether a picture's textures can take this one.
    ///   - upload: is given a picture whose textures are used again, or nil.
    /// - Returns: the picture, and whether it was uploaded.
    func picture(
        identifier: UInt64, like matches: (PictureTextures) -> Bool, context: any GLContext,
        upload: (PictureTextures?) throws(GLError) -> PictureTextures
    ) throws(GLError) -> (PictureTextures, isNew: Bool) {
        try entries.withLock { entries throws(GLError) in
            if let index = entries.firstIndex(where: { $0.picture.identifier == identifier }) {
                entries[index].userCount += 1
                entries[index].uploaded.holdBack()
                return (entries[index].picture, false)
            }
            let idle = entries.firstIndex { $0.userCount == 0 && matches($0.picture) }
            let reused = idle.map { entries.remove(at: $0) }
            for fence in reused?.read ?? [] { fence.holdBack() }
            let picture = try upload(reused?.picture)
            let fence = GLFence(context: context)
            // What is not on its way is never reached.
            GLState.flush()
            entries.append(Entry(picture: picture, uploaded: fence, userCount: 1, read: []))
            return (picture, true)
        }
    }

    /// Somebody does not need a picture any more; what he has been told to draw of it comes before
    /// what the textures are used for next.
    func release(identifier: UInt64, context: any GLContext) {
        entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.picture.identifier == identifier })
            else { return }
            entries[index].userCount -= 1
            // A picture that is shown now and then would gather them for ever.
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
