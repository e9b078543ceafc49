// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// Event messages in the segments of HLS and DASH, as demuxers read them.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct TimedMetadataInMP4Tests {
    private typealias Boxes = SegmentEventBoxes

    /// A form of a stream, as different writers make them.
    enum Form: String, CaseIterable {
        /// Video and audio in the same segments, with an edit list that delays the first frame.
        case hls
        case hlsWithoutReordering
        /// The timeline begins an hour later.
        case hlsAtHour
        case dash, dashAtHour
        /// Frames are shown before the times at which they are decoded, without an edit list.
        case cmaf
        /// The indexes of segments state that all begin at zero, or at other times.
        case hlsIndexedAtZero, cmafIndexedAtZero, cmafIndexedAtHour

        var isHLS: Bool { rawValue.hasPrefix("hls") }

        /// The options of the `ffmpeg` command.
        var options: [String] {
            switch self {
            case .hlsAtHour, .dashAtHour: ["-output_ts_offset", "3600"]
            case .cmaf, .cmafIndexedAtZero, .cmafIndexedAtHour:
                ["-format_options", "movflags=+cmaf"]
            default: []
            }
        }

        /// Returns the earliest time that the index of a segment states; nil to leave it.
        func indexTime(_ stated: UInt64, _ timescale: UInt64) -> UInt64? {
            switch self {
            case .hlsIndexedAtZero, .cmafIndexedAtZero: 0
            case .cmafIndexedAtHour: stated + 3600 * timescale
            default: nil
            }
        }

        /// The delay of frames that FFmpeg adds to their stated times, in seconds.
        var lateness: Double {
            switch self {
            case .cmaf, .cmafIndexedAtZero, .cmafIndexedAtHour: 0.1
            default: 0
            }
        }
    }

    private static let id3 = "https://aomedia.org/emsg/ID3"
    private static let segmentCount = 4

    /// Writes a stream in segments of a second.
    private static func write(_ form: Form) throws -> PresentationFixture {
        var media = PresentationFixture.media
        if form == .hlsWithoutReordering { media.bidirectionalFrames = 0 }
        let file = try SyntheticClip(media).url()
        let fixture = try PresentationFixture(form.isHLS ? [] : form.options, from: file)
        if form.isHLS {
            try ProcessRunner.check(
                [
                    "ffmpeg", "-v", "error", "-nostdin", "-y", "-i", file.path, "-map", "0", "-c",
                    "copy",
                ] + form.options + [
                    "-f", "hls", "-hls_time", "1", "-hls_list_size", "0", "-hls_segment_type",
                    "fmp4", "-hls_segment_filename", fixture.path("part%d.m4s"),
                    fixture.path("list.m3u8"),
                ])
        }
        for number in 0..<segmentCount {
            try change(number, of: form, fixture) { bytes in
                Boxes.settingIndexTimes(of: bytes) { form.indexTime($0, $1) ?? $0 }
            }
        }
        return fixture
    }

    private static func list(_ form: Form, _ fixture: PresentationFixture) -> String {
        fixture.path(form.isHLS ? "list.m3u8" : "list.mpd")
    }

    private static func change(
        _ number: Int, of form: Form, _ fixture: PresentationFixture,
        _ change: ([UInt8]) -> [UInt8]
    ) throws {
        let name = form.isHLS ? "part\(number).m4s" : "chunk-stream0-0000\(number + 1).m4s"
        let file = fixture.folder.appending(name)
        try Data(change([UInt8](try Data(contentsOf: file)))).write(to: file)
    }

    /// Returns the times at which the first frames of the segments are shown. Every segment has one
    /// group of pictures.
    private static func beginnings(_ form: Form, _ fixture: PresentationFixture) throws
        -> [MediaTime]
    {
        let demuxer = try Opening.demuxer(list(form, fixture))
        let video = try #require(demuxer.description.preferredTrack(of: .video)).id
        var beginnings: [MediaTime] = []
        while let packet = try demuxer.readPacket() {
            guard packet.trackID == video else { continue }
            if packet.isKeyframe { beginnings.append(packet.presentationTime) }
            guard let index = beginnings.indices.last else { continue }
            beginnings[index] = min(beginnings[index], packet.presentationTime)
        }
        try #require(beginnings.count == segmentCount)
        return beginnings
    }

    /// Inserts boxes into the segment with a number.
    private static func insert(
        _ boxes: [UInt8], into number: Int, of form: Form, _ fixture: PresentationFixture
    ) throws {
        try change(number, of: form, fixture) { Boxes.inserting(boxes, into: $0) }
    }

    private static func reader(_ path: String) throws -> (any Demuxer, TimedMetadataInbox) {
        let demuxer = try Opening.demuxer(path)
        let inbox = TimedMetadataInbox()
        inbox.isWanted = true
        demuxer.deliverTimedMetadata(to: inbox)
        return (demuxer, inbox)
    }

    /// Reads to the end, and returns the names of the groups with their times after the beginning.
    private static func readAll(
        _ demuxer: any Demuxer, _ inbox: TimedMetadataInbox
    ) throws -> [(name: String, time: Double, duration: Double)] {
        while try demuxer.readPacket() != nil {}
        let start = demuxer.description.startTime
        return inbox.take().groups.map { group in
            let item = group.items.first
            let data = item.map { String(decoding: $0.dataValue, as: UTF8.self) }
            return (
                item?.stringValue ?? data ?? "", (group.timeRange.start - start).seconds,
                group.timeRange.duration.seconds
            )
        }
    }

    @Test(arguments: Form.allCases)
    func `a message at the beginning of a segment has the time of its first frame`(
        _ form: Form
    ) throws {
        let fixture = try Self.write(form)
        let beginnings = try Self.beginnings(form, fixture)
        for number in 0..<Self.segmentCount {
            let message = Boxes.message(
                "urn:example", at: .distance(0), identifier: UInt32(number), [1])
            try Self.insert(message, into: number, of: form, fixture)
        }
        let (demuxer, inbox) = try Self.reader(Self.list(form, fixture))
        func times() throws -> [MediaTime] {
            while try demuxer.readPacket() != nil {}
            return inbox.take().groups.map(\.timeRange.start).sorted()
        }
        #expect(try times() == beginnings)
        for (number, beginning) in beginnings.enumerated() {
            try demuxer.seek(to: beginning)
            let read = try times()
            #expect(read == beginnings.suffix(read.count))
            #expect(read.count >= Self.segmentCount - number)
        }
    }

    @Test(arguments: Form.allCases)
    func `event messages in segments are read once, with their times`(_ form: Form) throws {
        let fixture = try Self.write(form)
        let beginnings = try Self.beginnings(form, fixture)
        let plain = try Opening.demuxer(Self.list(form, fixture)).description
        // The stated time of the first frame.
        let zero = (beginnings[0] + plain.timestampOffset).seconds - form.lateness
        for number in 0..<Self.segmentCount {
            let relative = Boxes.message(
                "urn:example", value: "r", at: .distance(250), identifier: UInt32(number),
                Array("r\(number)".utf8))
            // The next segment repeats a message, as servers do.
            let repeated = [number - 1, number].filter { $0 >= 0 }.flatMap { number in
                let time = ((zero + Double(number) + 0.6) * 90_000).rounded()
                return Boxes.message(
                    Self.id3, at: .timestamp(UInt64(time)), timescale: 90_000, duration: 27_000,
                    identifier: UInt32(number), TransportMetadata.tag([("TIT2", "t\(number)")]))
            }
            try Self.insert(relative + repeated, into: number, of: form, fixture)
        }
        let (demuxer, inbox) = try Self.reader(Self.list(form, fixture))
        let read = try Self.readAll(demuxer, inbox).sorted { $0.time < $1.time }
        #expect(read.map(\.name) == ["r0", "t0", "r1", "t1", "r2", "t2", "r3", "t3"])
        for (index, event) in read.enumerated() {
            let isRelative = index % 2 == 0
            let first = (beginnings[index / 2] - demuxer.description.startTime).seconds
            let difference = event.time - (first + (isRelative ? 0.25 : 0.6))
            #expect(abs(difference) < (isRelative ? 1e-6 : 0.001), "\(event)")
            #expect(abs(event.duration - (isRelative ? 0 : 0.3)) < 1e-6)
        }
        // A seek reads them again.
        try demuxer.seek(to: beginnings[2] + MediaTime(value: 1, timescale: 2))
        let names = try Self.readAll(demuxer, inbox).map(\.name)
        #expect(Set(["r3", "t3"]).isSubset(of: names) && !names.contains("r0"))
    }

    @Test(arguments: [Form.hls, .dash])
    func `large and damaged messages do not change what is decoded`(_ form: Form) throws {
        let fixture = try Self.write(form)
        let list = Self.list(form, fixture)
        let expected = try PresentationFixture.frames(FFmpegOpener(path: list))
        let damaged =
            Boxes.message("urn:example", at: .distance(.max), timescale: 1, [1])
            + Boxes.message("urn:example", at: .timestamp(.max), [2])
            + Boxes.box("emsg", [UInt8](repeating: 0xFF, count: 40))
        let messages = [
            Boxes.message("urn:example", at: .distance(10), [UInt8](repeating: 0x61, count: 9000)),
            damaged,
            // More than is read for metadata.
            Boxes.message("urn:example", at: .distance(0), [UInt8](repeating: 0, count: 400_000)),
            (0..<2000).flatMap {
                Boxes.message("n", at: .distance($0), identifier: $0, Boxes.bytes($0))
            },
        ]
        for (number, boxes) in messages.enumerated() {
            try Self.insert(boxes, into: number, of: form, fixture)
        }
        let (demuxer, inbox) = try Self.reader(list)
        let read = try Self.readAll(demuxer, inbox)
        #expect(read.contains { $0.name == String(repeating: "a", count: 9000) })
        #expect(read.count == 1 + SegmentEvents.countLimit)
        #expect(try PresentationFixture.frames(FFmpegOpener(path: list)) == expected)
        #expect(expected.count == PresentationFixture.frameCount)
    }

    @Test func `a message that is repeated with its identifier is delivered once`() throws {
        func placed(
            _ identifier: UInt32, at time: Int64, value: String = "", _ contents: [UInt8]
        ) throws -> SegmentPlacement.Placed {
            let box = Boxes.message(
                "urn:example", value: value, at: .distance(0), identifier: identifier, contents)
            return SegmentPlacement.Placed(
                message: try #require(EventMessage(box.dropFirst(8))),
                start: MediaTime(value: time, timescale: 1000))
        }
        func count(_ messages: [SegmentPlacement.Placed]) -> Int {
            var reading = MetadataReading()
            // In one segment, and in several.
            reading.add(messages)
            let together = reading.takeMessages().count
            reading.forgetMessages()
            let apart = messages.reduce(0) {
                reading.add([$1])
                return $0 + reading.takeMessages().count
            }
            #expect(together == apart)
            return together
        }
        let first = try placed(7, at: 1000, [1])
        #expect(count([first, first]) == 1)
        // The server has corrected its contents, or its time, of which only the rest remains.
        #expect(count([first, try placed(7, at: 1005, [2])]) == 1)
        #expect(count([first, try placed(7, at: 2000, [1])]) == 1)
        #expect(count([first, try placed(8, at: 1000, [1])]) == 2)
        #expect(count([first, try placed(7, at: 1000, value: "v", [1])]) == 2)
        // Writers that do not count.
        #expect(count([first, try placed(7, at: 2000, [2])]) == 2)
        let unset = try placed(0, at: 1000, [1])
        #expect(count([unset, unset]) == 1)
        #expect(count([unset, try placed(0, at: 2000, [1]), try placed(0, at: 1000, [2])]) == 3)
        // What waits is limited.
        let many = try (0..<5000).map { try placed($0, at: Int64($0) * 100, Boxes.bytes($0)) }
        #expect(count(Array(many.prefix(4096))) == 4096)
        var reading = MetadataReading()
        reading.add(Array(many.prefix(4000)))
        reading.add(Array(many.suffix(1000)))
        #expect(reading.takeMessages().count == 4000)
    }
}
