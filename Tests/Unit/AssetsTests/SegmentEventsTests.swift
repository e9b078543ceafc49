// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadTime
import Testing

@testable import PlayheadAssets

@Suite("Event messages of MP4")
struct SegmentEventsTests {
    private typealias Boxes = SegmentEventBoxes

    private static let style = Boxes.box("styp", Array("msdh".utf8) + [0, 0, 0, 0])
    private static let id3 = "https://aomedia.org/emsg/ID3"

    /// An index whose earliest time is 7.5 seconds.
    private static let index = Boxes.box(
        "sidx",
        [0, 0, 0, 0] + Boxes.bytes(UInt32(1)) + Boxes.bytes(UInt32(1000))
            + Boxes.bytes(UInt32(7500)) + Boxes.bytes(UInt64(0)))

    /// A fragment with a decode time of 2^33 ticks, whose first frame is presented 20 ticks later.
    private static let fragment = Boxes.box(
        "moof",
        Boxes.box("mfhd", [UInt8](repeating: 0, count: 8))
            + Boxes.box(
                "traf",
                Boxes.box("tfhd", [UInt8](repeating: 0, count: 8))
                    + Boxes.box("tfdt", [1, 0, 0, 0] + Boxes.bytes(UInt64(1) << 33))
                    + Boxes.box(
                        "trun",
                        [0, 0, 0x0A, 1] + [1, 0, 9, 20].flatMap { Boxes.bytes(UInt32($0)) })))

    private static func time(_ milliseconds: Int64) -> MediaTime {
        MediaTime(value: milliseconds, timescale: 1000)
    }

