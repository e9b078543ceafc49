// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// What is named on a command line, as films: folders and playlists are opened, and `-` is what comes
/// on standard input.
struct FilmList {
    /// Films of a folder or a playlist.
    static let limit = 10_000
    /// Bytes of a playlist, and of films that come on standard input and are kept in memory.
    private static let playlistLimit = 8 << 20

    /// How many playlists may lead to each other.
    private static let depthLimit = 3

    /// Endings of what is played of a folder.
    private static let extensions: Set<String> = [
        "mp4", "m4v", "mov", "qt", "mkv", "mk3d", "webm", "avi", "divx", "mpg", "mpeg", "mpe",
        "m1v", "m2v", "m2p", "ts", "m2ts", "mts", "m2t", "vob", "ogv", "ogg", "ogm", "flv", "f4v",
        "wmv", "asf", "wtv", "rm", "rmvb", "3gp", "3gpp", "3g2", "mxf", "dv", "y4m", "nut", "ivf",
        "mj2", "gif",
        "mp3", "mp2", "m4a", "m4b", "mka", "weba", "flac", "opus", "oga", "spx", "wav", "w64", "wv",
        "wma", "aiff", "aif", "aifc", "au", "caf", "aac", "ac3", "eac3", "dts", "amr", "ape", "mpc",
        "tta",
    ]

    /// The films that arguments name, in order.
    ///
    /// - Parameter skip: told of folders and playlists in which there is nothing to play, and of names that
    ///   are no text, which are passed over.
    static func films(_ arguments: [String], skip: (MediaError) -> Void) -> [ListedFilm] {
        arguments.flatMap { films(of: $0, in: [], skip) }
    }

