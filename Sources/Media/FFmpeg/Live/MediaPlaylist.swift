// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The segments of an HLS media playlist, and the tags that concern a live stream (RFC 8216,
/// section 4.3).
///
/// - Concurrency: a value.
struct MediaPlaylist: Sendable, Hashable {
    /// A segment that a playlist lists.
    struct Segment: Sendable, Hashable {
        var duration: MediaTime
        /// The number of discontinuities before the segment since the stream began. Timestamps are
        /// continuous between two segments with the same number.
        var discontinuity: Int64
        /// The date at which the segment begins, in seconds since 1970; nil if the playlist states
        /// no dates.
        var date: Double?
    }

    /// The place at which playback should begin, as a playlist states it.
    struct Start: Sendable, Hashable {
        /// The distance from the beginning of the first segment or, if negative, from the end of
        /// the last one.
        var offset: MediaTime
        /// A Boolean value that indicates whether playback begins within a segment.
        var isPrecise: Bool
    }

    /// The media sequence number of the first segment.
    var firstSequence: Int64 = 0
    var segments: [Segment] = []
    var targetDuration = MediaTime.zero
    /// The distance from the live edge that the server recommends; nil if it recommends none.
    var holdBack: MediaTime?
    /// The maximum duration of a part; nil if the stream is not read in parts.
    private(set) var partTarget: MediaTime?
    /// The number and the date that a segment after the last one would have.
    private var nextDiscontinuity: Int64 = 0
    private var nextDate: Double?
    var hasEnded = false
    var start: Start?

    /// The timescale of all times. Playlists state durations as decimal numbers.
    static let timescale: Int32 = 1_000_000
    /// The maximum duration of a segment, in seconds. RFC 8216 sets no limit; a day is longer than
    /// any segment.
    private static let longest = 86_400.0

    /// The largest sequence number that is taken from a playlist: more segments than a stream can
    /// have, and small enough for sums.
    static let largestSequence: Int64 = 1 << 60

    static func sequence(_ text: Substring) -> Int64 {
        Int64(text).map { min(max($0, 0), largestSequence) } ?? 0
    }

    /// The sequence number after that of the last segment.
    var endSequence: Int64 { firstSequence + Int64(segments.count) }

    var duration: MediaTime { segments.map(\.duration).reduce(.zero, +) }

    /// The distance from the live edge at which a client should play: the server's recommendation
    /// or, without one, three target durations (RFC 8216, section 6.3.3).
    var recommendedOffset: MediaTime {
        // Some playlists do not state their target duration.
        let longest = segments.map(\.duration).max() ?? .zero
        return holdBack ?? (targetDuration > .zero ? targetDuration : longest) * Int32(3)
    }

    init() {}

    init(_ playlist: Playlist) {
        targetDuration = Self.time(Double(playlist.targetDuration)) ?? .zero
        start = playlist.start
        var (duration, date, discontinuity) = (MediaTime.zero, Double?.none, Int64(0))
        for line in playlist.lines {
            if let text = line.value(ofTag: "#EXTINF:") {
                duration = Double(text.prefix { $0 != "," }).flatMap(Self.time) ?? .zero
            } else if let text = line.value(ofTag: "#EXT-X-MEDIA-SEQUENCE:") {
                firstSequence = Self.sequence(text)
            } else if let text = line.value(ofTag: "#EXT-X-DISCONTINUITY-SEQUENCE:") {
                discontinuity = Self.sequence(text)
            } else if line == "#EXT-X-DISCONTINUITY" {
                discontinuity += 1
                date = nil
            } else if let text = line.value(ofTag: "#EXT-X-PROGRAM-DATE-TIME:") {
                date = MetadataDate(String(text))?.secondsSince1970
            } else if let text = line.value(ofTag: "#EXT-X-SERVER-CONTROL:") {
                holdBack = Playlist.attributes(text)["HOLD-BACK"]
                    .flatMap { Double($0) }.flatMap(Self.time)
            } else if line.hasPrefix("#EXT-X-ENDLIST") {
                hasEnded = true
            } else if !line.isEmpty, !line.hasPrefix("#") {
                segments.append(
                    Segment(duration: duration, discontinuity: discontinuity, date: date))
                date = date.map { $0 + duration.seconds }
                duration = .zero
            }
        }
        (nextDiscontinuity, nextDate) = (discontinuity, date)
    }

    /// Adds the segment that is not complete yet, and takes the values that apply to parts.
    ///
    /// - Parameter duration: The duration of that segment so far; nil if all segments are complete.
    mutating func include(
        partTarget: MediaTime?, holdBack: MediaTime, incompleteSegment duration: MediaTime?
    ) {
        if let partTarget { (self.partTarget, self.holdBack) = (partTarget, holdBack) }
        guard let duration else { return }
        segments.append(
            Segment(duration: duration, discontinuity: nextDiscontinuity, date: nextDate))
    }

    /// Returns a number of seconds as a time; nil if it cannot be the duration of a segment.
    static func time(_ seconds: Double) -> MediaTime? {
        guard seconds >= 0, seconds <= longest else { return nil }
        return MediaTime(value: Int64((seconds * 1e6).rounded()), timescale: timescale)
    }

    /// Returns the index of the segment with which playback begins unless the user chooses another
    /// time, and that time, relative to the beginning of the first segment.
    ///
    /// - Parameter stated: The place that the playlist, or the multivariant playlist that refers to
    ///   it, states.
    func beginning(stated: Start?) -> (index: Int, time: MediaTime) {
        let whole = duration
        guard let start = start ?? stated else {
            // The last segment that does not begin too close to the live edge.
            return hasEnded ? (0, .zero) : segment(at: whole - recommendedOffset)
        }
        let offset = start.offset < .zero ? whole + start.offset : start.offset
        let time = min(max(offset, .zero), whole)
        let found = segment(at: time)
        return start.isPrecise ? (found.index, time) : found
    }

    /// Returns the index of the segment at a time, which is relative to the beginning of the first
    /// segment, and the time at which the segment begins.
    private func segment(at time: MediaTime) -> (index: Int, time: MediaTime) {
        var begin = MediaTime.zero
        for (index, segment) in segments.enumerated() {
            let end = begin + segment.duration
            if end > time || index == segments.count - 1 { return (index, begin) }
            begin = end
        }
        return (0, .zero)
    }
}

extension Playlist {
    /// The place at which playback should begin; nil if the playlist states none (RFC 8216, section
    /// 4.3.5.2).
    var start: MediaPlaylist.Start? {
        guard let text = lines.lazy.compactMap({ $0.value(ofTag: "#EXT-X-START:") }).first
        else { return nil }
        let attributes = Self.attributes(text)
        guard let offset = attributes["TIME-OFFSET"].flatMap({ Double($0) }), offset.isFinite
        else { return nil }
        // An offset beyond the playlist stands for its beginning or its end.
        let limit = 1e9
        let microseconds = Int64((min(max(offset, -limit), limit) * 1e6).rounded())
        return MediaPlaylist.Start(
            offset: MediaTime(value: microseconds, timescale: MediaPlaylist.timescale),
            isPrecise: attributes["PRECISE"] == "YES")
    }
}

extension Substring {
    /// Returns the text after a tag; nil if the line begins differently.
    func value(ofTag tag: String) -> Substring? {
        hasPrefix(tag) ? dropFirst(tag.count) : nil
    }
}
