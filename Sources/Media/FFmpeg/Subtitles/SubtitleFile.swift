// SPDX-License-Identifier: Apache-2.0

import Glibc
public import PlayheadAssets

/// Subtitles in a file of their own, in any format of text that FFmpeg knows, and in any encoding.
///
///     for path in SubtitleFile.paths(beside: "film.mkv") {
///         item.addSubtitles(SubtitleFile.asset(path), name: path)
///     }
///
/// - Concurrency: any thread; reading blocks.
/// - Errors: `MediaError`s that name the file, the cause and the remedy.
public enum SubtitleFile {
    /// Extensions by which subtitles beside a film are found.
    public static let extensions: Set<String> = ["srt", "ass", "ssa", "vtt", "sub", "sup"]

    /// An asset of the subtitles in a file, which does no work and cannot fail.
    ///
    /// Text that is not UTF-8 is brought to it: its encoding is guessed, as well as can be, by uchardet.
    ///
    /// - Parameter encoding: what iconv calls the file's encoding; nil to guess.
    public static func asset(
        _ path: String, encoding: String? = nil, options: AssetOptions = AssetOptions()
    ) -> URLAsset {
        URLAsset(
            location: .file(path: path),
            opener: Opener(data: nil, name: path, encoding: encoding, options: options))
    }

    /// The same of a file in memory.
    ///
    /// - Parameter name: what errors call it. Its extension helps to tell formats apart.
    public static func asset(
        _ bytes: [UInt8], name: String, encoding: String? = nil,
        options: AssetOptions = AssetOptions()
    ) -> DataAsset {
        DataAsset(
            name: name,
            opener: Opener(
                data: MemoryDataSource(bytes), name: name, encoding: encoding,
                options: options))
    }

    /// Opens files of subtitles: as UTF-8 in memory, where they are text.
    private struct Opener: AssetOpener {
        /// Nil for the file whose path the name is.
        let data: MemoryDataSource?
        let name: String
        let encoding: String?
        let options: AssetOptions

        init(data: MemoryDataSource?, name: String, encoding: String?, options: AssetOptions) {
            (self.data, self.name, self.encoding) = (data, name, encoding)
            var options = options
            options.allowsSubtitlesOnly = true
            self.options = options
        }

        func openDemuxer(cancellation: Cancellation) throws(MediaError) -> any Demuxer {
            let opener = try self.opener()
            do throws(MediaError) {
                return try opener.openDemuxer(cancellation: cancellation)
            } catch {
                guard error.code == .unknownFormat else { throw error }
                throw MediaError(
                    .unknownFormat, subject: name,
                    cause: "there are no subtitles in it in a known format",
                    remedy: "save them as SubRip (.srt), ASS or WebVTT")
            }
        }

        private func opener() throws(MediaError) -> FFmpegOpener {
            let source: any MediaDataSource =
                if let data { data } else { try GuardedFile.open(name).0 }
            // Pictures of discs: nothing to be read as text, and as large as they are.
            if isBinary(try bytes(of: source, limit: 512)) {
                return data.map { FFmpegOpener(.data($0, name: name), options: options) }
                    ?? FFmpegOpener(path: name, options: options)
            }
            let limit = options.limits.subtitles.fileBytes
            guard source.byteCount ?? 0 <= Int64(limit) else {
                throw MediaError(
                    .limitExceeded, subject: name,
                    cause: "it has more than \(limit >> 20) MiB, which is no text of a film",
                    remedy: "check that it is what its name says")
            }
            let text = try TextEncoding.utf8(
                try bytes(of: source, limit: limit), encoding: encoding, subject: name)
            return FFmpegOpener(
                .data(MemoryDataSource(SubtitleFile.readable(text)), name: name), options: options)
        }
    }

    /// Text as FFmpeg can read it, whatever its format.
    private static func readable(_ text: [UInt8]) -> [UInt8] {
        text.starts(with: "WEBVTT".utf8) ? WebVTT.cues(text) : SubRip.normalized(text)
    }

    /// Subtitles that lie beside a film: files of its name with another extension, perhaps with a
    /// language between, as in `film.en.srt`. In the order of their names.
    public static func paths(beside film: String) -> [String] {
        let slash = film.lastIndex(of: "/")
        let folder = slash.map { String(film[...$0]) } ?? ""
        let file = slash.map { film[film.index(after: $0)...] } ?? film[...]
        guard let stem = stem(of: file), let directory = opendir(folder.isEmpty ? "." : folder)
        else { return [] }
        defer { closedir(directory) }
        var found: [String] = []
        var remaining = maximumEntries
        while remaining > 0, let entry = readdir(directory) {
            remaining -= 1
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            let parts = name.split(separator: ".", omittingEmptySubsequences: false)
            guard let ending = parts.last, extensions.contains(ending.lowercased()),
                name != file, isNamed(name.dropLast(ending.count + 1), after: stem)
            else { continue }
            found.append(folder + name)
        }
        return found.sorted()
    }

    /// The language in a name such as `film.pt-BR.srt`; nil where there is none.
    public static func language(of path: String) -> LanguageTag? {
        let name = path.split(separator: "/").last ?? ""
        let parts = name.split(separator: ".").dropLast()
        guard parts.count > 1 else { return nil }
        for part in parts.dropFirst().suffix(2).reversed() where part.count <= 8 {
            if let tag = LanguageTag(String(part)), tag.displayName != tag.description {
                return tag
            }
        }
        return nil
    }

    /// Entries of a folder that are looked at.
    private static let maximumEntries = 20_000

    private static func stem(of file: Substring) -> Substring? {
        guard let dot = file.lastIndex(of: "."), dot != file.startIndex else { return nil }
        return file[..<dot]
    }

    private static func isNamed(_ name: Substring, after stem: Substring) -> Bool {
        name == stem || name.hasPrefix(stem + ".")
    }

    private static func isBinary(_ head: [UInt8]) -> Bool {
        // PGS begins each segment so; else a zero byte tells, unless a byte order mark says UTF-16.
        if head.starts(with: Array("PG".utf8)) { return true }
        if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) { return false }
        // UTF-16 without a mark has every other byte zero; anything else with zeros is no text.
        return head.contains(0) && !TextEncoding.looksLikeUTF16(head)
    }

    private static func bytes(
        of source: any MediaDataSource, limit: Int
    ) throws(MediaError) -> [UInt8] {
        var result: [UInt8] = []
        let part = UnsafeMutableRawBufferPointer.allocate(
            byteCount: min(limit, 1 << 16), alignment: 16)
        defer { part.deallocate() }
        while result.count < limit {
            let count = try source.read(
                into: part, at: Int64(result.count), isCancelled: { false })
            if count == 0 { break }
            result += part[..<count]
        }
        return result.count > limit ? Array(result.prefix(limit)) : result
    }
}
