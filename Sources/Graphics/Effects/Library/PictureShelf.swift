// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import Synchronization

/// A cache of images that were read from files. An image is valid as long as its file is unchanged.
/// After a shader is saved, its unchanged images are not decoded and uploaded again.
final class PictureShelf: Sendable {
    private let pictures = Mutex<[String: (stamp: FileStamp, picture: PixelBuffer)]>([:])

    func picture(_ path: String, _ read: (String) throws -> PixelBuffer) throws -> PixelBuffer {
        let stamp = FileStamp(path)
        if let known = pictures.withLock({ $0[path] }), known.stamp == stamp {
            return known.picture
        }
        let picture = try read(path)
        pictures.withLock { $0[path] = stamp.map { ($0, picture) } }
        return picture
    }
}
