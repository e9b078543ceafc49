// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// Expands the arguments of a command line into playlist entries. It opens directories and
/// playlists, and reads a playlist from standard input.
///
/// A playlist or directory is rejected if it refers to itself, to a directory above it, or to a
/// file in `/proc`, `/sys` or `/dev`. `PlaylistBudget` limits the search.
struct PlaylistReader {
    /// The extensions of files that are played if they are found in a directory.
    private static let extensions: Set<String> = [
        "mp4", "m4v", "mov", "qt", "mkv", "mk3d", "webm", "avi", "divx", "mpg", "mpeg", "mpe",
        "m1v", "m2v", "m2p", "ts", "m2ts", "mts", "m2t", "vob", "ogv", "ogg", "ogm", "flv", "f4v",
        "wmv", "asf", "wtv", "rm", "rmvb", "3gp", "3gpp", "3g2", "mxf", "dv", "y4m", "nut", "ivf",
        "mj2", "gif",
        "mp3", "mp2", "m4a", "m4b", "mka", "weba", "flac", "opus", "oga", "spx", "wav", "w64", "wv",
        "wma", "aiff", "aif", "aifc", "au", "caf", "aac", "ac3", "eac3", "dts", "amr", "ape", "mpc",
        "tta",
    ]

    private var budget: PlaylistBudget
    /// Called with each problem: an input that is skipped, or a limit that was reached.
    private let skip: (MediaError) -> Void

    /// A playlist that is being read, and the directories that its entries must not refer to.
    private struct List {
        let path: String
        let identity: FileIdentity?
        let folders: Set<FileIdentity>
    }

    /// Returns the entries for the arguments, in order.
    ///
    /// - Parameters:
    ///   - now: returns the current time, for the time limit.
    ///   - nameLimit: the maximum number of directory entries that are examined.
    ///   - skip: called with each directory or playlist that contains nothing to play, each name
    ///     that is not UTF-8, and each limit that was reached.
    static func entries(
        _ arguments: [String], now: @escaping () -> MediaTime = { HostClock.shared.time },
        nameLimit: Int = PlaylistBudget.nameLimit, skip: (MediaError) -> Void
    ) -> [PlaylistEntry] {
        withoutActuallyEscaping(skip) { skip in
            var reader = PlaylistReader(
                budget: PlaylistBudget(now: now, nameLimit: nameLimit), skip: skip)
            var entries: [PlaylistEntry] = []
            for argument in arguments {
                entries += reader.entries(of: argument, in: [])
                guard let exhaustion = reader.budget.exhaustion else { continue }
                skip(
                    MediaError(
                        .limitExceeded, subject: argument, cause: exhaustion,
                        remedy: "name fewer files, or a smaller directory"))
                break
            }
            return entries
        }
    }

    private init(budget: PlaylistBudget, skip: @escaping (MediaError) -> Void) {
        self.budget = budget
        self.skip = skip
    }

    private mutating func report(_ error: MediaError) {
        if budget.addReport() {
            skip(error)
        } else if budget.reportCount == PlaylistBudget.reportLimit + 1 {
            skip(
                MediaError(
                    .limitExceeded, subject: error.subject,
                    cause: "further unplayable entries are skipped without a message",
                    remedy: "correct the playlist"))
        }
    }

    /// Returns the entries for an argument.
    ///
    /// - Parameter lists: the playlists that contain the argument, the outermost first.
    private mutating func entries(of argument: String, in lists: [List]) -> [PlaylistEntry] {
        guard budget.hasRoom() else { return [] }
        do throws(MediaError) {
            return try openedEntries(of: argument, in: lists)
        } catch {
            report(error)
            return []
        }
    }

