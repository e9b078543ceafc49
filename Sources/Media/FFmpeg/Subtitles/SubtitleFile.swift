// SPDX-License-Identifier: Apache-2.0

import Glibc
package import PlayheadAssets

/// Subtitles in a file of their own, in any format of text that FFmpeg knows, and in any encoding;
/// or in a pair, the index and the pictures of VobSub.
///
///     for path in SubtitleFile.paths(beside: "film.mkv") {
///         for track in SubtitleFile.tracks(path) {
///             item.addSubtitles(track.asset, name: track.name, language: track.language)
///         }
///     }
///
/// - Concurrency: any thread; reading blocks.
/// - Errors: `MediaError`s that name the file, the cause and the remedy.
package enum SubtitleFile {
    /// Extensions by which subtitles beside a film are found.
    package static let extensions: Set<String> = ["srt", "ass", "ssa", "vtt", "sub", "sup", "idx"]

    /// An asset of the subtitles in a file, which does no work and cannot fail.
    ///
    /// Text that is not UTF-8 is brought to it: its encoding is guessed, as well as can be, by
    /// uchardet.
    ///
    /// - Parameters:
    ///   - path: of the file, or an address of HTTP or HTTPS, which is loaded whole when the asset
    ///     is opened.
    ///   - encoding: what iconv calls the file's encoding; nil to guess.
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

    /// The same of a file in memory.
    ///
    /// - Parameter name: what errors call it. Its extension helps to tell formats apart.
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

    /// Subtitles that lie beside a film: files of its name with another extension, perhaps with a
    /// language between, as in `film.en.srt`. In the order of their names.
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
            guard let ending = parts.last, extensions.contains(ending.lowercased()),
                name != file, isNamed(name.dropLast(ending.count + 1), after: stem)
            else { continue }
            found.append(folder + name)
        }
        // The pictures of a pair come with their index.
        let indices = Set(found.filter { ending(of: $0) == "idx" }.map { $0.dropLast(3) })
        found.removeAll { ending(of: $0) == "sub" && indices.contains($0.dropLast(3)) }
        return found.sorted()
    }

    static func ending(of path: String) -> String { path.suffix(3).lowercased() }

    /// The language in a name such as `film.pt-BR.srt`; nil where there is none.
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

    /// Entries of a folder that are looked at.
    private static let maximumEntries = 20_000

    private static func stem(of file: Substring) -> Substring? {
        guard let dot = file.lastIndex(of: "."), dot != file.startIndex else { return nil }
        return file[..<dot]
    }

    private static func isNamed(_ name: Substring, after stem: Substring) -> Bool {
        name == stem || name.hasPrefix(stem + ".")
    }
}
