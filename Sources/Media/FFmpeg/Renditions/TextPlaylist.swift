// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The playlist of a rendition of subtitles: the addresses of its segments.
///
/// - Concurrency: a value; any thread.
struct TextPlaylist: Sendable {
    /// A file, or a part of one.
    struct Place: Sendable, Hashable {
        var address: String
        var start: Int64 = 0
        /// The end of the part; nil for the end of the file.
        var end: Int64?
    }

    /// The place of a segment, and that of the header that it needs; nil if it needs none.
    struct Segment: Sendable, Hashable {
        var place: Place
        var header: Place?
    }

    /// The durations, numbers and dates of the segments.
    let media: MediaPlaylist
    /// The places of the segments that `media` lists.
    let segments: [Segment]
    /// A Boolean value that indicates whether segments are encrypted.
    private(set) var isEncrypted = false

    /// Parses a playlist whose addresses are absolute.
    init(_ playlist: Playlist) {
        media = MediaPlaylist(playlist)
        var segments: [Segment] = []
        var header: Place?
        var range: (start: Int64, end: Int64)?
        var ends: [String: Int64] = [:]
        for line in playlist.lines {
            if let text = line.value(ofTag: "#EXT-X-BYTERANGE:") {
                range = Self.range(text)
            } else if let text = line.value(ofTag: "#EXT-X-MAP:") {
                let attributes = Playlist.attributes(text)
                header = attributes["URI"].map { Place(address: String($0)) }
                if let part = attributes["BYTERANGE"].flatMap(Self.range) {
                    header?.start = max(part.start, 0)
                    header?.end = part.end
                }
            } else if let text = line.value(ofTag: "#EXT-X-KEY:") {
                isEncrypted = isEncrypted || Playlist.attributes(text)["METHOD"] != "NONE"
            } else if !line.isEmpty, !line.hasPrefix("#") {
                var place = Place(address: String(line))
                if let part = range {
                    // Without a start, a range follows the one before it in the same file.
                    let start = part.start >= 0 ? part.start : ends[place.address] ?? 0
                    let length = part.end - max(part.start, 0)
                    (place.start, place.end) = (start, start + length)
                    ends[place.address] = start + length
                }
                range = nil
                segments.append(Segment(place: place, header: header))
            }
        }
        self.segments = segments
    }

    /// The largest position in a file.
    private static let largest: Int64 = 1 << 40

    /// Parses a range, a length with an optional start. The start is -1 if it is not stated.
    private static func range(_ text: Substring) -> (start: Int64, end: Int64)? {
        let parts = text.split(separator: "@", maxSplits: 1)
        guard let length = parts.first.flatMap({ Int64($0) }), (0...largest).contains(length)
        else { return nil }
        guard parts.count == 2 else { return (-1, length) }
        guard let start = Int64(parts[1]), (0...largest).contains(start) else { return nil }
        return (start, start + length)
    }
}