    /// - Parameter lists: the playlists that lead to it.
    private static func films(
        of argument: String, in lists: [String], _ skip: (MediaError) -> Void
    ) -> [ListedFilm] {
        if InputFile.isStandardInput(argument), let form = listOnInput {
            do throws(MediaError) {
                return try playlist("/dev/stdin", form, in: lists, skip)
            } catch {
                skip(error)
                return []
            }
        }
        let itself = [ListedFilm(file: argument)]
        guard case .file(let path) = AssetLocation(argument), argument != "-" else { return itself }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            guard let error = unreadableName(path) else { return itself }
            skip(error)
            return []
        }
        do throws(MediaError) {
            if isFolder.boolValue {
                return try folder(path, skip).map { ListedFilm(file: $0) }
            }
            guard !InputFile.isSubtitles(path) else {
                throw MediaError(
                    .unknownFormat, subject: path, cause: "it holds subtitles, and no film",
                    remedy: "name it by --sub beside a film")
            }
            let ending = (path as NSString).pathExtension.lowercased()
            guard let form = ListForm(rawValue: ending) else { return itself }
            return try playlist(path, form, in: lists, skip)
        } catch {
            skip(error)
            return []
        }
    }

    /// The films of a folder and of those in it, in the order of their names.
    private static func folder(
        _ path: String, _ skip: (MediaError) -> Void
    ) throws(MediaError) -> [String] {
        var films: [String] = []
        var (folderCount, hasSkipped) = (0, false)
        func pass(over error: MediaError) {
            hasSkipped = true
            skip(error)
        }
        // Folders that links lead back to are not gone into again.
        func walk(_ path: String, in parents: [String]) throws(MediaError) {
            let place = URL(filePath: path).resolvingSymlinksInPath().path
            guard !parents.contains(place), folderCount < limit else { return }
            folderCount += 1
            for name in try names(in: path) where films.count < limit {
                let film = (path as NSString).appendingPathComponent(name)
                var isFolder: ObjCBool = false
                let isThere = FileManager.default.fileExists(atPath: film, isDirectory: &isFolder)
                if isFolder.boolValue {
                    do throws(MediaError) { try walk(film, in: parents + [place]) } catch {
                        pass(over: error)
                    }
                } else if extensions.contains((name as NSString).pathExtension.lowercased()) {
                    if !isThere, let error = unreadableName(film) {
                        pass(over: error)
                    } else {
                        films.append(film)
                    }
                }
            }
        }
        try walk(path, in: [])
        guard !films.isEmpty || hasSkipped else {
            throw MediaError(
                .cannotOpen, subject: path, cause: "there is no film in this directory",
                remedy: "name a file, or another directory")
        }
        return films
    }

    /// What a folder holds that is not hidden, as people count: 2 before 10.
    private static func names(in path: String) throws(MediaError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
                .filter { !$0.hasPrefix(".") }
                .sorted {
                    $0.compare($1, options: [.numeric, .caseInsensitive]) == .orderedAscending
                }
        } catch {
            let isForbidden = (error as? CocoaError)?.code == .fileReadNoPermission
            throw MediaError(
                .cannotOpen, subject: path,
                cause: isForbidden
                    ? "this directory may not be read" : "this directory cannot be read",
                remedy: isForbidden ? "check its permissions" : "check the disk")
        }
    }

    /// What is wrong with a name, of which there is no file, that was no text: it has been made one, which
    /// is no file's. Nil for others.
    private static func unreadableName(_ path: String) -> MediaError? {
        guard path.contains("\u{FFFD}") else { return nil }
        return MediaError(
            .cannotOpen, subject: path, cause: "its name is not UTF-8", remedy: "rename it")
    }

    /// The form of a list in the file that standard input is; nil for films, and for pipes, whose beginning is
    /// gone once it has been looked at.
    private static var listOnInput: ListForm? {
        var status = stat()
        guard fstat(STDIN_FILENO, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size <= playlistLimit
        else { return nil }
        let head = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            count = max(0, pread(STDIN_FILENO, buffer.baseAddress, buffer.count, 0))
        }
        return ListForm(head: head)
    }

    /// Lists of films, by their endings.
    enum ListForm: String {
        case m3u, m3u8
        /// Winamp's, with `File1=` before each entry.
        case pls
        /// VLC's.
        case xspf

        /// The form of a list that has no name, by how it begins; nil for what is none, or the list of the
        /// parts of one film.
        init?(head: [UInt8]) {
            let text = String(text: Data(head)).drop { $0 == "\u{FEFF}" }
            if text.hasPrefix("#EXTM3U"), !text.contains("#EXT-X-") {
                self = .m3u
            } else if text.lowercased().hasPrefix("[playlist]") {
                self = .pls
            } else if text.hasPrefix("<?xml"), text.contains("//xspf.org/") {
                self = .xspf
            } else {
                return nil
            }
        }

        /// What a line names; nil for nothing.
        func entry(_ line: Substring) -> String? {
            let line = line.trimmingCharacters(in: .whitespaces)
            guard self == .pls else { return line.isEmpty || line.hasPrefix("#") ? nil : line }
            guard let sign = line.firstIndex(of: "="), line.lowercased().hasPrefix("file"),
                Int(line[..<sign].dropFirst(4)) != nil
            else { return nil }
            let name = line[line.index(after: sign)...].trimmingCharacters(in: .whitespaces)
            return name.isEmpty ? nil : name
        }

        /// What a line calls the entry that follows, or in PLS the one before; nil for nothing.
        func title(_ line: Substring) -> String? {
            let line = line.trimmingCharacters(in: .whitespaces)
            let isTitle =
                self == .pls ? line.lowercased().hasPrefix("title") : line.hasPrefix("#EXTINF:")
            guard isTitle, let mark = line.firstIndex(of: self == .pls ? "=" : ",") else {
                return nil
            }
            let title = line[line.index(after: mark)...].trimmingCharacters(in: .whitespaces)
            return title.isEmpty ? nil : title
        }
    }

    /// What an entry of a playlist names. Some programs write paths as addresses have them, with `%20` for
    /// a space, or with `\`; where there is no file of that name, they are read so.
    private static func place(of entry: String, in folder: String) -> String {
        if entry.contains("://") { return entry }
        func path(_ entry: String) -> String {
            entry.hasPrefix("/") || folder.isEmpty
                ? entry : (folder as NSString).appendingPathComponent(entry)
        }
        let slashed = entry.replacingOccurrences(of: "\\", with: "/")
        let readings = [entry, entry.removingPercentEncoding ?? entry, slashed].map(path)
        return readings.first(where: FileManager.default.fileExists(atPath:)) ?? readings[0]
    }

    /// A list is in UTF-8, or as older programs of Windows write it: in UTF-16 with its mark, or Windows-1252.
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

    /// The lines of a list of films. A list of the parts of one film, HLS, is a film.
    private static func playlist(
        _ path: String, _ form: ListForm, in lists: [String], _ skip: (MediaError) -> Void
    ) throws(MediaError) -> [ListedFilm] {
        let file = URL(filePath: path).resolvingSymlinksInPath().path
        guard !lists.contains(file), lists.count < depthLimit else {
            throw MediaError(
                .cannotOpen, subject: path,
                cause: lists.contains(file)
                    ? "this playlist leads to itself" : "playlists lead to each other too often",
                remedy: "take that line out of \(lists.last ?? path)")
        }
        guard let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int,
            size <= playlistLimit, let data = FileManager.default.contents(atPath: path)
        else { return [ListedFilm(file: path)] }
        var (text, form) = (Self.text(of: data), form)
        if form == .xspf { (text, form) = (XSPFList.m3u(text), .m3u) }
        if text.contains("#EXT-X-") { return [ListedFilm(file: path)] }
        // What is in a list without a place is where the program is.
        let folder =
            InputFile.isStandardInput(path) ? "" : (path as NSString).deletingLastPathComponent
        var films: [ListedFilm] = []
        var hasEntries = false
        var title: String?
        // How many films the last entry came to: a title is that of one.
        var lastCount = 0
        for line in text.split(whereSeparator: \.isNewline) where films.count < limit {
            if let name = form.title(line) {
                if form == .pls, lastCount == 1 {
                    films[films.count - 1].title = name
                } else {
                    title = name
                }
            }
            guard let entry = form.entry(line) else { continue }
            hasEntries = true
            var found = Self.films(of: place(of: entry, in: folder), in: lists + [file], skip)
            if form != .pls, let title, found.count == 1 { found[0].title = title }
            title = nil
            lastCount = found.count
            films += found
        }
        // What entries lack has been told of each.
        guard hasEntries else {
            throw MediaError(
                .cannotOpen, subject: path, cause: "there is no film in this playlist",
                remedy: "write a path or an address a line, or name a file")
        }
        return films
    }
}