    private mutating func openedEntries(
        of argument: String, in lists: [List]
    ) throws(MediaError) -> [PlaylistEntry] {
        if lists.isEmpty, InputFile.isStandardInput(argument), let form = Self.formOfStandardInput {
            return try playlist("/dev/stdin", form, in: lists)
        }
        if !lists.isEmpty, AssetLocation.isReceived(argument) {
            throw MediaError(
                .notAllowed, subject: AssetLocation(argument).publicDescription,
                cause: "a playlist may not refer to a live stream (udp, rtp, srt, rtsp)",
                remedy: "name it in place of the playlist if you trust it")
        }
        guard case .file(let path) = AssetLocation(argument) else { return entry(argument) }
        if lists.isEmpty, argument == "-" { return entry(argument) }
        guard !path.utf8.contains(0) else {
            throw MediaError(
                .cannotOpen, subject: path, cause: "the path contains a NUL byte",
                remedy: "name a file")
        }
        guard let identity = FileIdentity(path) else {
            if let error = Self.undecodableName(path) { throw error }
            return entry(argument)
        }
        try check(path, identity, in: lists)
        if identity.isDirectory { return try folder(path) }
        guard !InputFile.isSubtitles(path) else {
            throw MediaError(
                .unknownFormat, subject: path, cause: "the file contains only subtitles",
                remedy: "open a video, and add this file with --sub")
        }
        let ending = (path as NSString).pathExtension.lowercased()
        guard identity.isRegularFile, let form = PlaylistForm(rawValue: ending) else {
            return entry(argument)
        }
        return try playlist(path, form, in: lists)
    }

    private mutating func entry(_ file: String) -> [PlaylistEntry] {
        budget.addEntry() ? [PlaylistEntry(file: file)] : []
    }

    /// Throws an error for files in the kernel's directory trees, and for a playlist that refers to
    /// itself.
    private func check(
        _ path: String, _ identity: FileIdentity, in lists: [List]
    ) throws(MediaError) {
        // On a command line, /dev/fd/3 is a pipe from a shell.
        let isRefusedKind = identity.isDirectory || !lists.isEmpty
        // The target of a pipe's link is not a path.
        if isRefusedKind, FileIdentity.isInSystemTree(FileIdentity.realPath(path) ?? path) {
            throw MediaError(
                .notAllowed, subject: path, cause: "system directories hold no media",
                remedy: lists.last.map { "remove this path from \($0.path)" }
                    ?? "name another directory")
        }
        guard let list = lists.last else { return }
        if identity.isDirectory, lists.contains(where: { $0.folders.contains(identity) }) {
            throw MediaError(
                .notAllowed, subject: path,
                cause: "a playlist in the directory refers to the directory itself",
                remedy: "remove this path from \(list.path)")
        }
    }

    // MARK: Directories

    /// Returns the media files of a directory and of its subdirectories, in natural order.
    private mutating func folder(_ path: String) throws(MediaError) -> [PlaylistEntry] {
        var files: [PlaylistEntry] = []
        let reportsBefore = budget.reportCount
        // Links to a directory above, or to one that has already been searched, are not followed.
        var visited = FileIdentity.folders(above: path)
        try search(path, depth: 0, visited: &visited, into: &files)
        guard !files.isEmpty || budget.reportCount > reportsBefore || budget.exhaustion != nil
        else {
            throw MediaError(
                .cannotOpen, subject: path, cause: "the directory contains no media files",
                remedy: "name a file, or another directory")
        }
        return files
    }

    private mutating func search(
        _ path: String, depth: Int, visited: inout Set<FileIdentity>,
        into files: inout [PlaylistEntry]
    ) throws(MediaError) {
        guard let identity = FileIdentity(path), visited.insert(identity).inserted else { return }
        guard depth <= PlaylistBudget.folderDepthLimit else {
            throw MediaError(
                .limitExceeded, subject: path,
                cause: "directories nested deeper than \(PlaylistBudget.folderDepthLimit) levels "
                    + "are skipped", remedy: "open this directory on its own")
        }
        for name in try Self.names(in: path, &budget) where budget.hasRoom() {
            let file = (path as NSString).appendingPathComponent(name)
            let isMedia = Self.isMedia(name)
            guard let identity = FileIdentity(file) else {
                guard isMedia else { continue }
                if let error = Self.undecodableName(file) {
                    report(error)
                } else {
                    files += entry(file)
                }
                continue
            }
            guard identity.isDirectory || isMedia else { continue }
            let isSystem = FileIdentity.realPath(file).map(FileIdentity.isInSystemTree) == true
            if identity.isDirectory, !isSystem {
                do throws(MediaError) {
                    try search(file, depth: depth + 1, visited: &visited, into: &files)
                } catch {
                    report(error)
                }
            } else if identity.isRegularFile, !isSystem {
                files += entry(file)
            }
        }
    }

