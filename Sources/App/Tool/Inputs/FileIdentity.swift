// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The device and inode of a file. They are the same for all paths and links to the file.
struct FileIdentity: Hashable {
    let device: dev_t
    let inode: ino_t
    /// The file type bits of `st_mode`.
    let kind: mode_t

    /// Looks up a path, following links; nil if the file does not exist.
    init?(_ path: String) {
        var status = stat()
        guard !path.utf8.contains(0), stat(path, &status) == 0 else { return nil }
        device = status.st_dev
        inode = status.st_ino
        kind = status.st_mode & S_IFMT
    }

    var isDirectory: Bool { kind == S_IFDIR }
    var isRegularFile: Bool { kind == S_IFREG }

    /// Returns the identities of the directory that contains a file, and of all directories above
    /// it.
    static func folders(above path: String) -> Set<FileIdentity> {
        guard var folder = realPath(path) else { return [] }
        var found: Set<FileIdentity> = []
        while folder != "/" {
            folder = (folder as NSString).deletingLastPathComponent
            if let identity = FileIdentity(folder) { found.insert(identity) }
        }
        return found
    }

    /// Returns the path without symbolic links; nil if the file does not exist.
    static func realPath(_ path: String) -> String? {
        guard !path.utf8.contains(0), let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Returns whether a path, which must not contain links, is in a directory tree of the kernel.
    /// Files there may be devices, or may never end. `/dev/shm` does not count, because it contains
    /// ordinary files.
    static func isInSystemTree(_ realPath: String) -> Bool {
        func isWithin(_ folder: String) -> Bool {
            realPath == folder || realPath.hasPrefix(folder + "/")
        }
        return isWithin("/proc") || isWithin("/sys") || isWithin("/dev") && !isWithin("/dev/shm")
    }
}
