// SPDX-License-Identifier: Apache-2.0

import Glibc
package import PlayheadAssets

/// Access to subtitles in separate files. A file may contain text in any format that FFmpeg
/// supports and in any encoding. It may also be a VobSub pair, which consists of an index and a
/// file with bitmaps.
///
///     for path in SubtitleFile.paths(beside: "film.mkv") {
///         for track in SubtitleFile.tracks(path) {
///             item.addSubtitles(track.asset, name: track.name, language: track.language)
///         }
///     }
///
/// - Concurrency: any thread; reading blocks.
/// - Errors: `MediaError`s that state the file, the cause and the remedy.
package enum SubtitleFile {
    /// The extensions of the subtitle files that are searched for beside a video.
    package static let extensions: Set<String> = [
        "srt", "ass", "ssa", "vtt", "sub", "sup", "idx", "smi", "scc", "ttml", "dfxp",
    ]

    /// Creates an asset for the subtitles in a file. This call does not access the file and cannot
    /// fail.
    ///
    /// Text that is not UTF-8 is converted. If no encoding is given, uchardet guesses it.
    ///
    /// - Parameters:
    ///   - path: The path of the file, or an HTTP or HTTPS address. The data at an address is
    ///     loaded completely when the asset is opened.
    ///   - encoding: The name of the file's encoding in iconv; nil to guess the encoding.
    package static func asset(
        _ path: String, encoding: String? = nil, options: AssetOptions = AssetOptions()
    ) -> URLAsset {
        asset(path, track: nil, encoding: encoding, options: options)
    }

    static func asset(
        _ path: String, track: Int?, encoding: String?, options: AssetOptions
    ) -> URLAsset {
        URLAsset(
            location: AssetLocation(path),
            opener: SubtitleOpener(
                data: nil, name: path, track: track, encoding: encoding, options: options))
    }

    /// Creates an asset for the subtitles in a file in memory.
    ///
    /// - Parameter name: The name for error messages. The extension of the name helps to detect the
    ///   format.
    package static func asset(
        _ bytes: [UInt8], name: String, encoding: String? = nil,
        options: AssetOptions = AssetOptions()
    ) -> DataAsset {
        DataAsset(
            name: name,
            opener: SubtitleOpener(
                data: MemoryDataSource(bytes), name: name, track: nil, encoding: encoding,
                options: options))
    }

    /// Returns the subtitle files beside a video, sorted by name. They have the name of the video
    /// with another extension, and optionally a language in between, as in `film.en.srt`.
    package static func paths(beside film: String) -> [String] {
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
            guard let ending = parts.last, name != file,
                isNamed(name.dropLast(ending.count + 1), after: stem),
                extensions.contains(ending.lowercased())
                    || ending.lowercased() == "xml" && SubtitleOpener.isTTML(folder + name)
            else { continue }
            found.append(folder + name)
        }
        // The bitmap file of a pair is opened together with its index.
        let indices = Set(found.filter { ending(of: $0) == "idx" }.map { $0.dropLast(3) })
        found.removeAll { ending(of: $0) == "sub" && indices.contains($0.dropLast(3)) }
        return found.sorted()
    }

    static func ending(of path: String) -> String { path.suffix(3).lowercased() }

    /// Returns the language in a name such as `film.pt-BR.srt`; nil if the name contains no
    /// language.
    package static func language(of path: String) -> LanguageTag? {
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

    /// The maximum number of folder entries that are checked.
    private static let maximumEntries = 20_000

    private static func stem(of file: Substring) -> Substring? {
        guard let dot = file.lastIndex(of: "."), dot != file.startIndex else { return nil }
        return file[..<dot]
    }

    private static func isNamed(_ name: Substring, after stem: Substring) -> Bool {
        name == stem || name.hasPrefix(stem + ".")
    }
}
