// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets

extension SubtitleFile {
    /// A track of a subtitle file.
    package struct Track: Sendable {
        /// An asset that contains only the subtitles of this track.
        package var asset: URLAsset
        /// The name for a menu: the name of the file and, if the file has several languages, the
        /// language.
        package var name: String
        /// The language according to the VobSub index or the file's name; nil if unknown.
        package var language: LanguageTag?
    }

    /// Returns the tracks of a file. Most files have one track. A VobSub file has one for each
    /// language; its default track comes first.
    ///
    /// Reads the index of a VobSub pair, but no other files. If the file cannot be read, one track
    /// is returned, and opening that track reports the error.
    ///
    /// - Parameter encoding: The name of the file's encoding in iconv; nil to guess the encoding.
    /// - Concurrency: any thread; blocks while the index is read.
    package static func tracks(
        _ path: String, encoding: String? = nil, options: AssetOptions = AssetOptions()
    ) -> [Track] {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let language = language(of: path)
        let whole = Track(
            asset: asset(path, encoding: encoding, options: options), name: name,
            language: language)
        let opener = SubtitleOpener(
            data: nil, name: path, track: nil, encoding: encoding, options: options)
        var tracks: [(language: String?, title: String?)] = []
        switch ending(of: path) {
        case "idx", "sub":
            tracks = ((try? opener.index)?.tracks ?? []).map { ($0.language, $0.title) }
        case "smi", "ami":
            tracks = ((try? opener.sami)?.languages ?? []).map { ($0.tag, $0.title) }
        default: break
        }
        guard !tracks.isEmpty else { return [whole] }
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
