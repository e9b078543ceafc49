// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import Glibc
import PlayheadAssets

/// A file that is written under a temporary name beside its final path.
///
/// - Concurrency: one thread at a time.
/// - Ownership: removed when released, unless it was moved into place.
final class PartialFile {
    let path: String
    private let target: String
    private var isThere = true

    /// The maximum number of names that are tried if earlier temporary files exist.
    private static let maximumNames = 1000
    /// The maximum number of symbolic links that are followed, as in Linux.
    private static let maximumLinks = 40

    /// Creates an empty file.
    init(of path: String) throws(MediaError) {
        target = Self.target(of: path)
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

    /// Returns the target of a path with symbolic links, even if the target does not exist.
    private static func target(of path: String) -> String {
        var path = path
        var link = [CChar](repeating: 0, count: Int(PATH_MAX))
        for _ in 0..<maximumLinks {
            let count = readlink(path, &link, Int(PATH_MAX))
            guard count > 0 else { break }
            let next = String(decoding: link[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
            path = next.hasPrefix("/") ? next : folder + next
        }
        return path
    }
}
