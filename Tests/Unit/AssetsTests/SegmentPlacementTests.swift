// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadTime
import Testing

@testable import PlayheadAssets

@Suite("Placement of event messages")
struct SegmentPlacementTests {
    private typealias Boxes = SegmentEventBoxes

    private static func time(_ milliseconds: Int64) -> MediaTime {
        MediaTime(value: milliseconds, timescale: 1000)
    }

    private static func message(_ time: Boxes.Time, identifier: UInt32 = 0) throws -> EventMessage {
        let box = Boxes.message("urn:example", at: time, identifier: identifier, [])
        return try #require(EventMessage(box.dropFirst(8)))
    }

    /// A segment with a relative message.
    private static func segment(_ tracks: [FragmentTrack], distance: UInt32 = 0) throws
        -> SegmentEvents
    {
        SegmentEvents([try message(.distance(distance))], tracks: tracks)
    }

    /// A packet in milliseconds, with a decode time that is its presentation time by default.
    private static func packet(
        _ stream: Int, at time: Int64, decodedAt decodeTime: Int64? = nil, size: Int,
        isKeyframe: Bool = true, shownAt shown: Int64? = nil
    ) -> SegmentPlacement.Packet {
        SegmentPlacement.Packet(
            stream: stream, isVideo: stream == 0, isKeyframe: isKeyframe, byteCount: size,
            timescale: 1000, decodeTime: decodeTime ?? time, timestamp: time,
            presentationTime: self.time(shown ?? time))
    }

    /// Takes packets of a stream with video, and returns the times of the messages in milliseconds.
    private static func take(
        _ packets: [SegmentPlacement.Packet], _ placement: inout SegmentPlacement,
        expectsVideo: Bool = true, from start: MediaTime? = nil
    ) -> [Int64] {
        packets.flatMap { placement.take($0, expectsVideo: expectsVideo, from: start) }
            .map { Int64(($0.start.seconds * 1000).rounded()) }
    }

