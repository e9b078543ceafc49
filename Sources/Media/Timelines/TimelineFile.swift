// SPDX-License-Identifier: Apache-2.0

import Glibc
public import PlayheadAssets
import PlayheadTime

extension Timeline {
    /// The extensions of timeline files, in lower case.
    package static let fileExtensions: Set = ["otio", "otioz", "otiod", "edl"]

    /// The maximum size of a timeline's text, in bytes.
    private static let maximumBytes = Int64(256 << 20)

    /// Returns whether a path has the extension of a timeline file.
    package static func isTimeline(_ path: String) -> Bool {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: ".") else { return false }
        return fileExtensions.contains(name[name.index(after: dot)...].lowercased())
    }

    /// Reads a timeline from OpenTimelineIO (`.otio`, and the bundles `.otioz` and `.otiod`), or
    /// from an edit decision list in the CMX 3600 format (`.edl`). No media is opened.
    ///
    /// - Throws: `MediaError` if the timeline cannot be read. The cause names the track and the
    ///   clip.
    public init(
        path: String, options: TimelineOptions = TimelineOptions()
    ) throws(MediaError) {
        let content = try Self.content(of: path, options)
        let tracks = try TimelineFlattener.tracks(of: content.root, subject: path)
        self.init(
            name: content.name, tracks: tracks, startTimecode: content.startTimecode,
            notes: content.notes)
    }

    private static func content(
        of path: String, _ options: TimelineOptions
    ) throws(MediaError) -> TimelineContent {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw MediaError(
                .cannotOpen, subject: path, cause: String(cString: strerror(errno)).lowercased(),
                remedy: "check the path")
        }
        if status.st_mode & S_IFMT == S_IFDIR {
            return try OTIOReader.timeline(
                try bytes(of: "\(path)/content.otio"), subject: path,
                locator: MediaLocator(folder: path, options: options))
        }
        let bytes = try bytes(of: path, isArchive: path.lowercased().hasSuffix(".otioz"))
        if bytes.starts(with: [0x50, 0x4B]) {
            let archive = try ZipArchive(path: path)
            return try OTIOReader.timeline(
                try archive.content(of: "content.otio", limit: maximumBytes), subject: path,
                locator: MediaLocator(archive: archive, options: options))
        }
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let locator = MediaLocator(folder: folder, options: options)
        return path.lowercased().hasSuffix(".edl")
            ? try EDLReader.timeline(bytes, subject: path, locator: locator, options: options)
            : try OTIOReader.timeline(bytes, subject: path, locator: locator)
    }

    /// Returns the bytes of a file. For an archive, only the bytes that identify its format are
    /// returned.
    private static func bytes(
        of path: String, isArchive: Bool = false
    ) throws(MediaError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw MediaError(
                .cannotOpen, subject: path, cause: String(cString: strerror(errno)).lowercased(),
                remedy: "check the path")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw MediaError(
                .cannotOpen, subject: path, cause: "it is a folder, a pipe or a device",
                remedy: "copy the timeline to a regular file")
        }
        guard isArchive || Int64(status.st_size) <= maximumBytes else {
            throw MediaError(
                .limitExceeded, subject: path,
                cause: "it has \(status.st_size) bytes; at most \(maximumBytes) are read",
                remedy: "export a smaller part")
        }
        let size = isArchive ? min(Int(status.st_size), 4) : Int(status.st_size)
        var result = [UInt8](repeating: 0, count: size)
        var filled = 0
        while filled < size {
            let count = result.withUnsafeMutableBytes { bytes in
                read(descriptor, bytes.baseAddress?.advanced(by: filled), size - filled)
            }
            guard count > 0 else { break }
            filled += count
        }
        return Array(result[..<filled])
    }
}
