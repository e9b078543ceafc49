// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// A message for a time of a stream, in a segment of MP4.
///
/// - Concurrency: a value.
/// - Corresponds to: `emsg` of ISO/IEC 23009-1, 5.10.3.3.
package struct EventMessage: Sendable, Hashable {
    /// The beginning of the event.
    package enum Start: Sendable, Hashable {
        /// A time on the timeline of the segment's timestamps.
        case timestamp(MediaTime)
        /// The distance from the earliest time of the segment.
        case distance(MediaTime)
    }

    /// The URI that names the kind of the message.
    package let scheme: String
    /// A value whose meaning the scheme defines.
    package let value: String
    package let identifier: Int
    package private(set) var start: Start
    /// The duration; zero if it is not known.
    package let duration: MediaTime
    package let bytes: [UInt8]

    private static let unknownDuration = 0xFFFF_FFFF
    private static let id3Schemes: Set<String> = [
        "https://aomedia.org/emsg/ID3", "https://developer.apple.com/streaming/emsg-id3",
    ]
    private static let spliceScheme = "urn:scte:scte35:2013:bin"
    /// The maximum size of the scheme, and of the value, in bytes.
    private static let textLimit = 4096

    /// Reads the contents of a box. Returns nil if they are damaged.
    package init?(_ contents: ArraySlice<UInt8>) {
        var reader = BoxReader(contents)
        guard let version = reader.number(1), version < 2, reader.number(3) != nil else {
            return nil
        }
        var texts: (scheme: String, value: String)?
        if version == 0 { texts = Self.texts(&reader) }
        guard let timescale = reader.number(4), timescale > 0, timescale <= Int(Int32.max),
            let time = reader.number(version == 0 ? 4 : 8),
            let duration = reader.number(4), let identifier = reader.number(4)
        else { return nil }
        if version == 1 { texts = Self.texts(&reader) }
        guard let texts else { return nil }
        (scheme, value) = texts
        self.identifier = identifier
        let scale = Int32(timescale)
        let start = MediaTime(value: Int64(time), timescale: scale)
        self.start = version == 0 ? .distance(start) : .timestamp(start)
        self.duration =
            duration == Self.unknownDuration
            ? .zero : MediaTime(value: Int64(duration), timescale: scale)
        bytes = Array(reader.rest)
    }

    /// Moves a time that the message states on the timeline of the segment.
    mutating func shift(by shift: MediaTime) {
        if case .timestamp(let time) = start { start = .timestamp(time + shift) }
    }

    private static func texts(_ reader: inout BoxReader) -> (scheme: String, value: String)? {
        guard let scheme = reader.text(), let value = reader.text(),
            scheme.utf8.count <= textLimit, value.utf8.count <= textLimit
        else { return nil }
        return (scheme, value)
    }

    /// The approximate size in memory, in bytes.
    package var byteCount: Int { 256 + scheme.utf8.count + value.utf8.count + bytes.count }

    /// The metadata in the message: frames of ID3, a splice, or the message as data.
    package var items: [MetadataItem] {
        if Self.id3Schemes.contains(scheme) { return ID3Tag.items(in: bytes) }
        if scheme == Self.spliceScheme {
            return [
                MetadataItem(
                    keySpace: .scte35, key: "splice_info_section",
                    value: .data(bytes, type: "application/x-scte35"))
            ]
        }
        return [
            MetadataItem(
                keySpace: .eventMessage, key: value.isEmpty ? scheme : scheme + "/" + value,
                value: .data(bytes, type: "application/octet-stream"))
        ]
    }
}
