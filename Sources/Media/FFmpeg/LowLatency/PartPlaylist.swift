// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// A media playlist of a low-latency HLS stream: its segments, and the parts of the newest ones
/// (draft-pantos-hls-rfc8216bis, sections 4.4.3.7, 4.4.3.8, 4.4.4.9 and 4.4.5.3).
///
/// Addresses are absolute. A resource that cannot be requested, because its address or its range is
/// missing or not valid, is nil, so that the numbers of the parts stay those of the server.
///
/// - Concurrency: a value.
struct PartPlaylist: Hashable {
    /// A file, or a range of bytes in one.
    struct Resource: Hashable {
        var address: String
        var bytes: ByteSpan?
    }

    /// A part of a segment.
    struct Part: Hashable {
        /// The place of the part; nil if it is missing.
        var resource: Resource?
        var duration: MediaTime
        /// A Boolean value that indicates whether the part begins with a keyframe.
        var isIndependent: Bool
    }

    struct Segment: Hashable {
        /// The place of the segment; nil if it is not complete yet, or missing.
        var resource: Resource?
        var isComplete: Bool
        /// The duration; of a segment that is not complete, that of its parts.
        var duration: MediaTime
        /// The parts that the playlist lists; empty for older segments.
        var parts: [Part]
        /// A Boolean value that indicates whether the timestamps do not continue those of the
        /// segment before.
        var isDiscontinuous: Bool
        /// The header that the segment needs.
        var header: Resource?
    }

    /// A place between two parts: the sequence number of a segment, and the number of parts of it
    /// that are before the place.
    struct Place: Hashable, Comparable {
        var sequence: Int64
        var part: Int

        static func < (one: Place, other: Place) -> Bool {
            (one.sequence, one.part) < (other.sequence, other.part)
        }
    }

    /// A resource that the server will list next. A client may request it before that.
    struct Hint: Hashable {
        /// The address, of any scheme.
        var address: String
        /// The offset of the first byte, and that after the last one; nil for the end of the file.
        var start: Int64 = 0
        var end: Int64?
    }

    private(set) var firstSequence: Int64 = 0
    /// The segments; the last one may be incomplete.
    private(set) var segments: [Segment] = []
    /// The maximum duration of a segment, in seconds, at least 1.
    private(set) var targetDuration: Int64
    /// The maximum duration of a part; nil if the stream does not have low latency.
    private(set) var partTarget: MediaTime?
    /// The distance from the end that the server recommends, at least three times `partTarget`.
    private(set) var holdBack = MediaTime.zero
    /// A Boolean value that indicates whether the server holds back its answer until the playlist
    /// has a given part.
    private(set) var canBlockReload = false
    /// A Boolean value that indicates whether segments are encrypted. Parts of encrypted segments
    /// are not read.
    private(set) var isEncrypted = false
    private(set) var hasEnded = false
    /// The next part and the next header, as far as the server announces them.
    private(set) var hints: [Hint] = []

    /// The shortest duration of a part that is believed.
    private static let shortestTarget = MediaTime(value: 1, timescale: 20)
    /// The rounding of the recommended distance that is allowed for.
    private static let rounding = MediaTime(value: 1, timescale: 100)
    /// The resolution of durations.
    private static let tick = MediaTime(value: 1, timescale: MediaPlaylist.timescale)
    /// The maximum length of an address. FFmpeg cuts off what exceeds 4096 bytes.
    private static let longestAddress = 4000

