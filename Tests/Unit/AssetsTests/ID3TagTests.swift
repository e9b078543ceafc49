// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import Testing

@testable import PlayheadAssets

@Suite("ID3 tags")
struct ID3TagTests {
    private static func frame(_ name: String, _ data: [UInt8]) -> [UInt8] {
        Array(name.utf8) + TransportMetadata.size(data.count) + [0, 0] + data
    }

    private static func items(_ frames: [UInt8]) -> [MetadataItem] {
        ID3Tag.items(in: TransportMetadata.tag(of: frames))
    }

    @Test func `texts in all encodings are read`() {
        let frames =
            Self.frame("TIT2", [0] + [0x4D, 0xFC, 0x7A])
            + Self.frame("TPE1", [1, 0xFF, 0xFE, 0x41, 0, 0xE9, 0, 0, 0])
            + Self.frame("TALB", [2, 0, 0x42, 0, 0xE8])
            + Self.frame("TXXX", [3] + Array("key\0värde".utf8))
        let items = Self.items(frames)
        #expect(items.map(\.key) == ["TIT2", "TPE1", "TALB", "TXXX/key"])
        #expect(items.map(\.stringValue) == ["Müz", "Aé", "Bè", "värde"])
        #expect(items.map(\.commonKey) == [.title, .artist, .albumName, nil])
        #expect(items[0].identifier == "org.id3/TIT2")
    }

    @Test func `data keeps its type, and private data its owner`() {
        let frames =
            Self.frame("PRIV", Array("com.example\0".utf8) + [1, 2, 3])
            + Self.frame(
                "APIC", [0] + Array("image/png\0".utf8) + [3] + Array("x\0".utf8) + [9, 8])
            + Self.frame("WXXX", [0] + Array("home\0http://example.com/".utf8))
            + Self.frame("COMM", [3] + Array("deu\0Hallo".utf8))
        let items = Self.items(frames)
        #expect(items.map(\.key) == ["PRIV/com.example", "APIC", "WXXX/home", "COMM"])
        #expect(items[0].value == .data([1, 2, 3], type: "application/octet-stream"))
        #expect(items[1].value == .data([9, 8], type: "image/png"))
        #expect(items[2].stringValue == "http://example.com/")
        #expect(items[3].stringValue == "Hallo" && items[3].language == LanguageTag("deu"))
    }

    @Test func `the timestamp of a segment of audio is not an item`() throws {
        let owner = Array("com.apple.streaming.transportStreamTimestamp\0".utf8)
        let bytes = TransportMetadata.tag(
            of: Self.frame("PRIV", owner + [0, 0, 0, 1, 0, 0, 0, 2])
                + Self.frame("TIT2", [3, 0x41]))
        let tag = try #require(ID3Tag(bytes[...]))
        let ticks: Int64 = 1 << 32 | 2
        #expect(tag.timestamp == ticks)
        #expect(tag.items.map(\.key) == ["TIT2"])
        #expect(tag.byteCount == bytes.count)
        // Timestamps have 33 bits.
        let long = TransportMetadata.tag(
            of: Self.frame("PRIV", owner + [0, 0, 0, 2, 0, 0, 0, 0]))
        let other = try #require(ID3Tag(long[...]))
        #expect(other.timestamp == nil && other.items.isEmpty)
    }

    @Test func `the tags of a packet follow each other`() {
        let items = ID3Tag.items(
            in: TransportMetadata.tag([("TIT2", "A")]) + TransportMetadata.tag([("TIT2", "B")]))
        #expect(items.map(\.stringValue) == ["A", "B"])
    }

    @Test func `a tag without its first five bytes is read, as FFmpeg 5 returns it`() {
        let long = String(repeating: "x", count: 200)
        let fourth = TransportMetadata.tag([("TIT2", "A"), ("TPE1", long)])
        #expect(ID3Tag.items(in: Array(fourth.dropFirst(5))).map(\.stringValue) == ["A", long])
        let two = Array(fourth.dropFirst(5)) + TransportMetadata.tag([("TIT2", "B")])
        #expect(ID3Tag.items(in: two).map(\.stringValue) == ["A", long, "B"])
        // In version 2.3, sizes have eight bits.
        let frame = Array("TPE1".utf8) + [0, 0, 0, 201, 0, 0, 3] + Array(long.utf8)
        let third = Array("ID3".utf8) + [3, 0, 0] + TransportMetadata.size(frame.count) + frame
        #expect(ID3Tag.items(in: Array(third.dropFirst(5))).map(\.stringValue) == [long])
        #expect(ID3Tag.items(in: [UInt8](repeating: 0x41, count: 500)).isEmpty)
    }

