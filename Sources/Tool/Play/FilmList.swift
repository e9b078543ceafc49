// SPDX-License-Identifier: Apache-2.0

import Foundation
import Playhead

/// What is named on a command line, as films: folders and playlists are opened, and `-` is what comes
/// on standard input.
struct FilmList {
    /// Films of a folder or a playlist.
    static let limit = 10_000
    /// Bytes of a playlist, and of films that come on standard input and are kept in memory.
    private static let playlistLimit = 8 << 20

    /// Endings of what is played of a folder.
    private static let extensions: Set<String> = [
        "mp4", "m4v", "mov", "mkv", "webm", "avi", "mpg", "mpeg", "ts", "m2ts", "mts", "vob", "ogv",
        "ogg", "flv", "wmv", "3gp", "mxf", "gif", "mp3", "m4a", "flac", "opus", "wav", "aac",
    ]

    /// The films that arguments name, in order.
    ///
    /// - Parameter skip: told of folders and playlists in which there is nothing to play, which are
    ///   passed over.
    static func films(_ arguments: [String], skip: (MediaError) -> Void) -> [String] {
        arguments.flatMap { films(of: $0, depth: 0, skip) }
    }

    private static func films(
        of argument: String, depth: Int, _ skip: (MediaError) -> Void
    ) -> [String] {
        guard case .file(let path) = AssetLocation(argument), argument != "-" else {
            return [argument]
        }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            return [argument]
        }
        do throws(MediaError) {
            if isFolder.boolValue { return try folder(path) }
            let ending = (path as NSString).pathExtension.lowercased()
            guard ending == "m3u" || ending == "m3u8", depth < 3 else { return [argument] }
            return try playlist(path, depth: depth, skip)
        } catch {
            skip(error)
            return []
        }
    }

    private static func folder(_ path: String) throws(MediaError) -> [String] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            let isForbidden = (error as? CocoaError)?.code == .fileReadNoPermission
            throw MediaError(
                .cannotOpen, subject: path,
                cause: isForbidden
                    ? "this directory may not be read" : "this directory cannot be read",
                remedy: isForbidden ? "check its permissions" : "check the disk")
        }
        let films = names.filter {
            !$0.hasPrefix(".") && extensions.contains(($0 as NSString).pathExtension.lowercased())
        }
        guard !films.isEmpty else {
            throw MediaError(
                .cannotOpen, subject: path, cause: "there is no film in this directory",
                remedy: "name a file, or another directory")
        }
        // As people count: 2 before 10.
        return films.sorted {
            $0.compare($1, options: [.numeric, .caseInsensitive]) == .orderedAscending
        }
        .prefix(limit).map { (path as NSString).appendingPathComponent($0) }
    }

    /// The lines of a list of films. A list of the parts of one film, HLS, is a film.
    private static func playlist(
        _ path: String, depth: Int, _ skip: (MediaError) -> Void
    ) throws(MediaError) -> [String] {
        guard let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int,
            size <= playlistLimit, let data = FileManager.default.contents(atPath: path)
        else { return [path] }
        let text = String(text: data)
        if text.contains("#EXT-X-") { return [path] }
        let folder = (path as NSString).deletingLastPathComponent
        var films: [String] = []
        var hasEntries = false
        for line in text.split(whereSeparator: \.isNewline) where films.count < limit {
            let entry = line.trimmingCharacters(in: .whitespaces)
            guard !entry.isEmpty, !entry.hasPrefix("#") else { continue }
            hasEntries = true
            let isWhole = entry.contains("://") || entry.hasPrefix("/") || folder.isEmpty
            let place = isWhole ? entry : (folder as NSString).appendingPathComponent(entry)
            films += Self.films(of: place, depth: depth + 1, skip)
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
