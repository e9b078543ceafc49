// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets

extension SubtitleFile {
    /// One choice of subtitles in a file.
    package struct Track: Sendable {
        /// Has these subtitles and no others.
        package var asset: URLAsset
        /// What a menu shows: the file's name, and which of its languages where it has several.
        package var name: String
        /// By the index of VobSub, else by the file's name; nil where neither tells.
        package var language: LanguageTag?
    }

    /// What there is to choose from in a file: one, but for VobSub, of which there is one a
    /// language, that which is shown by default being the first.
    ///
    /// Reads the index of VobSub and nothing of other files. A file that cannot be read has one, of
    /// which opening tells why.
    ///
    /// - Parameter encoding: what iconv calls the file's encoding; nil to guess.
    /// - Concurrency: any thread; blocks on the index.
    package static func tracks(
        _ path: String, encoding: String? = nil, options: AssetOptions = AssetOptions()
    ) -> [Track] {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let language = language(of: path)
        let whole = Track(
            asset: asset(path, encoding: encoding, options: options), name: name,
            language: language)
        guard ["idx", "sub"].contains(ending(of: path)) else { return [whole] }
        let opener = SubtitleOpener(
            data: nil, name: path, track: nil, encoding: encoding, options: options)
        guard let tracks = (try? opener.index)?.tracks, !tracks.isEmpty else { return [whole] }
        return tracks.enumerated().map { place, track in
            let own = track.language.flatMap { LanguageTag($0) }
            let title = track.title ?? own?.displayName ?? track.language ?? "\(place + 1)"
            return Track(
                asset: asset(path, track: place, encoding: encoding, options: options),
                name: tracks.count == 1 ? name : "\(name): \(title)",
                language: own ?? (tracks.count == 1 ? language : nil))
        }
    }
}