    @Test func `segments that were opened ahead begin with their own first packets`() throws {
        var placement = SegmentPlacement()
        // An edit list moves all times by 200. All keyframes are equal.
        for number in 0..<3 {
            let track = FragmentTrack(
                decodeTime: Int64(number) * 1000, compositionOffset: 200, byteCount: 500)
            placement.add(try Self.segment([track], distance: 40))
        }
        var times: [[Int64]] = []
        for number in 0..<3 {
            for frame in 0..<4 {
                let decodeTime = Int64(number * 1000 + frame * 250) - 200
                let packet = Self.packet(
                    0, at: decodeTime + 200, decodedAt: decodeTime, size: frame == 0 ? 500 : 90,
                    isKeyframe: frame == 0)
                times.append(Self.take([packet], &placement))
            }
        }
        #expect(
            times == [
                [40], [], [], [], [1040], [], [], [], [2040], [], [], [],
            ])
        #expect(!placement.isWaiting)
    }

    @Test func `frames that are shown before the keyframe belong to their segment`() throws {
        var placement = SegmentPlacement()
        placement.add(
            try Self.segment([
                FragmentTrack(decodeTime: 900, compositionOffset: 300, byteCount: 70, lead: -200)
            ]))
        #expect(
            Self.take([Self.packet(0, at: 1200, decodedAt: 900, size: 70)], &placement) == [1000])
    }

    @Test func `absolute times move with the first frame`() throws {
        var placement = SegmentPlacement()
        // FFmpeg shows frames 100 later if they would be shown before they are decoded, and the
        // stream has begun again, 60 000 after its beginning.
        let track = FragmentTrack(decodeTime: 5000, compositionOffset: 0, byteCount: 70)
        placement.add(
            SegmentEvents(
                [try Self.message(.timestamp(5400)), try Self.message(.distance(400))],
                tracks: [track]))
        let first = Self.packet(0, at: 5100, decodedAt: 5000, size: 70, shownAt: 65_100)
        #expect(Self.take([first], &placement) == [65_500, 65_500])
    }

    @Test func `a segment with several tracks begins with its first frame`() throws {
        let tracks = [
            FragmentTrack(decodeTime: 0, byteCount: 30),
            FragmentTrack(decodeTime: 0, byteCount: 800),
        ]
        let audio = Self.packet(1, at: 10, decodedAt: 0, size: 30)
        let video = Self.packet(0, at: 33, decodedAt: 0, size: 800)
        var placement = SegmentPlacement()
        placement.add(try Self.segment(tracks))
        #expect(Self.take([audio], &placement).isEmpty)
        #expect(Self.take([video], &placement) == [33])
        // Without video, it begins with its audio.
        placement.add(try Self.segment(tracks))
        #expect(Self.take([audio], &placement, expectsVideo: false) == [10])
        // So does a segment with two tracks of audio.
        placement.add(try Self.segment(tracks))
        let second = Self.packet(2, at: 5, decodedAt: 0, size: 800)
        #expect(Self.take([audio, second], &placement) == [5])
    }

    @Test func `a message is not before the timeline because of priming`() throws {
        var placement = SegmentPlacement()
        let track = FragmentTrack(decodeTime: 0, byteCount: 30)
        let packet = Self.packet(1, at: -21, size: 30)
        placement.add(try Self.segment([track]))
        #expect(Self.take([packet], &placement, from: .zero) == [0])
        placement.add(try Self.segment([track]))
        #expect(Self.take([packet], &placement) == [-21])
        // What begins much earlier is not priming: the segment begins before its period.
        placement.add(try Self.segment([FragmentTrack(decodeTime: -979, byteCount: 30)]))
        #expect(
            Self.take([Self.packet(1, at: -1000, size: 30)], &placement, from: .zero) == [-1000])
    }

    @Test func `another header changes the delay of a stream`() throws {
        var placement = SegmentPlacement()
        placement.add(try Self.segment([FragmentTrack(decodeTime: 0, byteCount: 70)]))
        #expect(Self.take([Self.packet(0, at: 0, size: 70)], &placement) == [0])
        // From here on, the edit list is that of an advertisement.
        for number in 1..<3 {
            placement.add(
                try Self.segment([
                    FragmentTrack(decodeTime: Int64(number) * 1000, byteCount: 70 + number)
                ]))
            let packets = (0..<10).map { frame in
                Self.packet(
                    0, at: Int64(number * 1000 + frame * 100) - 120,
                    size: frame == 0 ? 70 + number : 9, isKeyframe: frame == 0)
            }
            #expect(Self.take(packets, &placement) == [Int64(number) * 1000 - 120])
        }
    }

    @Test func `a message without the packet of its segment is placed by its own time or dropped`()
        throws
    {
        var placement = SegmentPlacement()
        let lost = FragmentTrack(decodeTime: 0, byteCount: 5)
        placement.add(
            SegmentEvents(
                [try Self.message(.distance(1)), try Self.message(.timestamp(7000))],
                tracks: [lost]))
        let other = (0..<2000).map {
            Self.packet(0, at: Int64($0) * 10, size: 6, shownAt: Int64($0) * 10 - 100)
        }
        #expect(Self.take(other, &placement) == [6900])
        // Nothing is expected of a segment that states no tracks.
        placement.add(SegmentEvents([try Self.message(.timestamp(50))], tracks: []))
        #expect(Self.take([other[0]], &placement) == [-50])
        #expect(!placement.isWaiting)
    }

    @Test func `times that are out of range do no harm`() throws {
        let numbers: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
        for stated in numbers {
            for decodeTime in numbers {
                for offset in [Int64(Int32.min), 0, Int64(Int32.max)] {
                    var placement = SegmentPlacement()
                    let messages = try [
                        Boxes.Time.distance(.max), .timestamp(0), .timestamp(UInt64(Int64.max)),
                    ].map { try Self.message($0) }
                    let track = FragmentTrack(
                        decodeTime: stated, compositionOffset: offset, byteCount: 5, lead: offset)
                    placement.add(SegmentEvents(messages, tracks: [track]))
                    let packets = [
                        Self.packet(0, at: 0, decodedAt: decodeTime, size: 5),
                        Self.packet(0, at: .max, decodedAt: decodeTime, size: 5),
                        Self.packet(0, at: 7, decodedAt: stated, size: 5),
                    ]
                    for packet in packets {
                        let placed = placement.take(packet, expectsVideo: true, from: .zero)
                        #expect(placed.allSatisfy { $0.start.isNumeric })
                    }
                }
            }
        }
    }

    @Test func `what waits for packets is limited`() throws {
        var placement = SegmentPlacement()
        let large = Boxes.message(
            "urn:example", at: .distance(0), [UInt8](repeating: 0, count: 250_000))
        let message = try #require(EventMessage(large.dropFirst(8)))
        for number in 0..<1000 {
            let track = FragmentTrack(decodeTime: Int64(number) * 1000, byteCount: 5)
            placement.add(SegmentEvents([message], tracks: [track]))
        }
        let packets = (0..<1000).map { Self.packet(0, at: Int64($0) * 1000, size: 5) }
        let placed = packets.flatMap { placement.take($0, expectsVideo: true, from: nil) }
        #expect(placed.count <= 8)
    }
}
