// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import Glibc
import PlayheadAssets
import PlayheadWriting

/// A file that is written under a temporary name beside its final path.
///
/// - Concurrency: one thread at a time.
/// - Ownership: the file is removed on deallocation, unless it was moved into place.
final class PartialFile {
    let path: String
    private let target: String
    private var isThere = true

    /// The maximum number of names that are tried if temporary files already exist.
    private static let maximumNames = 1000

    /// Creates an empty temporary file for a final path.
    init(of path: String) throws(MediaError) {
        target = WritingFile.target(of: path)
        for number in 1...Self.maximumNames {
            let name = target + (number == 1 ? ".part" : ".part\(number)")
            let file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            guard file < 0 else {
                close(file)
                self.path = name
                return
            }
            if errno != EEXIST { break }
        }
        throw MediaError.writing(
            ph_AVERROR(errno), path, remedy: "check that the folder exists and is writable")
    }

    deinit { remove() }

    /// Moves the file into place. Returns false if this fails, with the reason in `errno`.
    func finish() -> Bool {
        guard rename(path, target) == 0 else { return false }
        isThere = false
        return true
    }

    func remove() {
        if isThere { unlink(path) }
        isThere = false
    }
}
