// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// Reads directories for the folder view, with the rules and limits of `PlaylistReader`: media
/// files and subdirectories that are not hidden, in natural order.
///
/// - Concurrency: any thread. Blocks while the directory is read.
enum FolderListing {
    /// Returns the contents of a directory.
    ///
    /// - Parameters:
    ///   - trail: the paths of the directories through which the user came, the last one included.
    ///     Links to them, and to directories above them, are left out.
    ///   - now: returns the current time, for the time limit.
    static func contents(
        of path: String, trail: [String], now: @escaping () -> MediaTime = { HostClock.shared.time }
    ) throws(MediaError) -> FolderContents {
        try check(path)
        guard trail.count <= PlaylistBudget.folderDepthLimit + 1 else {
            throw MediaError(
                .limitExceeded, subject: path,
                cause: "directories nested deeper than \(PlaylistBudget.folderDepthLimit) levels "
                    + "are skipped", remedy: "open this directory on its own")
        }
        var known = FileIdentity.folders(above: path)
        for path in trail {
            if let identity = FileIdentity(path) { known.insert(identity) }
        }
        var nameBudget = PlaylistBudget(now: now)
        let names = try PlaylistReader.names(in: path, &nameBudget)
        // The names that were read are listed even if reading them took all of the time.
        var budget = PlaylistBudget(now: now)
        var (folders, files): ([FolderEntry], [FolderEntry]) = ([], [])
        var hasUndecodableName = false
        for name in names where budget.hasRoom() {
            let file = (path as NSString).appendingPathComponent(name)
            guard let entry = entry(file, name, known) else {
                if PlaylistReader.undecodableName(name) != nil { hasUndecodableName = true }
                continue
            }
            guard budget.addEntry() else { continue }
            if entry.kind == .folder { folders.append(entry) } else { files.append(entry) }
        }
        let count = hasUndecodableName ? undecodableFolderCount(in: path, &budget) : 0
        let notes = [
            (nameBudget.exhaustion ?? budget.exhaustion)?.sentence,
            count == 0 ? nil : "Folders with names that are not UTF-8 are left out: \(count).",
        ].compactMap { $0 }
        return FolderContents(
            path: path, entries: folders + files,
            note: notes.isEmpty ? nil : notes.joined(separator: " "))
    }

    /// Returns the number of subdirectories that are not hidden and whose names are not UTF-8. They
    /// have no path that is a string.
    private static func undecodableFolderCount(
        in path: String, _ budget: inout PlaylistBudget
    ) -> Int {
        guard let directory = opendir(path) else { return 0 }
        defer { closedir(directory) }
        var count = 0
        while budget.hasRoom(), let item = readdir(directory) {
            let isCounted = withUnsafePointer(to: &item.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: 256) { name in
                    var status = stat()
                    return name[0] != CChar(UInt8(ascii: "."))
                        && String(validatingCString: name) == nil
                        && fstatat(dirfd(directory), name, &status, 0) == 0
                        && status.st_mode & S_IFMT == S_IFDIR
                }
            }
            if isCounted { count += 1 }
        }
        return count
    }

    /// Checks that a path is that of a directory that may hold media.
    static func check(_ path: String) throws(MediaError) {
        guard let identity = FileIdentity(path) else {
            throw MediaError(
                .cannotOpen, subject: path, cause: "there is no such file or directory",
                remedy: "name another directory")
        }
        guard identity.isDirectory else {
            throw MediaError(
                .cannotOpen, subject: path, cause: "this is not a directory",
                remedy: "name a directory")
        }
        guard !FileIdentity.isInSystemTree(FileIdentity.realPath(path) ?? path) else {
            throw MediaError(
                .notAllowed, subject: path, cause: "system directories hold no media",
                remedy: "name another directory")
        }
    }

    /// Returns an entry of a directory; nil for one that is not shown.
    private static func entry(
        _ path: String, _ name: String, _ known: Set<FileIdentity>
    ) -> FolderEntry? {
        let isMedia = PlaylistReader.isMedia(name)
        var entry = FolderEntry(path: path, name: name.printable(), kind: .file)
        guard let identity = FileIdentity(path) else {
            guard isMedia else { return nil }
            entry.problem =
                PlaylistReader.undecodableName(path) != nil
                ? "The name is not UTF-8." : "The file that this link names does not exist."
            return entry
        }
        // As in playlists, links do not lead into the kernel's directory trees.
        guard FileIdentity.realPath(path).map(FileIdentity.isInSystemTree) != true else {
            return nil
        }
        if identity.isDirectory {
            guard !known.contains(identity) else { return nil }
            entry.kind = .folder
            return entry
        }
        guard isMedia, identity.isRegularFile else { return nil }
        entry.stamp = stamp(of: path)
        return entry
    }

    /// Returns a number that changes with the size and the modification time of a file.
    private static func stamp(of path: String) -> Int {
        var status = stat()
        guard stat(path, &status) == 0 else { return 0 }
        var hasher = Hasher()
        hasher.combine(status.st_size)
        hasher.combine(status.st_mtim.tv_sec)
        hasher.combine(status.st_mtim.tv_nsec)
        return hasher.finalize()
    }
}