    /// Returns whether a file in a directory is played, by its extension.
    static func isMedia(_ name: String) -> Bool {
        extensions.contains((name as NSString).pathExtension.lowercased())
    }

    /// Returns the names in a directory that are not hidden, in natural order: 2 before 10.
    static func names(
        in path: String, _ budget: inout PlaylistBudget
    ) throws(MediaError) -> [String] {
        guard let directory = opendir(path) else {
            let isForbidden = errno == EACCES || errno == EPERM
            throw MediaError(
                .cannotOpen, subject: path,
                cause: isForbidden
                    ? "reading this directory is not permitted" : "this directory cannot be read",
                remedy: isForbidden ? "check its permissions" : "check the disk")
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let item = readdir(directory), budget.addName() {
            let name = withUnsafePointer(to: &item.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted {
            $0.compare($1, options: [.numeric, .caseInsensitive]) == .orderedAscending
        }
    }

    /// Returns the error for a path that was not UTF-8, and therefore refers to no file; nil for
    /// other paths.
    static func undecodableName(_ path: String) -> MediaError? {
        guard path.contains("\u{FFFD}") else { return nil }
        return MediaError(
            .cannotOpen, subject: path, cause: "the name is not UTF-8", remedy: "rename the file")
    }

    // MARK: Playlists

    /// The format of a playlist on standard input. It is nil for media, and for a pipe, because a
    /// pipe's first bytes can be read only once.
    private static var formOfStandardInput: PlaylistForm? {
        var status = stat()
        guard fstat(STDIN_FILENO, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size <= PlaylistBudget.fileLimit
        else { return nil }
        let head = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            count = max(0, pread(STDIN_FILENO, buffer.baseAddress, buffer.count, 0))
        }
        return PlaylistForm(head: head)
    }

    /// Returns the path or URL of an entry. Some programs write paths with percent escapes, or with
    /// `\` as the separator. These forms are tried if no file has the literal name.
    private static func place(of entry: String, in folder: String) -> String {
        if entry.contains("://") { return entry }
        func path(_ entry: String) -> String {
            entry.hasPrefix("/") || folder.isEmpty
                ? entry : (folder as NSString).appendingPathComponent(entry)
        }
        let slashed = entry.replacingOccurrences(of: "\\", with: "/")
        let readings = [entry, entry.removingPercentEncoding ?? entry, slashed].map(path)
        return readings.first { FileIdentity($0) != nil } ?? readings[0]
    }

    /// Decodes a playlist: UTF-8, UTF-16 with a byte order mark, or Windows-1252.
    private static func text(of data: Data) -> String {
        if data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xFE, 0xFF]) {
            return String(data: data, encoding: .utf16) ?? ""
        }
        if String(validating: data, as: UTF8.self) == nil,
            let text = String(data: data, encoding: .windowsCP1252)
        {
            return text
        }
        return String(text: data)
    }

    /// Reads a playlist; returns nil for media, and for a file that cannot be read.
    ///
    /// - Throws: `MediaError` with the code `limitExceeded` if the playlist is longer than the
    ///   limit.
    private static func contents(of path: String) throws(MediaError) -> Data? {
        guard let file = FileHandle(forReadingAtPath: path),
            let data = try? file.read(upToCount: PlaylistBudget.fileLimit + 1)
        else { return nil }
        guard data.count > PlaylistBudget.fileLimit else { return data }
        // The name may be wrong, and the playlist of an HLS stream may be long.
        var head = text(of: data.prefix(1 << 16))
        guard !hasNUL(&head), !head.contains("#EXT-X-") else { return nil }
        throw MediaError(
            .limitExceeded, subject: path,
            cause: "the playlist exceeds \(PlaylistBudget.fileLimit >> 20) MiB",
            remedy: "split it into smaller playlists")
    }

    /// Returns the entries of a playlist. An HLS playlist has one entry, which is the stream.
    private mutating func playlist(
        _ path: String, _ form: PlaylistForm, in lists: [List]
    ) throws(MediaError) -> [PlaylistEntry] {
        let identity = FileIdentity(path)
        let isLoop = lists.contains { $0.identity == identity }
        guard !isLoop, lists.count < PlaylistBudget.listDepthLimit else {
            throw MediaError(
                isLoop ? .notAllowed : .limitExceeded, subject: path,
                cause: isLoop
                    ? "the playlist refers to itself"
                    : "playlists are nested deeper than \(PlaylistBudget.listDepthLimit)",
                remedy: "remove this path from \(lists.last?.path ?? path)")
        }
        guard let data = try Self.contents(of: path) else { return entry(path) }
        guard budget.addBytes(data.count) else { return [] }
        var (text, form) = (Self.text(of: data), form)
        guard !Self.hasNUL(&text) else {
            throw MediaError(
                .unknownFormat, subject: path, cause: "the playlist is not text: it has NUL bytes",
                remedy: "name a media file or a playlist in UTF-8")
        }
        if form == .xspf { (text, form) = (XSPFPlaylist.m3u(text), .m3u) }
        if text.contains("#EXT-X-") { return entry(path) }
        // Entries of a playlist on standard input are relative to the working directory.
        let isInput = InputFile.isStandardInput(path)
        let folder = isInput ? "" : (path as NSString).deletingLastPathComponent
        var folders = FileIdentity.folders(above: path)
        if isInput { folders.formUnion(FileIdentity.folders(above: ".")) }
        let list = List(
            path: isInput ? "standard input" : path, identity: identity, folders: folders)
        return try entries(of: text, form, in: lists + [list], from: folder)
    }

    /// Returns whether a text contains a NUL byte. It uses `memchr`, because a playlist can be
    /// megabytes long.
    private static func hasNUL(_ text: inout String) -> Bool {
        text.withUTF8 { bytes in
            bytes.baseAddress.map { memchr($0, 0, bytes.count) != nil } ?? false
        }
    }

    private mutating func entries(
        of text: String, _ form: PlaylistForm, in lists: [List], from folder: String
    ) throws(MediaError) -> [PlaylistEntry] {
        var entries: [PlaylistEntry] = []
        var hasEntries = false
        var title: String?
        // A title applies to an entry that is a file. An entry that is a directory has several
        // files.
        var lastCount = 0
        // The text is split as bytes, which is fast even if a line is as long as the file.
        let lines = text.utf8.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        for line in lines.lazy.map(Substring.init) where budget.hasRoom() {
            if let name = form.title(line) {
                if form == .pls, lastCount == 1 {
                    entries[entries.count - 1].title = name
                } else {
                    title = name
                }
            }
            guard let entry = form.entry(line) else { continue }
            hasEntries = true
            var found = self.entries(of: Self.place(of: entry, in: folder), in: lists)
            if form != .pls, let title, found.count == 1 { found[0].title = title }
            title = nil
            lastCount = found.count
            entries += found
        }
        // The problems of the entries have been reported individually.
        guard hasEntries || budget.exhaustion != nil else {
            throw MediaError(
                .cannotOpen, subject: lists.last?.path ?? folder,
                cause: "the playlist has no entries",
                remedy: "add a path or URL on each line, or name a file")
        }
        return entries
    }
}
