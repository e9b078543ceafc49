// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// A live playlist as it was loaded last. Its server offers delta updates, which leave out older
/// segments (draft-pantos-hls-rfc8216bis, sections 4.4.5.2 and 6.2.5.1).
///
/// Playlists whose segments are encrypted are always loaded whole: the key of a segment may be
/// stated at one that has left the playlist.
///
/// - Concurrency: a value.
struct LoadedPlaylist {
    private var firstSequence: Int64 = 0
    /// The tags and the address of each segment. Parts are left out: those of older segments have
    /// left the playlist.
    private var segments: [[Substring]] = []
    /// The beginning of each segment, in seconds since 1970; nil if the playlist states no dates.
    private var dates: [Double?] = []
    /// The tags of the ranges of dates, with their identifiers.
    private var dateRanges: [(identifier: Substring?, line: Substring)] = []
    /// The distance from the end within which a server leaves out nothing, in nanoseconds.
    private let boundary: Int64
    /// A Boolean value that indicates whether the server leaves out ranges of dates too.
    private let skipsDateRanges: Bool
    /// The host time at which the playlist was loaded, in nanoseconds.
    private let loadTime: Int64

    private static let headerTag = "#EXT-X-MAP:"
    private static let dateTag = "#EXT-X-PROGRAM-DATE-TIME:"
    private static let dateRangeTag = "#EXT-X-DATERANGE:"
    /// The tags of a segment.
    private static let segmentTags = [
        "#EXTINF:", "#EXT-X-BYTERANGE:", headerTag, dateTag, "#EXT-X-KEY:", "#EXT-X-GAP",
        "#EXT-X-BITRATE:",
    ]

    /// Parses a whole playlist. Returns nil if its server does not offer delta updates.
    init?(_ playlist: Playlist, at time: Int64) {
        loadTime = time
        let control = playlist.lines.lazy.compactMap {
            $0.value(ofTag: "#EXT-X-SERVER-CONTROL:")
        }.first.map(Playlist.attributes)
        boundary =
            control?["CAN-SKIP-UNTIL"].flatMap { Double($0) }
            .flatMap(MediaPlaylist.time)?.nanoseconds ?? 0
        skipsDateRanges = control?["CAN-SKIP-DATERANGES"] == "YES"
        guard boundary > 0, playlist.isLive, !playlist.isDelta else { return nil }
        var playlist = playlist
        playlist.resolveRanges()
        var segment: [Substring] = []
        for line in playlist.lines {
            if let text = line.value(ofTag: "#EXT-X-MEDIA-SEQUENCE:") {
                firstSequence = MediaPlaylist.sequence(text)
            } else if let text = line.value(ofTag: Self.dateRangeTag) {
                dateRanges.append((Playlist.attributes(text)["ID"], line))
            } else if let text = line.value(ofTag: "#EXT-X-KEY:"),
                Playlist.attributes(text)["METHOD"] != "NONE"
            {
                return nil
            } else if line == "#EXT-X-DISCONTINUITY"
                || Self.segmentTags.contains(where: line.hasPrefix)
            {
                segment.append(line)
            } else if !line.isEmpty, !line.hasPrefix("#") {
                segments.append(segment + [line])
                segment = []
            }
        }
        dates = MediaPlaylist(playlist).segments.map(\.date)
    }

    /// Returns the directive that asks for a delta update; nil if the playlist is too old for one
    /// (section 6.3.7).
    func directive(at time: Int64) -> String? {
        guard time - loadTime <= boundary / 2 else { return nil }
        return skipsDateRanges ? "_HLS_skip=v2" : "_HLS_skip=YES"
    }

    /// Returns the whole playlist of which a delta update is a part; nil if it leaves out segments
    /// that this playlist does not have.
    func completing(_ update: Playlist) -> Playlist? {
        var first: Int64 = 0
        var stated: [Substring: Substring]?
        var identifiers: Set<Substring> = []
        for line in update.lines {
            if let text = line.value(ofTag: "#EXT-X-MEDIA-SEQUENCE:") {
                first = MediaPlaylist.sequence(text)
            } else if let text = line.value(ofTag: Playlist.skipTag) {
                stated = stated ?? Playlist.attributes(text)
            } else if let text = line.value(ofTag: Self.dateRangeTag) {
                if let identifier = Playlist.attributes(text)["ID"] {
                    identifiers.insert(identifier)
                }
            }
        }
        let (start, overflows) = first.subtractingReportingOverflow(firstSequence)
        guard let stated, !overflows, start >= 0, start <= Int64(segments.count),
            let count = stated["SKIPPED-SEGMENTS"].flatMap({ Int64($0) }), count >= 0,
            count <= Int64(segments.count) - start
        else { return nil }
        identifiers.formUnion(
            stated["RECENTLY-REMOVED-DATERANGES"]?.split(separator: "\t") ?? [])
        let kept = dateRanges.filter {
            skipsDateRanges && !($0.identifier.map(identifiers.contains) ?? true)
        }
        let skipped = kept.map(\.line) + segmentLines(Int(start)..<Int(start + count))
        var lines: [Substring] = []
        var isCompleted = false
        for line in update.lines {
            guard line.hasPrefix(Playlist.skipTag) else {
                lines.append(line)
                continue
            }
            if !isCompleted { lines += skipped }
            isCompleted = true
        }
        // The lines would keep the texts of all updates in memory.
        return Playlist(Array(lines.joined(separator: "\n").utf8))
    }

    /// Returns the lines of segments, of which the first one states its header and its date.
    private func segmentLines(_ range: Range<Int>) -> [Substring] {
        guard var first = segments[range].first else { return [] }
        func has(_ tag: String) -> Bool { first.contains { $0.hasPrefix(tag) } }
        let header = segments[..<range.lowerBound].lazy.reversed()
            .compactMap { $0.last { $0.hasPrefix(Self.headerTag) } }.first
        if let header, !has(Self.headerTag) { first.insert(header, at: 0) }
        if let date = dates[range.lowerBound], date.magnitude < 1e11, !has(Self.dateTag) {
            let text = UTCDate.text(Int64((date * 1e6).rounded()))
            first.insert("\(Self.dateTag)\(text)", at: 0)
        }
        return first + segments[range.dropFirst()].joined()
    }
}

extension Playlist {
    static let skipTag = "#EXT-X-SKIP:"

    /// A Boolean value that indicates whether the playlist is a delta update, which leaves out
    /// segments.
    var isDelta: Bool { !isMultivariant && lines.contains { $0.hasPrefix(Self.skipTag) } }
}
