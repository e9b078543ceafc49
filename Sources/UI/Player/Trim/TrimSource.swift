// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A file that is trimmed, as it was when it was opened.
///
/// - Concurrency: a value; any thread.
package struct TrimSource: Sendable, Hashable {
    /// The path of the file.
    package let path: String
    private let identity: Identity

    private struct Identity: Sendable, Hashable {
        var device: UInt
        var inode: UInt
        var size: Int
        var seconds: Int
        var nanoseconds: Int
    }

    /// Creates the description of a regular file; nil if there is no such file.
    package init?(path: String) {
        guard let identity = Self.identity(of: path) else { return nil }
        self.path = path
        self.identity = identity
    }

    /// Checks that the file has not changed since it was opened.
    ///
    /// - Throws: `TrimError`.
    package func check() throws(TrimError) {
        guard let now = Self.identity(of: path) else {
            throw TrimError("\(path): the file no longer exists; restore it")
        }
        guard now == identity else {
            throw TrimError("\(path): the file has changed since it was opened; open it again")
        }
    }

    private static func identity(of path: String) -> Identity? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Identity(
            device: UInt(status.st_dev), inode: UInt(status.st_ino), size: Int(status.st_size),
            seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
    }
}

/// An error of trimming: the subject, the problem and the remedy.
package struct TrimError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
