// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadAssets

/// A locator that finds the media to which a timeline refers, if the access rules allow it.
///
/// A timeline in a file may refer to files in its own folder and below, and to files in the media
/// folders. Symbolic links are resolved before this is checked. A timeline in an archive may refer
/// only to the archive.
final class MediaLocator {
    /// The maximum number of images in a sequence.
    static let maximumImages = 1_000_000
    /// The maximum number of files that are examined in the media folders.
    private static let maximumFiles = 100_000
    private static let maximumDepth = 16

    private enum Place {
        /// The path of a folder, with all symbolic links resolved.
        case folder(String)
        case archive(ZipArchive)
    }

    private let place: Place
    private let options: TimelineOptions
    /// The paths of the media folders, with all symbolic links resolved.
    private let mediaFolders: [String]
    /// The files in the media folders by name; nil until they have been listed.
    private var files: [String: String]?

    /// Creates a locator for a timeline in a folder.
    init(folder: String, options: TimelineOptions) {
        place = .folder(Self.realPath(folder) ?? folder)
        self.options = options
        mediaFolders = options.mediaFolders.compactMap(Self.realPath)
    }

    /// Creates a locator for a timeline in an archive.
    init(archive: ZipArchive, options: TimelineOptions) {
        place = .archive(archive)
        self.options = options
        mediaFolders = options.mediaFolders.compactMap(Self.realPath)
    }

    /// Returns the media at a URL or path that the timeline states.
    func media(_ url: String) -> Result<TimelineMedia, MediaError> {
        let text = url.lowercased()
        if text.hasPrefix("http://") || text.hasPrefix("https://") { return remote(url) }
        let path = Self.path(of: url)
        switch place {
        case .archive(let archive):
            for name in [url, path] {
                if archive.contains(name) {
                    return .success(.archive(path: archive.path, entry: name))
                }
            }
            return relinked(path).map { .success($0) }
                ?? .failure(error(.cannotOpen, path, "the archive does not contain it"))
        case .folder(let folder):
            let full = path.hasPrefix("/") ? path : "\(folder)/\(path)"
            guard let real = Self.realPath(full) else {
                return relinked(path).map { .success($0) }
                    ?? .failure(error(.cannotOpen, path, "the file does not exist"))
            }
            let allowed = options.rules.folder.map { Self.realPath($0) ?? $0 } ?? folder
            if ([allowed] + mediaFolders).contains(where: { Self.lies(real, in: $0) }) {
                return .success(.location(.file(path: real)))
            }
            return relinked(path).map { .success($0) }
                ?? .failure(error(.notAllowed, path, "it is outside the folder of the timeline"))
        }
    }

    private func remote(_ url: String) -> Result<TimelineMedia, MediaError> {
        let isSecure = url.lowercased().hasPrefix("https")
        guard options.rules.filesMayReachNetwork,
            options.rules.schemes.contains(isSecure ? .https : .http)
        else {
            return relinked(url).map { .success($0) }
                ?? .failure(error(.notAllowed, url, "a file may not refer to the network"))
        }
        return .success(.location(.remote(url: url)))
    }

    private func error(_ code: MediaError.Code, _ subject: String, _ cause: String) -> MediaError {
        MediaError(
            code, subject: subject, cause: cause,
            remedy: "add the folder that contains it to the media folders")
    }

    // MARK: - Media folders

    /// Returns the file in the media folders that has the same name as the file at `path`.
    private func relinked(_ path: String) -> TimelineMedia? {
        guard !mediaFolders.isEmpty else { return nil }
        let name = path.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? ""
        if files == nil {
            var found: [String: String] = [:]
            var count = 0
            for folder in mediaFolders { list(folder, depth: 0, &found, &count) }
            files = found
        }
        return files?[name].map { .location(.file(path: $0)) }
    }

    private func list(
        _ folder: String, depth: Int, _ found: inout [String: String], _ count: inout Int
    ) {
        guard depth < Self.maximumDepth, let directory = opendir(folder) else { return }
        defer { closedir(directory) }
        var folders: [String] = []
        while count < Self.maximumFiles, let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard !name.hasPrefix(".") else { continue }
            count += 1
            // Symbolic links are not followed, because they may lead out of the folder or form a
            // loop.
            switch Int32(entry.pointee.d_type) {
            case Int32(DT_DIR): folders.append("\(folder)/\(name)")
            case Int32(DT_REG): if found[name] == nil { found[name] = "\(folder)/\(name)" }
            default: break
            }
        }
        for name in folders.sorted() { list(name, depth: depth + 1, &found, &count) }
    }

    // MARK: - Paths

    /// Returns the path that a URL names. Text that is not a URL is treated as a path.
    static func path(of url: String) -> String {
        guard url.lowercased().hasPrefix("file:") else {
            // Relative URLs are percent-encoded, but paths are not. The form that exists is chosen
            // later.
            return url.contains("%") ? String(decoding: decoded(url), as: UTF8.self) : url
        }
        var rest = url.dropFirst("file:".count)
        if rest.hasPrefix("//") { rest = rest.dropFirst(2).drop { $0 != "/" } }
        return String(decoding: decoded(String(rest)), as: UTF8.self)
    }

    private static func decoded(_ text: String) -> [UInt8] { PercentEncoding.decoded(text[...]) }

    static func realPath(_ path: String) -> String? {
        guard !path.utf8.contains(0), let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    static func lies(_ path: String, in folder: String) -> Bool {
        folder == "/" || path.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/")
    }
}
