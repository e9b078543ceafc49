// SPDX-License-Identifier: Apache-2.0

/// The frames of an ID3v2 tag (id3.org, versions 2.2, 2.3 and 2.4).
///
/// Sizes that the tag states are checked against the bytes that are there. A tag that is damaged
/// keeps the frames before the damage.
package struct ID3Tag: Sendable, Hashable {
    /// The frames, in the order of the tag.
    package private(set) var items: [MetadataItem] = []
    /// The timestamp of the audio after the tag, in ticks of 90 kHz: the frame in which HLS states
    /// it (RFC 8216, section 3.4). It has 33 bits. It is not among the items.
    package private(set) var timestamp: Int64?
    /// The size of the tag with its header, in bytes, as the header states it.
    package let byteCount: Int
    /// A Boolean value that indicates whether nothing but padding follows the frames.
    private var isWhole = false

    /// The maximum number of frames that are read from a tag.
    private static let frameLimit = 256
    private static let timestampOwner = "com.apple.streaming.transportStreamTimestamp"
    private static let headerSize = 10

    /// Returns the items of all tags in a packet.
    package static func items(in bytes: [UInt8]) -> [MetadataItem] {
        var items: [MetadataItem] = []
        var rest = bytes[...]
        if !bytes.starts(with: signature) {
            guard let tag = ID3Tag(lackingBeginning: bytes) else { return [] }
            items = tag.items
            rest = rest.dropFirst(tag.byteCount - lostSize)
        }
        while items.count < frameLimit, let tag = ID3Tag(rest) {
            items += tag.items
            rest = rest.dropFirst(tag.byteCount)
        }
        return items
    }

    /// The bytes with which a tag begins.
    package static let signature = Array("ID3".utf8)
    /// The number of bytes that FFmpeg 5 removes from the beginning of a tag in a transport stream,
    /// because it takes them for the header of a cell of metadata (ISO/IEC 13818-1, 2.12.4.2).
    private static let lostSize = 5

    /// Reads a tag without its first bytes. The version, which is one of them, is found by trial:
    /// the frames fill the tag. Fails if they do so in no version.
    private init?(lackingBeginning bytes: [UInt8]) {
        for version: UInt8 in [4, 3] {
            let whole = Self.signature + [version, 0] + bytes
            if let tag = ID3Tag(whole[...]), tag.isWhole, !tag.items.isEmpty,
                tag.byteCount <= whole.count
            {
                self = tag
                return
            }
        }
        return nil
    }

    /// Reads the tag at the beginning of some bytes. Returns nil without a tag.
    package init?(_ bytes: ArraySlice<UInt8>) {
        let head = Array(bytes.prefix(Self.headerSize))
        guard head.count == Self.headerSize, head.starts(with: Self.signature),
            (2...4).contains(head[3]), head[6...].allSatisfy({ $0 < 0x80 })
        else { return nil }
        let size = Self.number(head[6...], bits: 7)
        byteCount = Self.headerSize + size + (head[5] & 0x10 != 0 ? Self.headerSize : 0)
        var body = bytes.dropFirst(Self.headerSize).prefix(size)
        let version = head[3]
        // The compression of version 2 was never defined.
        if head[5] & 0x40 != 0, version == 2 { return }
        let isUnsynchronised = head[5] & 0x80 != 0
        if isUnsynchronised, version < 4 { body = Self.synchronised(body)[...] }
        if head[5] & 0x40 != 0, version > 2 {
            // The extended header. Its own size counts in version 4 only.
            let stated = Self.number(body.prefix(4), bits: version == 4 ? 7 : 8)
            body = body.dropFirst(version == 4 ? max(stated, 4) : stated + 4)
        }
        readFrames(body, version, areUnsynchronised: isUnsynchronised && version == 4)
    }

    /// - Parameter areUnsynchronised: A Boolean value that indicates whether all frames are
    ///   unsynchronised, which frames of version 4 also state one by one.
    private mutating func readFrames(
        _ body: ArraySlice<UInt8>, _ version: UInt8, areUnsynchronised: Bool
    ) {
        let nameSize = version == 2 ? 3 : 4
        let headSize = version == 2 ? 6 : 10
        var rest = body
        for _ in 0..<Self.frameLimit {
            let name = rest.prefix(nameSize)
            guard rest.count > headSize,
                name.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) })
            else {
                isWhole = rest.allSatisfy { $0 == 0 }
                return
            }
            let field = rest.dropFirst(nameSize).prefix(nameSize)
            // Some writers of version 4 use sizes of eight bits.
            let bits = version == 4 && field.allSatisfy { $0 < 0x80 } ? 7 : 8
            let size = Self.number(field, bits: bits)
            let flags = version == 2 ? 0 : rest[rest.startIndex + 9]
            rest = rest.dropFirst(headSize)
            guard size <= rest.count else { return }
            var data = rest.prefix(size)
            rest = rest.dropFirst(size)
            // Compressed and encrypted frames are left out.
            guard size > 0, flags & (version == 4 ? 0x0C : 0xC0) == 0 else { continue }
            // A byte for the group, and the size before unsynchronisation.
            if flags & (version == 4 ? 0x40 : 0x20) != 0 { data = data.dropFirst() }
            if version == 4 {
                if flags & 0x01 != 0 { data = data.dropFirst(4) }
                if areUnsynchronised || flags & 0x02 != 0 { data = Self.synchronised(data)[...] }
            }
            add(String(decoding: name, as: UTF8.self), data)
        }
    }

    private mutating func add(_ name: String, _ data: ArraySlice<UInt8>) {
        if name == "PRIV" {
            let (owner, value) = Self.split(data, isWide: false)
            let text = String(latin1: owner)
            if text == Self.timestampOwner, value.count == 8 {
                let ticks = value.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                timestamp = ticks >> 33 == 0 ? Int64(ticks) : nil
                return
            }
            append("PRIV/\(text)", .data(Array(value), type: Self.binary))
        } else if name == "TXXX" || name == "TXX" {
            let (description, value) = Self.texts(data)
            append("\(name)/\(description)", .text(value))
        } else if name == "WXXX" || name == "WXX" {
            let (description, value) = Self.texts(data, isLatinValue: true)
            append("\(name)/\(description)", .text(value))
        } else if name.hasPrefix("T") {
            guard let encoding = data.first else { return }
            append(name, .text(Self.text(data.dropFirst(), encoding)))
        } else if name.hasPrefix("W") {
            append(name, .text(String(latin1: Self.split(data, isWide: false).0)))
        } else if ["COMM", "COM", "USLT", "ULT"].contains(name), data.count > 4 {
            let language = LanguageTag(String(latin1: data.dropFirst().prefix(3)))
            let texts = Self.texts(data.prefix(1) + data.dropFirst(4))
            append(name, .text(texts.value), language)
        } else if name == "APIC" {
            addPicture(data)
        } else {
            append(name, .data(Array(data), type: Self.binary))
        }
    }

    private mutating func addPicture(_ data: ArraySlice<UInt8>) {
        guard let encoding = data.first else { return }
        let (type, rest) = Self.split(data.dropFirst(), isWide: false)
        let isWide = encoding == 1 || encoding == 2
        let (_, image) = Self.split(rest.dropFirst(), isWide: isWide)
        append("APIC", .data(Array(image), type: String(latin1: type)))
    }

    private mutating func append(
        _ key: String, _ value: MetadataItem.Value, _ language: LanguageTag? = nil
    ) {
        items.append(
            MetadataItem(
                keySpace: .id3, key: key, commonKey: Self.commonKeys[key], language: language,
                value: value))
    }

    private static let binary = "application/octet-stream"

    private static let commonKeys: [String: MetadataCommonKey] = [
        "TIT2": .title, "TT2": .title, "TPE1": .artist, "TP1": .artist, "TALB": .albumName,
        "TAL": .albumName, "TCOM": .creator, "TPUB": .publisher, "TCON": .type,
        "COMM": .description, "COM": .description,
        "TCOP": .copyrights, "TDRC": .creationDate, "TYER": .creationDate, "TLAN": .language,
        "TSSE": .software, "APIC": .artwork,
    ]

    // MARK: - Values

    /// Returns a number of which each byte has a number of bits.
    private static func number(_ bytes: ArraySlice<UInt8>, bits: Int) -> Int {
        bytes.prefix(4).reduce(0) { $0 << bits | Int($1) & ((1 << bits) - 1) }
    }

    /// Removes the zeros that unsynchronisation has inserted.
    private static func synchronised(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var afterMarker = false
        for byte in bytes {
            if !(afterMarker && byte == 0) { result.append(byte) }
            afterMarker = byte == 0xFF
        }
        return result
    }

    /// Returns what is before and after a terminator: a zero, or two in texts of 16 bits.
    private static func split(
        _ data: ArraySlice<UInt8>, isWide: Bool
    ) -> (ArraySlice<UInt8>, ArraySlice<UInt8>) {
        let step = isWide ? 2 : 1
        var index = data.startIndex
        while index + step <= data.endIndex {
            if data[index..<index + step].allSatisfy({ $0 == 0 }) {
                return (data[..<index], data[(index + step)...])
            }
            index += step
        }
        return (data, [])
    }

    /// Returns a description and a value, of which the first byte states the encoding.
    private static func texts(
        _ data: ArraySlice<UInt8>, isLatinValue: Bool = false
    ) -> (description: String, value: String) {
        guard let encoding = data.first else { return ("", "") }
        let isWide = encoding == 1 || encoding == 2
        let (description, value) = split(data.dropFirst(), isWide: isWide)
        return (text(description, encoding), text(value, isLatinValue ? 0 : encoding))
    }

    /// Returns a text up to its terminator.
    private static func text(_ data: ArraySlice<UInt8>, _ encoding: UInt8) -> String {
        let isWide = encoding == 1 || encoding == 2
        var bytes = split(data, isWide: isWide).0
        switch encoding {
        case 0: return String(latin1: bytes)
        case 1, 2:
            let isLittle = bytes.starts(with: [0xFF, 0xFE])
            if isLittle || bytes.starts(with: [0xFE, 0xFF]) { bytes = bytes.dropFirst(2) }
            let units = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map { index in
                let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
                return isLittle ? second << 8 | first : first << 8 | second
            }
            return String(decoding: units, as: UTF16.self)
        default: return String(decoding: bytes, as: UTF8.self)
        }
    }
}

extension String {
    /// Creates a text from bytes of ISO 8859-1.
    init(latin1 bytes: ArraySlice<UInt8>) {
        self = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
