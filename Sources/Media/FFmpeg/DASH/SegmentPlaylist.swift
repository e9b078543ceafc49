// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// An HLS media playlist that is written for a representation.
///
/// Each segment lasts until the next one begins, in whole microseconds of the timeline, so that
/// rounding does not add up and gaps stay.
///
/// - Concurrency: a value.
struct SegmentPlaylist {
    /// A segment with its absolute address. Times are in microseconds on the presentation's
    /// timeline.
    private struct Segment {
        var address: String
        var bytes: ByteSpan?
        var start: Int64
        var end: Int64
        /// The tags between this segment and the one before it.
        var tags: [String] = []
    }

    private var segments: [Segment] = []
    private var pending: [String] = []
    private var size = 0
    /// The shift of the files that are added.
    var shift: FragmentShift?
    private var shiftedAddresses: [String] = []
    private let limit: Int
    private let subject: String

    /// The maximum length of an address. FFmpeg cuts off what exceeds 4096 bytes.
    private static let maximumAddress = 4000

    /// - Parameters:
    ///   - limit: The maximum size of the playlist in bytes.
    ///   - subject: The name of the MPD for errors.
    init(limit: Int, subject: String) {
        (self.limit, self.subject) = (limit, subject)
    }

    var isEmpty: Bool { segments.isEmpty }
    var count: Int { segments.count }
    var longestDuration: Int64 { segments.map { $0.end - $0.start }.max() ?? 0 }
    /// The time at which the last segment ends.
    var end: Int64 { segments.last?.end ?? 0 }
    /// The times at which the segments begin.
    var starts: [Int64] { segments.map(\.start) }

    /// Begins a period whose timestamps do not continue those before it.
    mutating func addDiscontinuity() { pending.append("#EXT-X-DISCONTINUITY") }

    /// Removes and returns the addresses of the files whose timestamps are shifted.
    mutating func takeShiftedAddresses() -> (addresses: [String], shift: FragmentShift?) {
        defer { (shiftedAddresses, shift) = ([], nil) }
        return (shiftedAddresses, shift)
    }

    /// Adds the header of the segments that follow.
    mutating func addHeader(
        _ address: String, _ bytes: ByteSpan?
    ) throws(MediaError) {
        let address = try checked(address)
        if shift != nil { shiftedAddresses.append(address) }
        var line = "#EXT-X-MAP:URI=\"\(address)\""
        if let bytes { line += ",BYTERANGE=\"\(bytes.count)@\(bytes.first)\"" }
        pending.append(line)
    }

    mutating func addSegment(
        _ address: String, _ bytes: ByteSpan?, from start: Int64, to end: Int64
    ) throws(MediaError) {
        let segment = Segment(
            address: try checked(address), bytes: bytes, start: start, end: end, tags: pending)
        pending = []
        // The addresses of the parts of a file are equal.
        if shift != nil, shiftedAddresses.last != segment.address {
            shiftedAddresses.append(segment.address)
        }
        // The length of the line with the duration, and of the one with the range.
        size += segment.address.utf8.count + (bytes == nil ? 24 : 64)
        guard size <= limit else {
            throw MediaError(
                .limitExceeded, subject: subject,
                cause: "its MPD lists more segments than fit into \(limit) bytes",
                remedy: "use longer segments or shorter periods")
        }
        segments.append(segment)
    }

    /// Returns an address that fits into a line and an attribute of a playlist.
    private func checked(_ address: String) throws(MediaError) -> String {
        let isRemote = HTTPAddress(address) != nil
        var bytes: [UInt8] = []
        for byte in address.utf8 {
            if byte < 0x20 || byte == 0x7f || byte == 0x22 {
                guard isRemote else {
                    throw MediaError(
                        .notAllowed, subject: subject,
                        cause: "it refers to \(address.printableAddress), whose name has a "
                            + "quotation mark or a control character", remedy: "rename the file")
                }
                bytes += Array("%".utf8) + Self.hexadecimal(byte)
            } else {
                bytes.append(byte)
            }
        }
        guard bytes.count <= Self.maximumAddress else {
            throw MediaError(
                .limitExceeded, subject: subject,
                cause: "it refers to an address of more than \(Self.maximumAddress) bytes",
                remedy: "use shorter addresses")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func hexadecimal(_ byte: UInt8) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    // MARK: - The text

    /// The tags that concern a live stream.
    struct Live {
        /// The number of the first segment.
        var sequence: Int64
        /// The number of discontinuities before the first segment.
        var discontinuity: Int64
        /// The date at which the timeline is zero, in microseconds since 1970.
        var zeroDate: Int64
        /// The recommended distance from the live edge.
        var delay: Int64?
        /// A Boolean value that indicates whether no more segments will follow.
        var hasEnded: Bool
    }

    /// Removes the segments that end before a time, but never the last one.
    mutating func removeSegments(before time: Int64) {
        let first = starts.dropFirst().lastIndex { $0 <= time } ?? 0
        guard first > 0 else { return }
        // The header and the discontinuity apply to the segments that follow.
        let tags = segments[...first].flatMap(\.tags)
        segments.removeFirst(first)
        segments[0].tags = tags
    }

    /// Returns the playlist. Without `live`, it has an end.
    func text(live: Live? = nil) -> [UInt8] {
        let durations = segments.indices.map { index in
            let next = index + 1 < segments.count ? segments[index + 1].start : segments[index].end
            return max(next - segments[index].start, 0)
        }
        let longest = durations.max() ?? 0
        var text = "#EXTM3U\n#EXT-X-VERSION:7\n"
        text += "#EXT-X-TARGETDURATION:\(max(1, (longest + 999_999) / 1_000_000))\n"
        if let live {
            text += "#EXT-X-MEDIA-SEQUENCE:\(live.sequence)\n"
            text += "#EXT-X-DISCONTINUITY-SEQUENCE:\(live.discontinuity)\n"
            if let delay = live.delay {
                text += "#EXT-X-SERVER-CONTROL:HOLD-BACK=\(Self.seconds(delay))\n"
            }
        }
        for (index, (segment, duration)) in zip(segments, durations).enumerated() {
            for tag in segment.tags { text += tag + "\n" }
            if let live, index == 0 || !segment.tags.isEmpty {
                let date = UTCDate.text(live.zeroDate + segment.start)
                text += "#EXT-X-PROGRAM-DATE-TIME:\(date)\n"
            }
            text += "#EXTINF:\(Self.seconds(duration)),\n"
            if let bytes = segment.bytes {
                text += "#EXT-X-BYTERANGE:\(bytes.count)@\(bytes.first)\n"
            }
            text += segment.address + "\n"
        }
        if live?.hasEnded ?? true { text += "#EXT-X-ENDLIST\n" }
        return Array(text.utf8)
    }

    /// Returns microseconds as seconds with six decimals.
    private static func seconds(_ microseconds: Int64) -> String {
        let fraction = String(microseconds % 1_000_000)
        return "\(microseconds / 1_000_000)."
            + String(repeating: "0", count: 6 - fraction.utf8.count) + fraction
    }
}
