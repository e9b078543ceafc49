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
        var budget = PlaylistBudget(now: now)
        var (folders, files): ([FolderEntry], [FolderEntry]) = ([], [])
        for name in try PlaylistReader.names(in: path, &budget) where budget.hasRoom() {
            let file = (path as NSString).appendingPathComponent(name)
            guard let entry = entry(file, name, known), budget.addEntry() else { continue }
            if entry.kind == .folder { folders.append(entry) } else { files.append(entry) }
        }
        let note = budget.exhaustion.map { $0.prefix(1).uppercased() + $0.dropFirst() + "." }
        return FolderContents(path: path, entries: folders + files, note: note)
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
