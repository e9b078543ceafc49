// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadBuffers
import Synchronization

/// Pictures that have been read from files, kept as long as the files stay as they are: a shader that
/// is saved again does not have its pictures decoded and uploaded again.
final class PictureShelf: Sendable {
    private struct Stamp: Equatable {
        let device: UInt64
        let file: UInt64
        let size: Int64
        let seconds: Int
        let nanoseconds: Int

        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            device = UInt64(status.st_dev)
            file = UInt64(status.st_ino)
            size = Int64(status.st_size)
            seconds = status.st_mtim.tv_sec
            nanoseconds = status.st_mtim.tv_nsec
        }
    }

    private let pictures = Mutex<[String: (stamp: Stamp, picture: PixelBuffer)]>([:])

    func picture(_ path: String, _ read: (String) throws -> PixelBuffer) throws -> PixelBuffer {
        let stamp = Stamp(path)
        if let known = pictures.withLock({ $0[path] }), known.stamp == stamp {
            return known.picture
        }
        let picture = try read(path)
        pictures.withLock { $0[path] = stamp.map { ($0, picture) } }
        return picture
    }
}