    init(_ playlist: Playlist) {
        targetDuration = max(playlist.targetDuration, 1)
        var reader = Reader()
        var (statedTarget, statedHoldBack) = (MediaTime?.none, MediaTime?.none)
        var stated: [Substring: Hint] = [:]
        for line in playlist.lines {
            if let text = line.value(ofTag: "#EXT-X-PART-INF:") {
                statedTarget = Self.time(Playlist.attributes(text)["PART-TARGET"])
            } else if let text = line.value(ofTag: "#EXT-X-SERVER-CONTROL:") {
                let attributes = Playlist.attributes(text)
                statedHoldBack = Self.time(attributes["PART-HOLD-BACK"])
                canBlockReload = attributes["CAN-BLOCK-RELOAD"] == "YES"
            } else if let text = line.value(ofTag: "#EXT-X-MEDIA-SEQUENCE:") {
                firstSequence = MediaPlaylist.sequence(text)
            } else if let text = line.value(ofTag: "#EXT-X-KEY:") {
                isEncrypted = isEncrypted || Playlist.attributes(text)["METHOD"] != "NONE"
            } else if let text = line.value(ofTag: "#EXT-X-PRELOAD-HINT:") {
                let attributes = Playlist.attributes(text)
                if let type = attributes["TYPE"] { stated[type] = Self.hint(attributes) }
            } else if line.hasPrefix("#EXT-X-ENDLIST") {
                hasEnded = true
            } else if let segment = reader.take(line) {
                segments.append(segment)
            }
        }
        if let segment = reader.incompleteSegment { segments.append(segment) }
        hints = ["PART", "MAP"].compactMap { stated[$0] }
        setTarget(statedTarget, holdBack: statedHoldBack)
    }

    /// Returns the hint that a tag states; nil if it is not valid.
    private static func hint(_ attributes: [Substring: Substring]) -> Hint? {
        guard let address = attributes["URI"], !address.isEmpty,
            address.utf8.count <= longestAddress,
            let start = attributes["BYTERANGE-START"].map({ Int64($0) }) ?? 0, start >= 0
        else { return nil }
        var hint = Hint(address: String(address), start: start)
        if let text = attributes["BYTERANGE-LENGTH"] {
            guard let count = Int64(text), count > 0 else { return nil }
            let (end, overflows) = start.addingReportingOverflow(count)
            guard !overflows else { return nil }
            hint.end = end
        }
        return hint
    }

    /// Returns whether a playlist states parts, so that it is worth parsing.
    static func isStated(in playlist: Playlist) -> Bool {
        playlist.lines.contains { $0.hasPrefix("#EXT-X-PART-INF:") }
    }

    /// Returns a listed segment, by its number.
    subscript(sequence: Int64) -> Segment? {
        let index = sequence - firstSequence
        return index >= 0 && index < segments.count ? segments[Int(index)] : nil
    }

    /// A Boolean value that indicates whether the parts can be read.
    var isUsable: Bool { partTarget != nil && !isEncrypted && !hasEnded }

    /// The place after the last part.
    var end: Place {
        let count = Int64(segments.count)
        guard let last = segments.last, !last.isComplete else {
            return Place(sequence: firstSequence + count, part: 0)
        }
        return Place(sequence: firstSequence + count - 1, part: last.parts.count)
    }

    /// The duration of the segment that is not complete yet; nil if all segments are complete.
    var incompleteDuration: MediaTime? {
        segments.last.flatMap { $0.isComplete ? nil : $0.duration }
    }

    private mutating func setTarget(_ stated: MediaTime?, holdBack: MediaTime?) {
        let durations = segments.flatMap { $0.parts.map(\.duration) }
        // Some servers have longer parts than they state.
        guard let stated, stated > .zero, let longest = durations.max() else { return }
        let limit = MediaTime(value: targetDuration, timescale: 1)
        let target = min(max(stated, longest, Self.shortestTarget), limit)
        partTarget = target
        let least = target * Int32(3)
        self.holdBack = holdBack.flatMap { $0 >= least - Self.rounding ? $0 : nil } ?? least
    }

    /// Returns the last part that begins with a keyframe and does not begin after a time.
    ///
    /// - Parameters:
    ///   - index: The index of the segment.
    ///   - time: The time, relative to the beginning of the segment.
    /// - Returns: The index of the part and the time at which it begins; nil if only the segment
    ///   itself begins there.
    func independentPart(
        ofSegment index: Int, at time: MediaTime
    ) -> (part: Int, time: MediaTime)? {
        let segment = segments[index]
        // The first parts of a complete segment may have left the playlist. Rounded durations do
        // not matter.
        let listed = segment.parts.map(\.duration).reduce(.zero, +)
        let missing = segment.isComplete ? (segment.duration - listed).magnitude : .zero
        guard missing <= Self.shortestTarget else { return nil }
        var start = MediaTime.zero
        var found: (part: Int, time: MediaTime)?
        for (number, part) in segment.parts.enumerated() {
            // Playback that began before this part would lack its first frame.
            guard start <= time + Self.tick else { break }
            if part.isIndependent, part.resource != nil, number > 0 { found = (number, start) }
            start = start + part.duration
        }
        return found
    }