    @Test func `older versions are read`() {
        let second =
            Array("ID3".utf8) + [2, 0, 0, 0, 0, 0, 9] + Array("TT2".utf8) + [0, 0, 3, 0, 65, 66]
        #expect(ID3Tag.items(in: second).map(\.stringValue) == ["AB"])
        // Version 2.3 with sizes of eight bits, an extended header and unsynchronisation.
        let body: [UInt8] =
            [0, 0, 0, 6, 0, 0, 0, 0, 0, 0] + Array("PRIV".utf8) + [0, 0, 0, 4, 0, 0]
            + [0x61, 0, 0xFF, 0, 0xE0]
        let third = Array("ID3".utf8) + [3, 0, 0xC0] + TransportMetadata.size(body.count) + body
        #expect(
            ID3Tag.items(in: third).map(\.value)
                == [.data([0xFF, 0xE0], type: "application/octet-stream")])
    }

    @Test func `groups, empty frames and unsynchronisation of whole tags are read`() {
        // Version 2.3: a frame of a group, after one without data.
        let body: [UInt8] =
            Array("TPE1".utf8) + [0, 0, 0, 0, 0, 0] + Array("TIT2".utf8)
            + [0, 0, 0, 3, 0, 0x20, 7, 0, 0x41]
        let third = Array("ID3".utf8) + [3, 0, 0] + TransportMetadata.size(body.count) + body
        #expect(ID3Tag.items(in: third).map(\.stringValue) == ["A"])
        // Version 2.4: only the header states that frames are unsynchronised.
        let frame = Self.frame("PRIV", [0x61, 0, 0xFF, 0, 0xE0])
        let fourth = Array("ID3".utf8) + [4, 0, 0x80] + TransportMetadata.size(frame.count) + frame
        let value = MetadataItem.Value.data([0xFF, 0xE0], type: "application/octet-stream")
        #expect(ID3Tag.items(in: fourth).map(\.value) == [value])
        // A size in the frame, then unsynchronised data.
        let data: [UInt8] = [0, 0, 0, 4, 0x61, 0, 0xFF, 0, 0xE0]
        let sized = Array("PRIV".utf8) + TransportMetadata.size(data.count) + [0, 3] + data
        #expect(ID3Tag.items(in: TransportMetadata.tag(of: sized)).map(\.value) == [value])
        // Sizes of eight bits in version 2.4.
        let text = String(repeating: "x", count: 200)
        let plain = Array("TIT2".utf8) + [0, 0, 0, 201, 0, 0, 3] + Array(text.utf8)
        #expect(ID3Tag.items(in: TransportMetadata.tag(of: plain)).map(\.stringValue) == [text])
        // Version 2.2 with compression, which no one has defined.
        let second =
            Array("ID3".utf8) + [2, 0, 0x40, 0, 0, 0, 9] + Array("TT2".utf8)
            + [0, 0, 3, 0, 65, 66]
        #expect(ID3Tag.items(in: second).isEmpty)
    }

    @Test func `false lengths end a tag, and what is before them stays`() {
        let good = Self.frame("TIT2", [3, 0x41])
        let false1 = Array("TPE1".utf8) + [0x7F, 0x7F, 0x7F, 0x7F, 0, 0, 3, 0x42]
        #expect(Self.items(good + false1).map(\.stringValue) == ["A"])
        let whole = TransportMetadata.tag(of: good)
        // The header states more than there is.
        let head = Array("ID3".utf8) + [4, 0, 0, 0x7F, 0x7F, 0x7F, 0x7F]
        #expect(ID3Tag.items(in: head + good).map(\.stringValue) == ["A"])
        for count in 0..<whole.count {
            _ = ID3Tag.items(in: Array(whole.prefix(count)))
        }
    }

    @Test func `random bytes do no harm`() {
        var random = SplitMix64(seed: 34)
        for _ in 0..<3000 {
            var frames: [UInt8] = []
            for _ in 0..<Int.random(in: 0..<4, using: &random) {
                let name =
                    ["TIT2", "TXXX", "PRIV", "APIC", "COMM", "WXXX", "USLT", "GEOB"]
                    .randomElement(using: &random) ?? "TIT2"
                let data = (0..<Int.random(in: 0..<24, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                frames += Self.frame(name, data)
            }
            var bytes = TransportMetadata.tag(of: frames)
            for _ in 0..<Int.random(in: 0..<4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] =
                    UInt8.random(in: 0...255, using: &random)
            }
            let items = ID3Tag.items(in: bytes)
            #expect(items.count <= 256)
        }
    }
}

@Suite("Titles of internet radio")
struct StreamTitleTests {
    private static func titles(_ text: String) -> [String] {
        StreamTitle(Array(text.utf8) + [0, 0, 0]).items.map { "\($0.key)=\($0.stringValue ?? "")" }
    }

    @Test func `fields are read, and empty ones left out`() {
        #expect(
            Self.titles("StreamTitle='Artist - Title';StreamUrl='http://example.com/';")
                == ["StreamTitle=Artist - Title", "StreamUrl=http://example.com/"])
        #expect(Self.titles("StreamTitle='A';StreamUrl='';") == ["StreamTitle=A"])
        #expect(StreamTitle(Array("StreamTitle='A';".utf8)).items[0].commonKey == .title)
    }

    @Test func `titles may contain quotation marks and semicolons`() {
        #expect(Self.titles("StreamTitle='Don't; stop';") == ["StreamTitle=Don't; stop"])
        #expect(Self.titles("StreamTitle='Rock 'n' Roll'") == ["StreamTitle=Rock 'n' Roll"])
    }

    @Test func `bytes that are not UTF-8 are ISO 8859-1`() {
        let bytes = Array("StreamTitle='M".utf8) + [0xFC] + Array("de';".utf8)
        #expect(StreamTitle(bytes).items[0].stringValue == "Müde")
    }

    @Test func `other texts have no fields`() {
        for text in ["", "=", "StreamTitle", "StreamTitle=", "StreamTitle='", "='a'", ";;;"] {
            #expect(Self.titles(text) == [])
        }
    }
}
