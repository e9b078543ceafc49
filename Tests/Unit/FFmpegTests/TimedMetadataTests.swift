// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// Timed metadata as demuxers read it.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct TimedMetadataTests {
    private let folder = TemporaryFolder()

    /// An entry of a golden list.
    private struct Entry: Equatable, CustomStringConvertible {
        var time: Double
        var identifier: String
        var value: String

        init(_ time: Double, _ identifier: String, _ value: String) {
            (self.time, self.identifier, self.value) = (time, identifier, value)
        }

        var description: String { "\(time) \(identifier) \(value)" }
    }

    private static func entries(_ groups: [TimedMetadata]) -> [Entry] {
        groups.flatMap { group in
            group.items.map { item in
                let value =
                    item.stringValue ?? item.dataValue.map { String($0) }.joined(separator: " ")
                let time = (group.timeRange.start.seconds * 1000).rounded() / 1000
                return Entry(time, item.identifier, value)
            }
        }
    }

    private static func film(seconds: Int64 = 6) -> SyntheticClip {
        let duration = MediaTime(value: seconds, timescale: 1)
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(framesPerSecond: 10, duration: duration),
            sounds: [SyntheticSound(duration: duration)])
        (media.height, media.keyframeInterval) = (240, 10)
        return SyntheticClip(media, container: "ts")
    }

    private static func time(_ tenths: Int64) -> MediaTime {
        MediaTime(value: tenths, timescale: 10)
    }

    /// Writes a film with titles at some tenths of a second.
    private func titled(
        _ titles: [(Int64, String)], splices: [(Int64, UInt8)] = []
    ) throws -> URL {
        var stream = TransportMetadata([UInt8](try Data(contentsOf: Self.film().url())))
        stream.add(
            .id3,
            titles.map { (Self.time($0.0), TransportMetadata.tag([("TIT2", $0.1)])) })
        if !splices.isEmpty {
            stream.add(
                .splices, splices.map { (Self.time($0.0), TransportMetadata.splice($0.1)) })
        }
        let file = folder.appending("titled.ts")
        try Data(stream.bytes).write(to: file)
        return file
    }

    private func reader(_ path: String) throws -> (any Demuxer, TimedMetadataInbox) {
        let demuxer = try Opening.demuxer(path)
        let inbox = TimedMetadataInbox()
        (inbox.isWanted, inbox.wantsDateRanges) = (true, true)
        demuxer.deliverTimedMetadata(to: inbox)
        demuxer.selectTracks(
            Set(demuxer.description.tracks.filter { $0.mediaType != .metadata }.map(\.id)))
        return (demuxer, inbox)
    }

    /// Reads to the end, and returns the metadata in the order of its times.
    private static func readAll(_ demuxer: any Demuxer, _ inbox: TimedMetadataInbox) throws
        -> [TimedMetadata]
    {
        let data = Set(demuxer.description.tracks(of: .metadata).map(\.id))
        while let packet = try demuxer.readPacket() { #expect(!data.contains(packet.trackID)) }
        return inbox.take().groups.sorted { $0.timeRange.start < $1.timeRange.start }
    }

    private static let titles: [(Int64, String)] = [
        (0, "first"), (10, "second"), (25, "third"), (25, "fourth"), (58, "last"),
    ]
    private static let golden = titles.map {
        Entry(Double($0.0) / 10, "org.id3/TIT2", $0.1)
    }

    @Test func `ID3 in a transport stream is read with its times`() throws {
        let (demuxer, inbox) = try reader(try titled(Self.titles).path)
        let groups = try Self.readAll(demuxer, inbox)
        #expect(Self.entries(groups) == Self.golden)
        let track = demuxer.description.tracks(of: .metadata).first?.id
        #expect(groups.allSatisfy { $0.trackID == track && $0.timeRange.duration == .zero })
    }

    @Test func `metadata that is not wanted is not read, and may be wanted later`() throws {
        let demuxer = try Opening.demuxer(try titled(Self.titles).path)
        let inbox = TimedMetadataInbox()
        demuxer.deliverTimedMetadata(to: inbox)
        demuxer.selectTracks(
            Set(demuxer.description.tracks.filter { $0.mediaType != .metadata }.map(\.id)))
        while let packet = try demuxer.readPacket(), packet.decodeTime < Self.time(30) {}
        #expect(!inbox.hasNews && inbox.take().groups.isEmpty)
        inbox.isWanted = true
        #expect(try Self.entries(Self.readAll(demuxer, inbox)) == Array(Self.golden.suffix(1)))
    }

    @Test func `after a seek, the metadata from the keyframe on is read`() throws {
        let (demuxer, inbox) = try reader(try titled(Self.titles).path)
        _ = try Self.readAll(demuxer, inbox)
        for target in [0, 5, 22, 26, 57] as [Int64] {
            inbox.clear()
            try demuxer.seek(to: Self.time(target))
            let due = Self.golden.filter { $0.time >= Double(target) / 10 }
            let read = try Self.entries(Self.readAll(demuxer, inbox))
            #expect(due.allSatisfy { read.contains($0) }, "\(target): \(read)")
        }
    }

    @Test func `splices are read as data`() throws {
        let splices: [(Int64, UInt8)] = [(10, 1), (30, 2), (31, 3)]
        let (demuxer, inbox) = try reader(
            try titled([(5, "title")], splices: splices).path)
        let groups = try Self.readAll(demuxer, inbox)
        let found = groups.filter { $0.items[0].keySpace == .scte35 }
        #expect(
            found.map { $0.items[0].dataValue }
                == splices.map { TransportMetadata.splice($0.1) })
        for (group, splice) in zip(found, splices) {
            // The clock reference before a section is earlier than the frames beside it.
            let distance = Double(splice.0) / 10 - group.timeRange.start.seconds
            #expect((-0.2...1.5).contains(distance), "\(distance)")
        }
        #expect(Self.entries(groups).contains(Entry(0.5, "org.id3/TIT2", "title")))
    }

    @Test func `ID3 in the segments of HLS is read with its times`() throws {
        let list = folder.appending("list.m3u8")
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-nostdin", "-i", try Self.film().url().path, "-map", "0",
            "-c", "copy", "-f", "hls", "-hls_time", "1", "-hls_list_size", "0", list.path,
        ])
        var first: Int64?
        let text = try String(contentsOf: list, encoding: .utf8)
        let names = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(names.count == 6)
        for (number, name) in names.enumerated() {
            let file = folder.appending(String(name))
            var segment = TransportMetadata(
                [UInt8](try Data(contentsOf: file)), firstTimestamp: first)
            first = segment.firstTimestamp
            let titles = Self.titles.filter { $0.0 / 10 == Int64(number) }
            segment.add(
                .id3, titles.map { (Self.time($0.0), TransportMetadata.tag([("TIT2", $0.1)])) })
            try Data(segment.bytes).write(to: file)
        }
        let (demuxer, inbox) = try reader(list.path)
        #expect(try Self.entries(Self.readAll(demuxer, inbox)) == Self.golden)
    }

    @Test func `tags at the beginnings of segments of audio are read`() throws {
        let sound = MediaTime(value: 4, timescale: 1)
        let clip = SyntheticClip(
            SyntheticMedia(frameTimes: nil, sounds: [SyntheticSound(duration: sound)]),
            container: "aac")
        let owner = Array("com.apple.streaming.transportStreamTimestamp\0".utf8)
        let bytes = [UInt8](try Data(contentsOf: clip.url()))
        // Frames of ADTS; half of them in each segment.
        var starts: [Int] = []
        var index = 0
        while index + 7 < bytes.count {
            starts.append(index)
            index +=
                Int(bytes[index + 3] & 3) << 11 | Int(bytes[index + 4]) << 3
                | Int(bytes[index + 5]) >> 5
        }
        let middle = starts.count / 2
        let ticks = 90_000 + Int64(middle) * 1024 * 90_000 / 48_000
        for (name, part, ticks, title) in [
            ("0.aac", bytes[..<starts[middle]], Int64(90_000), "one"),
            ("1.aac", bytes[starts[middle]...], ticks, "two"),
        ] {
            let stamp = owner + (0..<8).map { UInt8(truncatingIfNeeded: ticks >> (56 - 8 * $0)) }
            let text = Array(title.utf8)
            let frames: [UInt8] =
                Array("PRIV".utf8) + TransportMetadata.size(stamp.count) + [0, 0] + stamp
                + Array("TIT2".utf8) + TransportMetadata.size(text.count + 1) + [0, 0, 3] + text
            try Data(TransportMetadata.tag(of: frames) + part).write(to: folder.appending(name))
        }
        try Data(
            """
            #EXTM3U
            #EXT-X-TARGETDURATION:3
            #EXTINF:2,
            0.aac
            #EXTINF:2,
            1.aac
            #EXT-X-ENDLIST

            """.utf8
        ).write(to: folder.appending("audio.m3u8"))
        let (demuxer, inbox) = try reader(folder.appending("audio.m3u8").path)
        let entries = try Self.entries(Self.readAll(demuxer, inbox))
        #expect(entries.map(\.value) == ["one", "two"])
        let second = Double(middle) * 1024 / 48_000
        #expect(zip(entries, [0, second]).allSatisfy { abs($0.time - $1) < 0.002 }, "\(entries)")
    }

    @Test func `titles of internet radio are read where they are heard`() throws {
        let sound = MediaTime(value: 8, timescale: 1)
        let clip = SyntheticClip(
            SyntheticMedia(frameTimes: nil, sounds: [SyntheticSound(duration: sound)]),
            audioCodec: "libmp3lame", container: "mp3",
            options: ["-b:a", "64k", "-write_xing", "0"])
        let audio = [UInt8](try Data(contentsOf: clip.url()))
        let interval = 8192
        var body: [UInt8] = []
        var expected: [(Int, String)] = []
        for (number, start) in stride(from: 0, to: audio.count, by: interval).enumerated() {
            let part = audio[start..<min(start + interval, audio.count)]
            body += part
            guard part.count == interval else { break }
            // The server repeats a title, or sends none, while it does not change.
            let name = "Song \(number - number % 3)"
            let title = number % 3 < 2 ? Array("StreamTitle='\(name)';".utf8) : []
            let units = (title.count + 15) / 16
            body += [UInt8(units)] + title + [UInt8](repeating: 0, count: units * 16 - title.count)
            if number % 3 == 0 { expected.append((start + interval, name)) }
        }
        let head = "ICY 200 OK\r\ncontent-type: audio/mpeg\r\nicy-metaint: \(interval)\r\n\r\n"
        let stream = Array(head.utf8) + body
        let server = try LoopbackServer { request in
            request.fields["icy-metadata"] == "1" ? .raw(stream) : .status(400)
        }
        defer { server.stop() }
        let opener = FFmpegOpener(.remote(url: server.url("/radio")))
        let demuxer = try opener.openDemuxer(cancellation: Cancellation())
        let inbox = TimedMetadataInbox()
        inbox.isWanted = true
        demuxer.deliverTimedMetadata(to: inbox)
        var count = 0
        while let packet = try demuxer.readPacket() { count += packet.byteCount }
        #expect(abs(count - audio.count) < 2048, "the audio is not damaged")
        let groups = inbox.take().groups
        #expect(groups.map { $0.items[0].stringValue } == expected.map { $0.1 })
        #expect(groups.allSatisfy { $0.timeRange.duration.isPositiveInfinity })
        for (group, (position, _)) in zip(groups, expected) {
            let seconds = Double(position) * 8 / 64_000
            #expect(abs(group.timeRange.start.seconds - seconds) < 0.15)
        }
        #expect(groups.count > 1)
    }

    @Test func `samples of other tracks are read as data, with their durations`() throws {
        let file = folder.appending("timecode.mov")
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-nostdin", "-i", try Self.film().url().path, "-map", "0:v",
            "-c", "copy", "-timecode", "01:00:00:00", file.path,
        ])
        let (demuxer, inbox) = try reader(file.path)
        let groups = try Self.readAll(demuxer, inbox)
        #expect(groups.count == 1)
        #expect(groups.first?.items.map(\.identifier) == ["track/tmcd"])
        // An hour in frames of a tenth of a second.
        #expect(groups.first?.items.map(\.dataValue) == [[0, 0, 0x8C, 0xA0]])
        #expect((groups.first?.timeRange.duration.seconds ?? 0) > 5)
    }

    // MARK: - Dates

    @Test func `date ranges of a playlist are placed by the dates of its segments`() throws {
        let list = folder.appending("list.m3u8")
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-nostdin", "-i", try Self.film().url().path, "-map", "0",
            "-c", "copy", "-f", "hls", "-hls_time", "1", "-hls_list_size", "0", list.path,
        ])
        let text = try String(contentsOf: list, encoding: .utf8)
        let tags = """
            #EXT-X-PROGRAM-DATE-TIME:2026-11-27T10:00:00.000Z
            #EXT-X-DATERANGE:ID="a",CLASS="ad",START-DATE="2026-11-27T10:00:02.500Z",DURATION=1.5,X-URI="x"
            #EXT-X-DATERANGE:ID="b",START-DATE="2026-11-27T10:00:04Z",SCTE35-OUT=0xFC0A
            #EXT-X-DATERANGE:ID="b",END-DATE="2026-11-27T10:00:05Z"

            """
        let index = try #require(text.range(of: "#EXTINF")?.lowerBound)
        try Data((text[..<index] + tags + text[index...]).utf8).write(to: list)
        let (demuxer, inbox) = try reader(list.path)
        _ = try demuxer.readPacket()
        let ranges = try #require(inbox.take().dateRanges)
        #expect(ranges.map(\.identifier) == ["a", "b"])
        #expect(ranges.map(\.classifyingLabel) == ["ad", nil])
        let times = ranges.flatMap { [$0.timeRange.start.seconds, $0.timeRange.end.seconds] }
        #expect(zip(times, [2.5, 4, 4, 5]).allSatisfy { abs($0 - $1) < 1e-5 }, "\(times)")
        #expect(ranges[0].items.map(\.identifier) == ["lsdr/X-URI"])
        #expect(
            ranges[1].items.map(\.value) == [.data([0xFC, 0x0A], type: "application/x-scte35")])
    }

    @Test func `dates in gaps, and dates that restart, are placed at segments`() throws {
        let text = """
            #EXTM3U
            #EXT-X-PROGRAM-DATE-TIME:2026-11-27T10:00:00Z
            #EXT-X-DATERANGE:ID="gap",START-DATE="2026-11-27T10:30:00Z"
            #EXT-X-DATERANGE:ID="second",START-DATE="2026-11-27T11:00:01Z"
            #EXT-X-DATERANGE:ID="third",START-DATE="2026-11-27T09:00:01Z"
            #EXT-X-DATERANGE:ID="before",START-DATE="2026-11-27T08:59:59Z"
            #EXTINF:2,
            0.ts
            #EXT-X-DISCONTINUITY
            #EXT-X-PROGRAM-DATE-TIME:2026-11-27T11:00:00Z
            #EXTINF:2,
            1.ts
            #EXT-X-DISCONTINUITY
            #EXT-X-PROGRAM-DATE-TIME:2026-11-27T09:00:00Z
            #EXTINF:2,
            2.ts
            """
        let playlist = try #require(Playlist(Array(text.utf8)))
        let dates = PlaylistDates(ranges: playlist.dateRanges, MediaPlaylist(playlist))
        let starts = dates.timed(by: nil, from: .zero).map { $0.timeRange.start.seconds }
        #expect(starts == [2, 3, 5, 3])
    }

    private static func ranges(_ tags: [String]) -> [DateRange] {
        let lines = ["#EXTM3U"] + tags.map { "#EXT-X-DATERANGE:" + $0 }
        return Playlist(Array(lines.joined(separator: "\n").utf8))?.dateRanges ?? []
    }

    @Test func `a range may end where the next one of its class begins`() {
        let ranges = Self.ranges([
            #"ID="1",CLASS="p",START-DATE="2026-01-01T00:00:00Z",END-ON-NEXT=YES"#,
            #"ID="x",CLASS="q",START-DATE="2026-01-01T00:00:01Z""#,
            #"ID="2",CLASS="p",START-DATE="2026-01-01T00:00:05Z",END-ON-NEXT=YES"#,
        ])
        #expect(ranges.map { $0.end.map { $0 - ranges[0].start } } == [5, nil, nil])
    }

    @Test func `damaged date ranges are left out, and their number is limited`() {
        #expect(Self.ranges(["", "ID=", "ID=\"a\"", "START-DATE=\"2026-01-01\""]).isEmpty)
        #expect(Self.ranges([#"ID="a",START-DATE="yesterday""#]).isEmpty)
        let negative = Self.ranges([
            #"ID="a",START-DATE="2026-01-01T00:00:05Z",END-DATE="2026-01-01T00:00:00Z""#,
            #"ID="b",START-DATE="2026-01-01T00:00:05Z",DURATION=-1"#,
            #"ID="c",START-DATE="2026-01-01T00:00:05Z",DURATION=1e300"#,
            #"ID="d",START-DATE="2026-01-01T00:00:05Z",DURATION=nan"#,
        ])
        #expect(negative.map { $0.end.map { $0 - negative[0].start } } == [0, nil, nil, nil])
        let many = Self.ranges(
            (0..<10_000).map { "ID=\"\($0)\",START-DATE=\"2026-01-01T00:00:05Z\",END-ON-NEXT=YES" })
        #expect(many.count == 4096)
    }

    // MARK: - Hostile metadata

    @Test func `absurd metadata does not end reading, and memory stays bounded`() throws {
        var stream = TransportMetadata([UInt8](try Data(contentsOf: Self.film().url())))
        let large = [UInt8](repeating: 0x41, count: 60_000)
        var entries: [(time: MediaTime, bytes: [UInt8])] = []
        // Thousands at one time, lengths that are false, and bytes that are no tag.
        for number in 0..<6000 {
            entries.append((Self.time(10), TransportMetadata.tag([("TIT2", "\(number)")])))
        }
        entries.append((Self.time(12), Array("ID3".utf8) + [4, 0, 0, 0x7F, 0x7F, 0x7F, 0x7F]))
        entries.append((Self.time(13), large))
        entries.append(
            (
                Self.time(14),
                TransportMetadata.tag(of: Array("TIT2".utf8) + [0x7F, 0x7F, 0x7F, 0x7F, 0, 0, 3])
            ))
        stream.add(.id3, entries)
        // Packets whose times lie days away.
        stream.add(
            .id3,
            [(MediaTime(value: 90_000, timescale: 1), TransportMetadata.tag([("TIT2", "far")]))])
        let file = folder.appending("hostile.ts")
        try Data(stream.bytes).write(to: file)
        let (demuxer, inbox) = try reader(file.path)
        let video = try #require(demuxer.description.preferredTrack(of: .video))
        var frames = 0
        while let packet = try demuxer.readPacket() {
            if packet.trackID == video.id { frames += 1 }
        }
        #expect(frames == 60)
        #expect(inbox.take().groups.count <= TimedMetadataInbox.countLimit)
    }
}