    @Test func `messages of both versions are read, with the times of the segment`() {
        let bytes =
            Self.style
            + Boxes.message(
                "urn:example", value: "7", at: .distance(250), duration: 2000, identifier: 4,
                [1, 2])
            + Self.index + Boxes.message("urn:example", at: .timestamp(90_000), [3])
            + Self.fragment
        let events = SegmentEvents(bytes)
        #expect(events.missing == nil)
        let track = FragmentTrack(decodeTime: 1 << 33, compositionOffset: 20, byteCount: 9)
        #expect(events.tracks == [track])
        #expect(events.messages.map(\.scheme) == ["urn:example", "urn:example"])
        #expect(events.messages.map(\.value) == ["7", ""])
        #expect(events.messages.map(\.identifier) == [4, 0])
        #expect(
            events.messages.map(\.start) == [
                .distance(Self.time(250)), .timestamp(Self.time(90_000)),
            ])
        #expect(events.messages.map(\.duration) == [Self.time(2000), .zero])
        #expect(
            events.messages.map { $0.items.map(\.identifier) } == [
                ["emsg/urn:example/7"], ["emsg/urn:example"],
            ])
        #expect(events.messages[0].items[0].dataValue == [1, 2])
    }

    @Test func `ID3 and splices in messages are those of transport streams`() {
        let tag = TransportMetadata.tag([("TIT2", "A"), ("TPE1", "B")])
        let splice = TransportMetadata.splice(3)
        let events = SegmentEvents(
            Self.style + Boxes.message(Self.id3, at: .timestamp(0), tag)
                + Boxes.message("urn:scte:scte35:2013:bin", at: .timestamp(0), splice)
                + Self.fragment)
        let items = events.messages.flatMap(\.items)
        #expect(
            items.map(\.identifier) == [
                "org.id3/TIT2", "org.id3/TPE1", "scte35/splice_info_section",
            ])
        #expect(items[2].value == .data(splice, type: "application/x-scte35"))
    }

    @Test func `a segment whose beginning is too short is read on where that helps`() {
        let message = Boxes.message(
            "urn:example", at: .distance(1), [UInt8](repeating: 7, count: 5000))
        let bytes = Self.style + message + Self.fragment + [UInt8](repeating: 0, count: 4000)
        let part = SegmentEvents(Array(bytes.prefix(4096)))
        #expect(part.messages.isEmpty)
        #expect(part.missing == Self.style.count + message.count + 8)
        for count in 0...bytes.count {
            let events = SegmentEvents(Array(bytes.prefix(count)))
            // What is needed is more than there is.
            if let missing = events.missing { #expect(missing > count && missing <= bytes.count) }
        }
        #expect(SegmentEvents(bytes).messages.count == 1)
        // Media without messages is not read on.
        let plain = Self.style + Array(Self.fragment.dropLast())
        #expect(SegmentEvents(plain).missing == nil)
        let large = Boxes.bytes(UInt32(100_000)) + Array("mdat".utf8) + [1, 2, 3]
        #expect(SegmentEvents(large).missing == nil)
        #expect(SegmentEvents([0x47] + [UInt8](repeating: 0xFF, count: 187)).missing == nil)
    }

    @Test func `the earliest frame of a fragment may follow the first one`() {
        // An open group of pictures: two frames are shown before the keyframe.
        let video: [Boxes.Sample] = [
            .init(100, 900, 300), .init(100, 50, 0), .init(100, 40, 0), .init(100, 60, 300),
        ]
        let events = SegmentEvents(
            Self.style + Boxes.fragment([(7000, video), (48000, [.init(1024, 33, 0)])]))
        #expect(
            events.tracks == [
                FragmentTrack(decodeTime: 7000, compositionOffset: 300, byteCount: 900, lead: -200),
                FragmentTrack(decodeTime: 48000, byteCount: 33),
            ])
    }

    @Test func `samples take what they do not state from the header of their track`() {
        func fragment(_ flags: [UInt8], _ run: [UInt32]) -> [UInt8] {
            let header = Boxes.box(
                "tfhd", [0, 2, 0, 0x38] + [1, 100, 12, 0].flatMap { Boxes.bytes(UInt32($0)) })
            let time = Boxes.box("tfdt", [0, 0, 0, 0] + Boxes.bytes(UInt32(5)))
            return Boxes.box(
                "moof",
                Boxes.box(
                    "traf", header + time + Boxes.box("trun", flags + run.flatMap(Boxes.bytes))))
        }
        // Two offsets, of which the second one is negative although the version is 0.
        let offsets = fragment([0, 0, 0x08, 0], [2, 150, UInt32(bitPattern: -50)])
        #expect(
            SegmentEvents(offsets).tracks == [
                FragmentTrack(decodeTime: 5, compositionOffset: 150, byteCount: 12, lead: -100)
            ])
        // Samples without bytes of their own do not make a large number of them expensive.
        #expect(
            SegmentEvents(fragment([0, 0, 0, 0], [.max])).tracks == [
                FragmentTrack(decodeTime: 5, byteCount: 12)
            ])
        #expect(SegmentEvents(fragment([0, 0, 0, 0], [0])).tracks.isEmpty)
    }

    @Test func `damaged messages are left out, and their number is limited`() {
        let damaged = [
            Boxes.box("emsg", []), Boxes.box("emsg", [0, 0, 0, 0]),
            Boxes.box("emsg", [2] + [UInt8](repeating: 0, count: 60)),
            Boxes.box("emsg", [0, 0, 0, 0] + [UInt8](repeating: 0x41, count: 60)),
            Boxes.box("emsg", [1] + [UInt8](repeating: 1, count: 23) + Array("urn:example".utf8)),
            Boxes.message("urn:example", at: .distance(0), timescale: 0, []),
            Boxes.message(String(repeating: "u", count: 5000), at: .distance(0), []),
            Boxes.message("urn:example", at: .distance(0), timescale: .max, []),
            Boxes.message("urn:example", at: .timestamp(.max), []),
        ]
        let good = Boxes.message("urn:example", at: .distance(0), [9])
        let events = SegmentEvents(damaged.flatMap { $0 } + good + Self.fragment)
        #expect(events.messages.map(\.bytes) == [[9]])
        let many = (0..<1000).flatMap { _ in good }
        #expect(SegmentEvents(many + Self.fragment).messages.count == 256)
    }

    @Test func `sizes that boxes cannot have end the reading`() {
        let rest = Array("emsg".utf8) + [UInt8](repeating: 0, count: 40) + Self.fragment
        for size in [0, 1, 7] as [UInt32] {
            let events = SegmentEvents(Self.style + Boxes.bytes(size) + rest)
            #expect(events.messages.isEmpty && events.tracks.isEmpty && events.missing == nil)
        }
        // What is missing of a box is more than is ever read.
        let beyond = SegmentEvents(Self.style + Boxes.bytes(UInt32.max) + rest)
        #expect(beyond.missing == Self.style.count + Int(UInt32.max) + 8)
        // A box within a fragment ends with it.
        var fragment = Boxes.fragment([(7, [.init(1, 2, 3), .init(1, 2, 3)])])
        for place in stride(from: 24, to: fragment.count - 8, by: 4) {
            fragment.replaceSubrange(place..<place + 4, with: Boxes.bytes(UInt32.max))
            #expect(SegmentEvents(fragment).tracks.count <= 1)
        }
    }

    @Test func `random bytes do no harm`() {
        var random = SplitMix64(seed: 117)
        let whole =
            Self.style + Boxes.message(Self.id3, at: .distance(5), TransportMetadata.tag([]))
            + Self.index + Boxes.message("urn:example", at: .timestamp(5), [1]) + Self.fragment
        for _ in 0..<5000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] =
                    UInt8.random(in: 0...255, using: &random)
            }
            let events = SegmentEvents(bytes)
            #expect(events.messages.count <= 256)
            _ = events.messages.map(\.items)
        }
    }
}
