// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct CaptionTests {
    private typealias Line = LineTwentyOne

    private let folder = TemporaryFolder()

    /// A caption of the test, with the frames from which on and up to which it is displayed.
    private struct Caption: Equatable, CustomStringConvertible {
        var text: String
        var start: Int
        var end: Int
        var description: String { "\(text.debugDescription) \(start)..<\(end)" }
    }

    private static let frameCount = 150

    /// Pairs for each frame: two pop-on captions in CC1, with another one in CC2 between them.
    private static var firstField: [Line.Pair] {
        var pairs: [Line.Pair] = []
        func load(_ rows: [(Int, String)], channel: Int, at frame: Int) {
            var caption = Line.command(.resumeLoading, channel: channel)
            for (row, text) in rows {
                caption += Line.preamble(row, channel: channel) + Line.text(text)
            }
            caption += Line.command(.endOfCaption, channel: channel)
            while pairs.count < frame - caption.count + 2 { pairs.append((0x80, 0x80)) }
            pairs += caption
        }
        load([(14, "First"), (15, "caption")], channel: 1, at: 30)
        load([(1, "Deux")], channel: 2, at: 50)
        load([(15, "Second")], channel: 1, at: 80)
        while pairs.count < 120 { pairs.append((0x80, 0x80)) }
        return pairs + Line.command(.eraseDisplayed) + Line.command(.eraseDisplayed, channel: 2)
    }

    /// Roll-up captions in CC3.
    private static var secondField: [Line.Pair] {
        var pairs = Line.command(.rollUpTwo, channel: 3)
        for (frame, text) in [(10, "one"), (40, "two"), (70, "three")] {
            while pairs.count < frame { pairs.append((0x80, 0x80)) }
            pairs += Line.command(.carriageReturn, channel: 3) + Line.preamble(15, channel: 3)
            pairs += Line.text(text)
        }
        while pairs.count < 100 { pairs.append((0x80, 0x80)) }
        return pairs + Line.command(.eraseDisplayed, channel: 3)
    }

    private static let expected: [String: [Caption]] = [
        "CC1": [
            Caption(text: "First", start: 30, end: 80),
            Caption(text: "caption", start: 30, end: 80),
            Caption(text: "Second", start: 80, end: 120),
        ],
        "CC2": [Caption(text: "Deux", start: 50, end: 122)],
        // Each row as long as it has one place: at the bottom, then above it.
        "CC3": [
            Caption(text: "one", start: 14, end: 40), Caption(text: "one", start: 40, end: 70),
            Caption(text: "two", start: 40, end: 70), Caption(text: "two", start: 70, end: 100),
            Caption(text: "three", start: 70, end: 100),
        ],
    ]

    private static func asset(_ path: String) -> URLAsset {
        URLAsset(location: .file(path: path), opener: FFmpegOpener(path: path))
    }

    private func cues(_ asset: Asset, _ title: String?) throws -> [SubtitleCue] {
        let demuxer = try asset.openDemuxer(cancellation: Cancellation())
        let track = try #require(
            demuxer.description.tracks.first {
                $0.captions != nil && (title == nil || $0.title == title)
            })
        let reader = try SubtitleReader(asset: asset, trackID: track.id)
        var cues: [SubtitleCue] = []
        while let step = try reader.read() { cues += step.cues }
        return cues
    }

    private func texts(_ cues: [SubtitleCue]) -> [SubtitleCue] {
        cues.filter { !$0.text.isEmpty }
    }

    private func captions(_ path: String, _ title: String?) throws -> [Caption] {
        let start = try Self.asset(path).openDemuxer(cancellation: Cancellation())
            .description.startTime
        func frame(_ time: MediaTime) -> Int {
            Int(((time - start).seconds * 30000 / 1001).rounded())
        }
        let cues = try texts(cues(Self.asset(path), title))
        return cues.map {
            Caption(text: $0.text, start: frame($0.timeRange.start), end: frame($0.timeRange.end))
        }.sorted { ($0.start, $0.end, $0.text) < ($1.start, $1.end, $1.text) }
    }

    @Test(arguments: [
        ("mpeg2.ts", "-c:v copy"), ("mpeg2.mkv", "-c:v mpeg2video -bf 2 -a53cc 1"),
        ("h264.mp4", "-c:v libx264 -preset ultrafast -bf 2 -b_strategy 0 -a53cc 1"),
        ("h264.ts", "-c:v libx264 -preset ultrafast -bf 3 -b_strategy 0 -a53cc 1"),
        ("h264.mkv", "-c:v libx264 -preset ultrafast -bf 2 -b_strategy 0 -a53cc 1"),
    ])
    func `captions in a video are tracks with the times of their frames`(
        name: String, options: String
    ) throws {
        let path = try video(name, options)
        let tracks = try Self.asset(path).openDemuxer(cancellation: Cancellation())
            .description.tracks
        #expect(tracks.filter { $0.captions != nil }.map(\.title) == ["CC1", "CC2", "CC3"])
        for (channel, expected) in Self.expected {
            let wanted = expected.sorted {
                ($0.start, $0.end, $0.text) < ($1.start, $1.end, $1.text)
            }
            #expect(try captions(path, channel) == wanted, "\(name) \(channel)")
        }
    }

    private func video(_ name: String, _ options: String) throws -> String {
        let options = options.split(separator: " ").map(String.init)
        let source = folder.appending("source.m2v")
        try CaptionedVideo.writeMPEG2(
            to: source,
            frames: CaptionedVideo.userData(
                frameCount: Self.frameCount, first: Self.firstField, second: Self.secondField))
        let path = folder.appending(name).path
        try ProcessRunner.check(
            ["ffmpeg", "-v", "error", "-nostdin", "-y", "-fflags", "+genpts", "-i", source.path]
                + options + [path])
        return path
    }

    @Test func `captions are a selectable option that is never chosen automatically`() throws {
        let path = try video("h264.mp4", "-c:v libx264 -preset ultrafast -a53cc 1")
        let description = try Self.asset(path).openDemuxer(cancellation: Cancellation())
            .description
        let group = try #require(description.mediaSelectionGroup(for: .legible))
        #expect(group.options.map(\.displayName) == ["CC1", "CC2", "CC3"])
        #expect(group.options.allSatisfy { $0.characteristics.contains(.closedCaptions) })
        #expect(group.automaticOption(for: [LanguageTag("en")!]) == nil)
    }

    @Test func `reading captions from a time on finds those that begin after it`() throws {
        let path = try video("h264.ts", "-c:v libx264 -preset ultrafast -bf 2 -g 15 -a53cc 1")
        let asset = Self.asset(path)
        let track = try #require(
            asset.openDemuxer(cancellation: Cancellation()).description.tracks.first {
                $0.title == "CC1"
            })
        let reader = try SubtitleReader(asset: asset, trackID: track.id)
        for (time, found) in [(0.0, ["First", "caption", "Second"]), (1.5, ["Second"]), (0, [])] {
            try reader.seek(to: MediaTime(seconds: time))
            var cues: [SubtitleCue] = []
            var last = MediaTime.zero
            while let step = try reader.read() {
                cues += step.cues
                // Nothing is reported as read while its end is open.
                for cue in texts(step.cues) { #expect(cue.timeRange.start >= last) }
                if step.time.isNumeric { last = step.time }
                if found.isEmpty { break }
            }
            // A container may be entered earlier.
            #expect(found.isEmpty || texts(cues).map(\.text).suffix(found.count) == found[...])
        }
    }

    @Test func `captions equal those of FFmpeg's decoder`() throws {
        // Pop-on, roll-up and paint-on captions, with characters of every set and with styles.
        var pairs: [Line.Pair] = []
        func wait(_ frame: Int) {
            while pairs.count < frame { pairs.append((0x80, 0x80)) }
        }
        pairs += Line.command(.resumeLoading) + Line.preamble(3, 0x12) + Line.text("'*\\^_`{|}~")
        pairs +=
            Line.preamble(4)
            + (0x30...0x3F).flatMap { code -> [Line.Pair] in
                code == 0x39 ? [] : Line.text("-") + [Line.code(0x11, code)]
            }
        pairs += Line.command(.endOfCaption)
        pairs += Line.command(.resumeLoading) + Line.command(.eraseHidden)
        // FFmpeg has other quotation marks, dashes and bars, and takes braces for markup.
        let others: [UInt8: Set<UInt8>] = [
            0x12: [0x26, 0x29, 0x2A, 0x2D], 0x13: [0x29, 0x2A, 0x2B, 0x37],
        ]
        for (row, set) in [(5, 0x12), (6, 0x13)] as [(Int, UInt8)] {
            pairs += Line.preamble(row)
            for code in 0x20...0x3F as ClosedRange<UInt8> where others[set]?.contains(code) == false
            {
                pairs += Line.text("a") + [Line.code(set, code)]
            }
        }
        pairs += Line.command(.endOfCaption)
        wait(pairs.count + 30)
        pairs += Line.command(.eraseDisplayed)
        pairs += Line.command(.rollUpThree)
        for line in ["alpha", "beta", "gamma", "delta"] {
            pairs += Line.command(.carriageReturn) + Line.preamble(15) + Line.text(line)
            wait(pairs.count + 20)
        }
        pairs += Line.command(.eraseDisplayed)
        wait(pairs.count + 20)
        let url = folder.appending("source.m2v")
        try CaptionedVideo.writeMPEG2(
            to: url, size: "160x120",
            frames: CaptionedVideo.userData(frameCount: pairs.count + 10, first: pairs))
        let path = folder.appending("film.ts").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-nostdin", "-y", "-fflags", "+genpts", "-i", url.path,
            "-c", "copy", path,
        ])
        let theirs = try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-nostdin", "-f", "lavfi", "-i", "movie=\(path)[out+subcc]",
            "-map", "s", "-c:s", "ass", "-f", "ass", "-",
        ]).text
        let events = theirs.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("Dialogue:") }
        #expect(events.count == 6)
        let ours = try texts(cues(Self.asset(path), "CC1"))
        for event in events {
            let fields = event.split(separator: ",", maxSplits: 9, omittingEmptySubsequences: false)
            let (start, end) = (Self.seconds(fields[1]), Self.seconds(fields[2]))
            let cue = SubtitleCue(
                timeRange: .invalid, content: .line("0,0,,,0,0,0,," + String(fields[9])))
            let lines = cue.text.split(whereSeparator: \.isNewline).map(Self.words)
                .filter { !$0.isEmpty }
            let middle = MediaTime(seconds: (start + end) / 2)
            let shown = ours.filter { $0.timeRange.contains(middle) }
            #expect(Set(shown.map { Self.words($0.text[...]) }) == Set(lines), "\(start) to \(end)")
            // A change of ours at each of theirs, which they round to hundredths.
            let edges = ours.flatMap { [$0.timeRange.start.seconds, $0.timeRange.end.seconds] }
            func isChange(_ time: Double) -> Bool { edges.contains { abs($0 - time) < 0.012 } }
            #expect(isChange(end), "\(end)")
            // Their first row that rolls up begins with the carriage return, ours when it is seen.
            let isFirst = !ours.contains {
                $0.timeRange.contains(MediaTime(seconds: start - 0.02))
            }
            #expect(
                isChange(start)
                    || isFirst && edges.contains { (start...start + 0.15).contains($0) },
                "\(start)")
        }
    }

    private static func words(_ text: Substring) -> String {
        text.split { $0 == " " || $0 == "\u{A0}" }.joined(separator: " ")
    }

    private static func seconds(_ text: Substring) -> Double {
        text.split(separator: ":").reduce(0) { $0 * 60 + (Double($1) ?? 0) }
    }

    @Test func `captions of SCTE 20 are read with the lowest bit first`() throws {
        let frames = (0..<Self.frameCount).map { frame -> [UInt8] in
            let pair = frame < Self.firstField.count ? Self.firstField[frame] : (0x80, 0x80)
            var bits: [UInt8] = []
            func add(_ value: Int, _ count: Int) {
                for bit in (0..<count).reversed() { bits.append(UInt8(value >> bit & 1)) }
            }
            func addReversed(_ byte: UInt8) {
                for bit in 0..<8 { bits.append(byte >> UInt8(bit) & 1) }
            }
            // One caption: priority 0, field 1, line 21.
            add(0x03, 8)
            add(0x7F, 7)
            add(1, 1)
            add(1, 5)
            add(0, 2)
            add(1, 2)
            add(11, 5)
            addReversed(pair.0)
            addReversed(pair.1)
            add(1, 1)
            while bits.count % 8 != 0 { bits.append(1) }
            return stride(from: 0, to: bits.count, by: 8).map { start in
                bits[start..<start + 8].reduce(0) { $0 << 1 | $1 }
            }
        }
        let path = folder.appending("scte.m2v").path
        try CaptionedVideo.writeMPEG2(to: URL(filePath: path), frames: frames)
        let file = folder.appending("scte.ts").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-nostdin", "-y", "-fflags", "+genpts", "-i", path, "-c",
            "copy", file,
        ])
        #expect(
            try captions(file, "CC1")
                == Self.expected["CC1"]?.sorted { $0.text < $1.text }
                .sorted { $0.start < $1.start })
    }

    @Test func `captions in the units of HEVC are found`() {
        let data = CaptionedVideo.userData([0xFC, 0x94, 0x20, 0xFF, 0x02, 0x21])
        let message: [UInt8] = [0xB5, 0x00, 0x31] + data
        // A message of another kind, then that of captions, in a prefix SEI unit.
        let payload: [UInt8] = [0x89, 0x02, 0x00, 0x00, 0x04, UInt8(message.count)] + message
        let unit: [UInt8] = [0, 0, 0, 1, 39 << 1, 1] + payload + [0x80]
        let slice: [UInt8] = [0, 0, 1, 1 << 1, 1, 0xFF, 0xFF]
        let expected = [
            CaptionPair(.firstField, 0x94, 0x20), CaptionPair(.packetStart, 0x02, 0x21),
        ]
        let pairs = (unit + slice).withUnsafeBytes {
            CaptionUserData.pairs(in: $0, .hevc(lengthSize: nil))
        }
        #expect(pairs == expected)
        // Captions behind the slices belong to no frame.
        let late = (slice + unit).withUnsafeBytes {
            CaptionUserData.pairs(in: $0, .hevc(lengthSize: nil))
        }
        #expect(late.isEmpty)
    }

    @Test func `user data of any content is read without a trap`() {
        var random = SplitMix64(seed: 708)
        let head = CaptionedVideo.userData([0xFC, 0x94, 0x20])
        let forms: [CaptionHost.Form] = [
            .mpeg2, .h264(lengthSize: nil), .h264(lengthSize: 4), .hevc(lengthSize: nil), .triples,
            .distributionPackets,
        ]
        for _ in 0..<20_000 {
            var bytes: [UInt8] = [0, 0, 1, [0xB2, 6, 39 << 1][Int(random.next() % 3)], 4, 20]
            bytes += [0xB5, 0, 0x31] + head
            bytes += (0..<random.next() % 40).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            for _ in 0..<3 {
                bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(
                    truncatingIfNeeded: random.next())
            }
            for form in forms {
                _ = bytes.withUnsafeBytes { CaptionUserData.pairs(in: $0, form) }
            }
        }
    }

    // MARK: - Caption tracks

    private static let scc =
        "Scenarist_SCC V1.0\n\n"
        + "00:00:01:00\t94ae 94ae 9420 9420 9470 9470 c8e5 ecec ef80 942f 942f\n\n"
        + "00:00:03:00\t942c 942c\n"

    @Test(arguments: ["scc", "mov"])
    func `captions of a track begin when they are displayed`(ending: String) throws {
        let text = folder.appending("hello.scc")
        try Data(Self.scc.utf8).write(to: text)
        var path = text.path
        if ending == "mov" {
            path = folder.appending("hello.mov").path
            try ProcessRunner.check([
                "ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i",
                "testsrc2=d=4:s=64x48", "-i", text.path, "-map", "0", "-map", "1", "-c:s", "copy",
                path,
            ])
        }
        let asset: Asset = ending == "scc" ? SubtitleFile.asset(path) : Self.asset(path)
        let found = try texts(cues(asset, nil))
        #expect(found.map(\.text) == ["Hello"])
        let range = try #require(found.first?.timeRange)
        // The tenth pair displays it.
        #expect((range.start.seconds - 1 - 9 * 1.001 / 30).magnitude < 0.002)
        // FFmpeg writes no last sample without a duration, so the track ends where it would be.
        #expect((range.end.seconds - (ending == "scc" ? 3.003 : 3)).magnitude < 0.002)
    }

    @Test(arguments: [
        ("01:00:00:00", 108_000), ("01:00:00;00", 107_892), ("00:01:00:00", 1800),
        ("00:01:00;02", 1800), ("00:10:00;00", 17982), ("00:00:59:29", 1799),
        ("00:09:59;29", 17981), ("10:17:36:14", 1_111_694),
    ])
    func `timecodes of SCC are those of NTSC, with and without dropped numbers`(
        code: String, frame: Int
    ) throws {
        let text = "Scenarist_SCC V1.0\n\n\(code)\t9429 9429 9470 9470 c1c2\n"
        let path = folder.appending("code.scc").path
        try Data(text.utf8).write(to: URL(filePath: path))
        let found = try texts(cues(SubtitleFile.asset(path), nil))
        // The fifth pair is the first character.
        let expected = MediaTime(value: Int64(frame + 4) * 1001, timescale: 30000)
        #expect(found.map(\.timeRange.start) == [expected])
    }

    @Test func `captions that are never erased end with their track`() throws {
        let text = folder.appending("hello.scc")
        let lines = Self.scc.split(separator: "\n", omittingEmptySubsequences: false)
        try Data(lines.prefix(3).joined(separator: "\n").utf8).write(to: text)
        let path = folder.appending("hello.mov").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i",
            "testsrc2=d=4:s=64x48", "-i", text.path, "-map", "0", "-map", "1", "-c:s", "copy",
            path,
        ])
        let cues = try texts(cues(Self.asset(path), nil))
        #expect(cues.map(\.text) == ["Hello"])
        // The track states no end, so that of the asset counts.
        #expect(cues.first.map { ($0.timeRange.end.seconds - 4).magnitude < 0.05 } == true)
    }

    @Test func `the second box of a sample is the second field`() {
        // As FFmpeg returns a sample of `cdat` with one pair and `cdt2` with another.
        let triples: [UInt8] = [
            0xFC, 0x94, 0x20, 0xFC, 0x00, 0x00, 0xFC, 0x00, 0x0A, 0xFC, 0x63, 0x64, 0xFC, 0x74,
            0x32,
            0xFC, 0x15, 0x2C,
        ]
        let pairs = triples.withUnsafeBytes { CaptionUserData.pairs(in: $0, .triples) }
        #expect(
            pairs == [CaptionPair(.firstField, 0x94, 0x20), CaptionPair(.secondField, 0x15, 0x2C)])
    }

    @Test func `caption distribution packets are read from their boxes`() {
        // SMPTE 334-2: header, a time code, two pairs, a footer.
        let packet: [UInt8] =
            [0x96, 0x69, 28, 0x4F, 0x43, 0, 1, 0x71, 0xC0, 0x80, 0x80, 0x80, 0x72, 0xE0 | 2]
            + [0xFC, 0x94, 0x20, 0xFF, 0x02, 0x21] + [0x74, 0, 1, 0]
        let box: [UInt8] = [0, 0, 0, UInt8(packet.count + 8)] + Array("ccdp".utf8) + packet
        let pairs = box.withUnsafeBytes { CaptionUserData.pairs(in: $0, .distributionPackets) }
        #expect(
            pairs == [CaptionPair(.firstField, 0x94, 0x20), CaptionPair(.packetStart, 0x02, 0x21)])
    }
}
