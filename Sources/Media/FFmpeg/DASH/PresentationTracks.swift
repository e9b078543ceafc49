// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

extension MediaPresentation.Period {
    /// A representation that a multivariant playlist names.
    struct Track {
        /// The use of the track in the multivariant playlist.
        enum Use: Hashable {
            case variant
            /// A rendition that accompanies all variants, and its number among those.
            case rendition(Int)
        }

        var use: Use
        var set: MediaPresentation.AdaptationSet
        var representation: MediaPresentation.Representation
    }

    /// The tracks that are played: the versions of the main video, as variants, and the best
    /// version of each other set, the preferred one first. Without video, the preferred audio takes
    /// the place of the video.
    var tracks: [Track] { tracks(like: []) }

    /// Returns the tracks that are played, in the order of those of another period.
    ///
    /// - Parameter model: The tracks of the other period. If this period lacks one of them, another
    ///   one takes its place.
    func tracks(like model: [Track]) -> [Track] {
        let videos = sets(of: .video)
        var others = sets(of: .audio)
        if let index = others.firstIndex(where: { $0.isMain }) {
            others.insert(others.remove(at: index), at: 0)
        }
        let video = videos.first { $0.isMain } ?? videos.first
        guard let main = video ?? others.first else { return [] }
        if video == nil { others.removeFirst() }
        others = Self.ordered(others, like: model.filter { $0.use != .variant }.map(\.set))
        let variants = main.representations.map {
            Track(use: .variant, set: main, representation: $0)
        }
        let renditions = others.enumerated().compactMap { index, set in
            set.representations.max { $0.bandwidth < $1.bandwidth }.map {
                Track(use: .rendition(index), set: set, representation: $0)
            }
        }
        return variants + renditions
    }

    /// Returns sets in the order of others: each at the place of one with its language and, if
    /// possible, its roles.
    private static func ordered(
        _ sets: [MediaPresentation.AdaptationSet], like model: [MediaPresentation.AdaptationSet]
    ) -> [MediaPresentation.AdaptationSet] {
        guard !model.isEmpty, let preferred = sets.first else { return sets }
        var rest = sets
        var places = [MediaPresentation.AdaptationSet?](repeating: nil, count: model.count)
        for needsRoles in [true, false] {
            for (place, wanted) in model.enumerated() where places[place] == nil {
                let index = rest.firstIndex {
                    $0.language == wanted.language && (!needsRoles || $0.roles == wanted.roles)
                }
                if let index { places[place] = rest.remove(at: index) }
            }
        }
        // A language that the period lacks is replaced by another, so that it is not silent.
        return places.map { $0 ?? (rest.isEmpty ? preferred : rest.removeFirst()) } + rest
    }

    /// Returns the multivariant playlist in which the variants and renditions are named after their
    /// places among the tracks.
    static func multivariantPlaylist(of tracks: [Track]) -> [UInt8] {
        let renditions = tracks.filter { $0.use != .variant }
        let preferred = renditions.first
        var lines = ["#EXTM3U", "#EXT-X-VERSION:7"]
        for (index, track) in tracks.enumerated() {
            let representation = track.representation
            switch track.use {
            case .variant:
                let audio = preferred?.representation
                let codecs = [representation.codecs, audio?.codecs ?? ""].filter { !$0.isEmpty }
                var line = "#EXT-X-STREAM-INF:BANDWIDTH="
                line += "\(max(1, representation.bandwidth + (audio?.bandwidth ?? 0)))"
                if representation.width > 0, representation.height > 0 {
                    line += ",RESOLUTION=\(representation.width)x\(representation.height)"
                }
                if !codecs.isEmpty {
                    line += ",CODECS=\"\(codecs.joined(separator: ",").attributeValue)\""
                }
                if audio != nil { line += ",AUDIO=\"audio\"" }
                lines += [line, PresentationName.track(index)]
            case .rendition(let number):
                let isDefault = number == preferred?.number
                lines.append(rendition(track, index, number, isDefault: isDefault))
            }
        }
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    private static func rendition(
        _ track: Track, _ index: Int, _ number: Int, isDefault: Bool
    ) -> String {
        let set = track.set
        var line = "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"audio\""
        let name = set.label ?? set.language ?? "\(number + 1)"
        line += ",NAME=\"\(name.attributeValue)\""
        if let language = set.language { line += ",LANGUAGE=\"\(language.attributeValue)\"" }
        line += ",AUTOSELECT=YES,DEFAULT=\(isDefault ? "YES" : "NO")"
        if set.roles.contains("description") || set.roles.contains("1") {
            line += ",CHARACTERISTICS=\"public.accessibility.describes-video\""
        }
        return line + ",URI=\"\(PresentationName.track(index))\""
    }
}

extension MediaPresentation.Period.Track {
    fileprivate var number: Int? { if case .rendition(let number) = use { number } else { nil } }
}

/// The names under which FFmpeg requests the playlists of a presentation.
///
/// FFmpeg opens no segment with such a name, because it has no protocol for it.
enum PresentationName {
    private static let prefix = "dash:/"

    static func track(_ index: Int) -> String { prefix + String(index) }

    /// Returns the place of the track that a name stands for.
    static func index(_ name: String) -> Int? {
        name.hasPrefix(prefix) ? Int(name.dropFirst(prefix.count)) : nil
    }
}

extension String {
    /// The text without characters that end an attribute or a line of a playlist, and with limited
    /// length.
    fileprivate var attributeValue: String {
        String(printableAddress.map { $0 == "\"" ? "'" : $0 })
    }
}