    private static func time(_ text: Substring?) -> MediaTime? {
        text.flatMap { Double($0) }.flatMap(MediaPlaylist.time)
    }

    // MARK: - Lines

    /// A reader of the tags that precede a segment or a part.
    private struct Reader {
        private var duration = MediaTime.zero
        private var range: Substring?
        private var parts: [Part] = []
        private var header: Resource?
        private var isDiscontinuous = false
        private var isMissing = false
        /// The ends of the last ranges, which a range without an offset continues.
        private var segmentEnd: (address: String, end: Int64)?
        private var partEnd: (address: String, end: Int64)?

        /// Takes a line. Returns a segment if the line completes one.
        mutating func take(_ line: Substring) -> Segment? {
            if let text = line.value(ofTag: "#EXT-X-PART:") {
                parts.append(part(Playlist.attributes(text)))
            } else if let text = line.value(ofTag: "#EXTINF:") {
                duration = PartPlaylist.time(text.prefix { $0 != "," }) ?? .zero
            } else if let text = line.value(ofTag: "#EXT-X-BYTERANGE:") {
                range = text
            } else if let text = line.value(ofTag: "#EXT-X-MAP:") {
                let attributes = Playlist.attributes(text)
                var end: (address: String, end: Int64)?
                header = Self.resource(attributes["URI"], attributes["BYTERANGE"], after: &end)
            } else if line.hasPrefix("#EXT-X-GAP") {
                isMissing = true
            } else if line == "#EXT-X-DISCONTINUITY" {
                isDiscontinuous = true
            } else if !line.isEmpty, !line.hasPrefix("#") {
                let resource = Self.resource(line, range, after: &segmentEnd)
                defer {
                    (parts, duration, range) = ([], .zero, nil)
                    (isDiscontinuous, isMissing, partEnd) = (false, false, nil)
                }
                return Segment(
                    resource: isMissing ? nil : resource, isComplete: true, duration: duration,
                    parts: parts, isDiscontinuous: isDiscontinuous, header: header)
            }
            return nil
        }

        /// The parts after the last complete segment; nil if there are none.
        var incompleteSegment: Segment? {
            guard !parts.isEmpty else { return nil }
            return Segment(
                isComplete: false, duration: parts.map(\.duration).reduce(.zero, +), parts: parts,
                isDiscontinuous: isDiscontinuous, header: header)
        }

        private mutating func part(_ attributes: [Substring: Substring]) -> Part {
            let resource = Self.resource(
                attributes["URI"], attributes["BYTERANGE"], after: &partEnd)
            return Part(
                resource: attributes["GAP"] == "YES" ? nil : resource,
                duration: PartPlaylist.time(attributes["DURATION"]) ?? .zero,
                isIndependent: attributes["INDEPENDENT"] == "YES")
        }

        /// Returns the place that an address and a range name; nil if they are not valid.
        private static func resource(
            _ address: Substring?, _ range: Substring?,
            after previous: inout (address: String, end: Int64)?
        ) -> Resource? {
            guard let address = address.map(String.init), HTTPAddress(address) != nil,
                address.utf8.count <= longestAddress
            else { return nil }
            guard let range else {
                previous = nil
                return Resource(address: address)
            }
            let numbers = range.split(separator: "@", omittingEmptySubsequences: false)
            guard let count = numbers.first.flatMap({ Int64($0) }), count > 0 else { return nil }
            var first = previous.flatMap { $0.address == address ? $0.end : nil } ?? 0
            if numbers.count > 1 {
                guard let offset = Int64(numbers[1]), offset >= 0 else { return nil }
                first = offset
            }
            let (end, overflows) = first.addingReportingOverflow(count)
            guard !overflows else { return nil }
            previous = (address, end)
            return Resource(address: address, bytes: ByteSpan(first: first, count: count))
        }
    }
}
