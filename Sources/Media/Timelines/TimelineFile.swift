// SPDX-License-Identifier: Apache-2.0

import Glibc
public import PlayheadAssets
import PlayheadTime

extension Timeline {
    /// The extensions of the files that are timelines, in lower case.
    package static let fileExtensions: Set = ["otio", "otioz", "otiod", "edl"]

    /// The largest text of a timeline, in bytes.
    private static let maximumBytes = Int64(256 << 20)

    /// Returns whether a path is that of a timeline, by its extension.
    package static func isTimeline(_ path: String) -> Bool {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: ".") else { return false }
        return fileExtensions.contains(name[name.index(after: dot)...].lowercased())
    }

    /// Reads a timeline: OpenTimelineIO (`.otio`, and the bundles `.otioz` and `.otiod`), or an
    /// edit decision list of the kind CMX 3600 (`.edl`). No media is opened.
    ///
    /// - Throws: `MediaError` if it cannot be read; the cause names the track and the clip.
    public init(
        path: String, options: TimelineOptions = TimelineOptions()
    ) throws(MediaError) {
        let content = try Self.content(of: path, options)
        let tracks = try TimelineFlattener.tracks(of: content.root, subject: path)
        self.init(
            name: content.name, tracks: tracks, startTimecode: content.startTimecode,
            notes: content.notes)
        for track in tracks where track.mediaType == .video {
            let place = track.name.isEmpty ? "" : "track '\(track.name)'"
            notes += track.transitions.map { transition in
                TimelineNote(
                    place: place,
                    text: "the transition '\(transition.kind)' at "
                        + "\(transition.cutTime.clockDescription) is a cut")
            }
        }
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

    /// Returns the bytes of a file. Of an archive, it returns only those that state its format.
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
                .cannotOpen, subject: path, cause: "it is not a file", remedy: "copy it to a file")
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
