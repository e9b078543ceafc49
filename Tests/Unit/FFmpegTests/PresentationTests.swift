// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadFFmpeg
import PlayheadTime
import Testing

/// DASH presentations with an end, from files and from a server.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct PresentationTests {
    private typealias Fixture = PresentationFixture

    private static let whole = Result { try Fixture() }
    /// The frames of the same media as a file.
    private static let expected = Result {
        try Fixture.frames(FFmpegOpener(path: Fixture.file.path))
    }

    private let log = AccessLog()

    /// Returns an opener that neither adapts to the network nor reads anything twice.
    private func opener(_ location: AssetLocation) -> FFmpegOpener {
        FFmpegOpener(
            location,
            options: log.options(
                AssetOptions(variants: VariantPreference(followsThroughput: false))))
    }

    private static func seconds(_ value: Double) -> MediaTime {
        MediaTime(value: Int64((value * 1000).rounded()), timescale: 1000)
    }

    // MARK: - Forms

    @Test(arguments: [
        ["-use_timeline", "1"], ["-use_timeline", "0"],
        ["-use_template", "0", "-use_timeline", "0"],
        ["-use_template", "0", "-use_timeline", "1"], ["-single_file", "1"],
        [
            "-media_seg_name", "$RepresentationID$ $Time$.m4s", "-init_seg_name",
            "$RepresentationID$ i.m4s",
        ],
    ])
    func `each way of addressing segments shows the frames of the file`(
        _ options: [String]
    ) throws {
        let fixture = try Fixture(options)
        let expected = try Self.expected.get()
        #expect(expected.map(\.number) == Array(0..<Fixture.frameCount))
        #expect(try Fixture.frames(opener(.file(path: fixture.path("list.mpd")))) == expected)
        let server = try fixture.serve()
        #expect(try Fixture.frames(opener(AssetLocation(server.url("/list.mpd")))) == expected)
    }

    @Test(arguments: [
        ("list.mpd", "chunk-$Number$.m4s", "the header of its segments (EXT-X-MAP)"),
        ("init.m4s", "list.mpd", "a segment"),
    ])
    func `an MPD that names itself is reported`(
        header: String, media: String, role: String
    ) throws {
        let fixture = try Fixture()
        try fixture.write(
            """
            <MPD mediaPresentationDuration="PT4S"><Period><AdaptationSet mimeType="video/mp4">
            <SegmentTemplate initialization="\(header)" media="\(media)" duration="4"/>
            <Representation id="v" bandwidth="1000"/></AdaptationSet></Period></MPD>
            """)
        let server = try fixture.serve()
        for location in [fixture.path("list.mpd"), server.url("/list.mpd")] {
            let error = #expect(throws: MediaError.self) {
                _ = try self.opener(AssetLocation(location))
                    .openDemuxer(cancellation: Cancellation())
            }
            #expect(error?.code == .damaged)
            #expect(error?.subject == location)
            #expect(error?.cause == "its MPD names itself as \(role)")
            #expect(error?.remedy == "correct the MPD")
        }
    }

    /// Writes a file with an index, and an MPD that refers to it.
    private static func indexed(_ attributes: (Data) -> String) throws -> Fixture {
        let fixture = try Fixture()
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-nostdin", "-y", "-i", try Fixture.file.path, "-map", "0:v",
            "-c", "copy", "-movflags", "+dash+global_sidx+frag_keyframe+negative_cts_offsets",
            fixture.path("video.mp4"),
        ])
        let data = try Data(contentsOf: fixture.folder.appending("video.mp4"))
        try fixture.write(
            """
            <MPD mediaPresentationDuration="PT4S"><Period><AdaptationSet mimeType="video/mp4">
            <Representation id="v" bandwidth="1000"><BaseURL>video.mp4</BaseURL>
            <SegmentBase \(attributes(data))</Representation></AdaptationSet></Period></MPD>
            """)
        return fixture
    }

    @Test func `a file with an index is read by its parts`() throws {
        let stated = try Self.indexed { data in
            let place = data.range(of: Data("sidx".utf8)).map { $0.lowerBound - 4 } ?? 0
            let size = data[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
            return
                "indexRange='\(place)-\(place + size - 1)'><Initialization range='0-\(place - 1)'/>"
                + "</SegmentBase>"
        }
        for fixture in [stated, try Self.indexed { _ in "/>" }] {
            let expected = try Self.expected.get()
            #expect(try Fixture.frames(opener(.file(path: fixture.path("list.mpd")))) == expected)
            let server = try fixture.serve()
            #expect(try Fixture.frames(opener(AssetLocation(server.url("/list.mpd")))) == expected)
            // A seek requests neither the beginning nor the end of the file.
            let count = server.requests.count
            let first = try Fixture.firstTime(opener(AssetLocation(server.url("/list.mpd"))))
            let frames = try Fixture.frames(
                opener(AssetLocation(server.url("/list.mpd"))),
                in: MediaTimeRange(
                    start: first + Self.seconds(2.5), end: first + Self.seconds(2.8)))
            #expect(frames.map(\.number) == [25, 26, 27])
            #expect(server.requests.count > count)
        }
    }

    @Test func `a file without an index is read as a whole`() throws {
        let fixture = try Fixture()
        try FileManager.default.copyItem(at: Fixture.file, to: fixture.folder.appending("film.mp4"))
        try fixture.write(
            """
            <MPD mediaPresentationDuration="PT4S"><Period><AdaptationSet mimeType="video/mp4">
            <Representation id="v" bandwidth="1000"><BaseURL>film.mp4</BaseURL>
            </Representation></AdaptationSet></Period></MPD>
            """)
        let expected = try Self.expected.get()
        #expect(try Fixture.frames(opener(.file(path: fixture.path("list.mpd")))) == expected)
    }

    // MARK: - Audio and description

    @Test func `the audio is that of the file`() throws {
        let samples = try Fixture.samples(
            opener(.file(path: Self.whole.get().path("list.mpd"))))
        let expected = try Fixture.samples(FFmpegOpener(path: Fixture.file.path))
        // The file cuts off the end of the last packet, and an MPD states no such end.
        #expect(samples.count >= expected.count && samples.count < expected.count + 2048)
        let isPrefix = samples.starts(with: expected)
        #expect(isPrefix)
    }

    @Test func `the description states format, duration and tracks`() throws {
        let demuxer = try opener(.file(path: Self.whole.get().path("list.mpd")))
            .openDemuxer(cancellation: Cancellation())
        let description = demuxer.description
        #expect(description.container == "dash")
        #expect(description.tracks.map(\.mediaType) == [.video, .audio])
        #expect(description.duration == MediaTime(value: 4, timescale: 1))
        #expect(description.startTime == .zero)
    }

    @Test func `dates count from the beginning of the presentation`() throws {
        let fixture = try Fixture()
        let text = try fixture.text()
            .replacingOccurrences(
                of: "mediaPresentationDuration=\"PT4.0S\"",
                with: "mediaPresentationDuration=\"PT14S\" "
                    + "availabilityStartTime=\"2001-01-01T00:00:00Z\""
            )
            .replacingOccurrences(of: "start=\"PT0.0S\"", with: "start=\"PT10S\"")
        try fixture.write(text)
        let demuxer = try opener(.file(path: fixture.path("list.mpd")))
            .openDemuxer(cancellation: Cancellation())
        #expect(demuxer.description.duration == MediaTime(value: 4, timescale: 1))
        let dates = demuxer.description.dates
        #expect(dates.date(at: Self.seconds(1.5)) == 978_307_200 + 11.5)
        #expect(dates.time(of: 978_307_200 + 13) == Self.seconds(3))
        #expect(dates.time(of: 978_307_200 + 9) == nil)
    }

    @Test func `languages and the preferred audio come from the MPD`() throws {
        let fixture = try Fixture()
        let lines = try fixture.text()
        let audio = try #require(lines.range(of: "<AdaptationSet id=\"1\""))
        let end = try #require(
            lines.range(of: "</AdaptationSet>", range: audio.upperBound..<lines.endIndex))
        let set = String(lines[audio.lowerBound..<end.upperBound])
            .replacingOccurrences(
                of: "lang=\"[a-z]*\"", with: "lang=\"LANGUAGE\"", options: .regularExpression)
        func spoken(_ language: String, _ role: String) -> String {
            set.replacingOccurrences(of: "LANGUAGE", with: language).replacingOccurrences(
                of: "<Representation",
                with: "<Role schemeIdUri=\"urn:mpeg:dash:role:2011\" value=\"\(role)\"/>"
                    + "<Representation")
        }
        try fixture.write(
            lines.replacingCharacters(
                in: audio.lowerBound..<end.upperBound,
                with: spoken("de", "dub") + spoken("fr", "main")))
        let demuxer = try opener(.file(path: fixture.path("list.mpd")))
            .openDemuxer(cancellation: Cancellation())
        let tracks = demuxer.description.tracks(of: .audio)
        #expect(tracks.map(\.languageTag) == ["fr", "de"])
        #expect(demuxer.description.preferredTrack(of: .audio)?.id == tracks.first?.id)
    }

    // MARK: - Seeking and variants

    @Test(arguments: [[], ["-use_template", "0", "-use_timeline", "0"], ["-single_file", "1"]])
    func `seeks land on the exact frame and read only what is needed`(
        _ options: [String]
    ) throws {
        let fixture = try Fixture(options)
        let finder = try PictureFinder(
            asset: Asset(opener: opener(.file(path: fixture.path("list.mpd")))))
        for frame in [0, 39, 7, 20, 19, 30, 0] {
            let picture = try finder.picture(at: Self.seconds(Double(frame) / 10))
            #expect(FrameNumberStrip.read(from: picture.pixelBuffer) == frame)
        }
    }

    /// Writes a presentation with a large variant, the first one, and a small one.
    private static func variants(_ rates: (large: Int, small: Int)) throws -> Fixture {
        let fixture = try Fixture([
            "-map", "0:v", "-s:v:1", "160x120", "-c:v:1", "libx264", "-g:v:1", "10", "-b:v:1",
            "50k", "-adaptation_sets", "id=0,streams=v id=1,streams=a",
        ])
        var text = try fixture.text()
        for (width, rate) in [(320, rates.large), (160, rates.small)] {
            text = text.replacingOccurrences(
                of: "bandwidth=\"[0-9]*\" width=\"\(width)\"",
                with: "bandwidth=\"\(rate)\" width=\"\(width)\"", options: .regularExpression)
        }
        try fixture.write(text)
        return fixture
    }

    @Test func `the best variant within the limits plays, and it can change`() throws {
        let fixture = try Self.variants((900_000, 50_000))
        func width(_ preference: VariantPreference) throws -> Int? {
            try FFmpegOpener(
                path: fixture.path("list.mpd"), options: AssetOptions(variants: preference)
            ).openDemuxer(cancellation: Cancellation()).description.preferredTrack(of: .video)?
            .formatDescription.video?.width
        }
        #expect(try width(VariantPreference()) == 320)
        #expect(try width(VariantPreference(maximumWidth: 200)) == 160)
        let demuxer = try opener(.file(path: fixture.path("list.mpd")))
            .openDemuxer(cancellation: Cancellation())
        let track = try #require(demuxer.description.preferredTrack(of: .video))
        demuxer.selectTracks([track.id])
        let decoder = try demuxer.makeVideoDecoder(for: track)
        var (widths, packets): ([Int], Int) = ([], 0)
        func take() throws {
            while let frame = try decoder.receive() { widths.append(frame.pixelBuffer.width) }
        }
        while let packet = try demuxer.readPacket() {
            packets += 1
            if packets == 3 { demuxer.prefer(VariantPreference(maximumWidth: 200)) }
            try decoder.send(packet)
            try take()
        }
        try decoder.send(nil)
        try take()
        #expect(widths == Array(repeating: 320, count: 10) + Array(repeating: 160, count: 30))
    }

    @Test func `a network's throughput is measured by the smallest variant`() throws {
        // Any network carries these rates, so the large variant plays.
        let server = try Self.variants((9000, 3000)).serve()
        let frames = try Fixture.frames(
            FFmpegOpener(AssetLocation(server.url("/list.mpd")), options: log.options()))
        #expect(frames == (try Self.expected.get()))
        let chunks = server.requests.map(\.path).filter { $0.contains("chunk") }
        #expect(chunks.first?.hasPrefix("/chunk-stream2-") == true)
        #expect(chunks.count { $0.hasPrefix("/chunk-stream2-") } == 1)
    }

    // MARK: - Periods

    /// Writes an MPD whose second period has other media, of another size.
    private static func periods() throws -> (Fixture, [Fixture.Frame]) {
        let fixture = try Fixture()
        let second = fixture.path("second.mp4")
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-nostdin", "-y", "-i", try Fixture.file.path, "-vf",
            "crop=288:240:0:0", "-c:v", "libx264", "-g", "10", "-bf", "0", "-preset", "ultrafast",
            "-c:a", "copy", second,
        ])
        try FileManager.default.createDirectory(
            at: fixture.folder.appending("b"), withIntermediateDirectories: true)
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-nostdin", "-y", "-i", second, "-map", "0", "-c", "copy",
            "-f", "dash", "-seg_duration", "1", fixture.path("b/list.mpd"),
        ])
        func period(_ name: String) throws -> String {
            let text = try fixture.text(name)
            let start = try #require(text.range(of: "<Period"))
            let end = try #require(text.range(of: "</Period>"))
            return String(text[start.lowerBound..<end.upperBound])
        }
        let first = try period("list.mpd").replacingOccurrences(
            of: "<Period id=\"0\" start=\"PT0.0S\">", with: "<Period duration=\"PT4S\">")
        let other = try period("b/list.mpd").replacingOccurrences(
            of: "<Period id=\"0\" start=\"PT0.0S\">",
            with: "<Period duration=\"PT4S\"><BaseURL>b/</BaseURL>")
        try fixture.write("<MPD mediaPresentationDuration=\"PT8S\">\(first)\(other)</MPD>")
        return (fixture, try Fixture.frames(FFmpegOpener(path: second)))
    }

    @Test func `periods follow each other without a gap, each with its own media`() throws {
        let (fixture, second) = try Self.periods()
        let opener = opener(.file(path: fixture.path("list.mpd")))
        let frames = try Fixture.frames(opener)
        let first = try Self.expected.get()
        #expect(frames.map(\.hash) == first.map(\.hash) + second.map(\.hash))
        #expect(
            frames.indices.allSatisfy { abs(frames[$0].time.seconds - Double($0) / 10) < 0.002 })
        let description = try opener.openDemuxer(cancellation: Cancellation()).description
        #expect(description.duration == MediaTime(value: 8, timescale: 1))
        let samples = try Fixture.samples(opener)
        #expect(abs(Double(samples.count) / 2 / 48000 - 8) < 0.05)
    }

    @Test func `seeks cross the boundaries of periods`() throws {
        let (fixture, _) = try Self.periods()
        let finder = try PictureFinder(
            asset: Asset(opener: opener(.file(path: fixture.path("list.mpd")))))
        for frame in [45, 0, 79, 40, 39, 62, 5] {
            let picture = try finder.picture(at: Self.seconds(Double(frame) / 10 + 0.01))
            #expect(FrameNumberStrip.read(from: picture.pixelBuffer) == frame % 40)
            #expect(picture.pixelBuffer.width == (frame < 40 ? 320 : 288))
        }
    }

    @Test func `a period may have other codecs`() throws {
        let fixture = try Fixture()
        let second = fixture.path("second.mp4")
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-nostdin", "-y", "-i", try Fixture.file.path, "-c:v",
            "mpeg4", "-g", "10", "-q:v", "2", "-c:a", "flac", "-strict", "-2", second,
        ])
        try FileManager.default.createDirectory(
            at: fixture.folder.appending("b"), withIntermediateDirectories: true)
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-nostdin", "-y", "-i", second, "-map", "0", "-c", "copy",
            "-strict", "-2", "-f", "dash", "-seg_duration", "1", fixture.path("b/list.mpd"),
        ])
        func period(_ name: String, _ base: String) throws -> String {
            let text = try fixture.text(name)
            let start = try #require(text.range(of: "<AdaptationSet"))
            let end = try #require(text.range(of: "</Period>"))
            return "<Period duration=\"PT4S\"><BaseURL>\(base)</BaseURL>"
                + text[start.lowerBound..<end.upperBound]
        }
        let (first, other) = (try period("list.mpd", ""), try period("b/list.mpd", "b/"))
        try fixture.write(
            "<MPD mediaPresentationDuration=\"PT12S\">\(first)\(other)\(first)</MPD>")
        let opener = opener(.file(path: fixture.path("list.mpd")))
        let frames = try Fixture.frames(opener)
        let plain = try Self.expected.get()
        let coded = try Fixture.frames(FFmpegOpener(path: second))
        #expect(frames.map(\.hash) == (plain + coded + plain).map(\.hash))
        #expect(
            frames.indices.allSatisfy { abs(frames[$0].time.seconds - Double($0) / 10) < 0.002 })
        let samples = try Fixture.samples(opener)
        #expect(abs(Double(samples.count) / 2 / 48000 - 12) < 0.05)
        let finder = try PictureFinder(asset: Asset(opener: opener))
        for frame in [45, 0, 119, 40, 39, 80, 62, 5] {
            let picture = try finder.picture(at: Self.seconds(Double(frame) / 10 + 0.01))
            #expect(picture.pixelBuffer.pixelHash == (plain + coded + plain)[frame].hash)
        }
    }

    // MARK: - Rules

    /// The time within which an MPD is refused, in seconds. Without optimization, only a hang
    /// exceeds the limit.
    #if DEBUG
        private static let limit = 60.0
    #else
        private static let limit = 1.0
    #endif

    /// Opens an MPD that must be refused in time, with no more opens than the rules allow.
    private func failure(
        _ text: String, options: AssetOptions = AssetOptions(), in fixture: Fixture? = nil
    ) throws -> MediaError? {
        let folder = try fixture?.folder ?? Self.whole.get().folder
        let file = folder.appending("bad-\(UUID().uuidString).mpd")
        try Data(text.utf8).write(to: file)
        var (times, found): ([Double], MediaError?) = ([], nil)
        // On a busy machine, the best of three attempts counts.
        while times.count < 3, times.allSatisfy({ $0 >= Self.limit }) {
            let count = log.children.count
            let start = HostClock.nanoseconds
            found = refusal(of: file, options)
            times.append(Double(HostClock.nanoseconds - start) / 1e9)
            let opened = log.children.dropFirst(count).filter { $0.error == nil }
            #expect(opened.count <= options.rules.maximumOpens)
            #expect(opened.allSatisfy { $0.depth <= options.rules.maximumDepth })
        }
        #expect(times.contains { $0 < Self.limit }, "\(times)")
        return found
    }

    private func refusal(of file: URL, _ options: AssetOptions) -> MediaError? {
        do throws(MediaError) {
            _ = try FFmpegOpener(path: file.path, options: log.options(options))
                .openDemuxer(cancellation: Cancellation())
            return nil
        } catch {
            #expect(error.subject == file.path)
            #expect(!error.cause.isEmpty && !error.remedy.isEmpty)
            #expect(!error.description.contains("\n"))
            return error
        }
    }

    private static func list(_ base: String, _ segments: String = "<SegmentBase/>") -> String {
        """
        <MPD mediaPresentationDuration="PT4S"><Period><AdaptationSet mimeType="video/mp4">
        <BaseURL>\(base)</BaseURL><Representation id="v" bandwidth="1">\(segments)
        </Representation></AdaptationSet></Period></MPD>
        """
    }

    @Test(arguments: [
        "/etc/passwd", "file:///etc/passwd", "../../../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd",
        "http://127.0.0.1:9/x", "pipe:0", "dash:/0", "crypto:file:/etc/passwd",
        "concat:/etc/passwd", "data:video/mp4;base64,AAAA", "subfile,,start,0,end,9,,:/etc/passwd",
    ])
    func `an MPD in a file refers only to files in its folder`(_ reference: String) throws {
        let list =
            "<SegmentList duration='4'><Initialization sourceURL='\(reference)'/>"
            + "<SegmentURL media='\(reference)'/></SegmentList>"
        for text in [Self.list(reference), Self.list("", list)] {
            let error = try #require(try failure(text))
            #expect([.notAllowed, .cannotOpen, .damaged].contains(error.code))
        }
        #expect(log.children.allSatisfy { $0.error != nil || $0.subject.hasPrefix("dash:") })
    }

    @Test func `an MPD that lists itself as media does not repeat`() throws {
        let fixture = try Fixture()
        try fixture.write(Self.list("list.mpd"))
        #expect(throws: MediaError.self) {
            try opener(.file(path: fixture.path("list.mpd")))
                .openDemuxer(cancellation: Cancellation())
        }
        #expect(log.children.count < 8)
    }

    @Test func `an MPD from a network reaches no file`() throws {
        let server = try LoopbackServer { request in
            .bytes(Array(Self.list("file:///etc/passwd").utf8))
        }
        #expect(throws: MediaError.self) {
            try opener(AssetLocation(server.url("/list.mpd")))
                .openDemuxer(cancellation: Cancellation())
        }
        #expect(server.requests.allSatisfy { $0.path == "/list.mpd" })
    }

    @Test func `an MPD in memory refers to nothing`() throws {
        let source = MemoryDataSource(Array(Self.list("list.mp4").utf8))
        #expect(throws: MediaError.self) {
            try FFmpegOpener(.data(source, name: "list.mpd"))
                .openDemuxer(cancellation: Cancellation())
        }
    }

    @Test func `redirections that do not end are refused`() throws {
        let server = try LoopbackServer { request in
            request.path == "/list.mpd"
                ? .bytes(Array(Self.list("film.mp4").utf8)) : .redirect("/film.mp4")
        }
        #expect(throws: MediaError.self) {
            try opener(AssetLocation(server.url("/list.mpd")))
                .openDemuxer(cancellation: Cancellation())
        }
        #expect(server.requests.count < 64)
    }

    @Test func `an MPD after a redirection resolves against the new address`() throws {
        let fixture = try Fixture()
        let server = try LoopbackServer { request in
            if request.path == "/list.mpd" { return .redirect("/deep/er/list.mpd?token=1") }
            let name = String(request.path.dropFirst("/deep/er/".count).prefix { $0 != "?" })
            return (try? Data(contentsOf: fixture.folder.appending(name)))
                .map { .bytes(Array($0)) } ?? .status(404)
        }
        #expect(
            try Fixture.frames(opener(AssetLocation(server.url("/list.mpd")))).count
                == Fixture.frameCount)
    }

    // MARK: - Bad input

    @Test func `bombs and other documents are refused`() throws {
        let entities = (1...9).map { index in
            "<!ENTITY e\(index) '" + String(repeating: "&e\(index - 1);", count: 10) + "'>"
        }
        let bomb =
            "<?xml version='1.0'?><!DOCTYPE MPD [<!ENTITY e0 'ha'>\(entities.joined())]>"
            + "<MPD><BaseURL>&e9;</BaseURL></MPD>"
        #expect(try failure(bomb)?.code == .notAllowed)
        let external = "<!DOCTYPE MPD [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><MPD>&x;</MPD>"
        #expect(try failure(external)?.code == .notAllowed)
        #expect(
            try failure("<MPD>" + String(repeating: "<a>", count: 100_000))?.code == .limitExceeded)
        #expect(log.children.isEmpty)
    }

    @Test func `the size of an MPD is limited`() throws {
        let text = "<MPD>" + String(repeating: " ", count: 9 << 20) + "</MPD>"
        #expect(try failure(text)?.code == .limitExceeded)
    }

    @Test(arguments: [
        "<SegmentTemplate media='$Number$.m4s' duration='1' timescale='1000000'/>",
        "<SegmentTemplate media='$Time$'><SegmentTimeline><S t='0' d='1' r='1000000000'/>"
            + "</SegmentTimeline></SegmentTemplate>",
    ])
    func `millions of segments are refused`(_ segments: String) throws {
        let text = Self.list("", segments).replacingOccurrences(of: "PT4S", with: "P900D")
        #expect(try failure(text)?.code == .limitExceeded)
    }

    @Test func `a representation without an address is named as such`() throws {
        let error = try failure(Self.list(""))
        #expect(error?.code == .damaged)
        #expect(error?.cause.contains("no address") == true)
    }

    @Test func `the number of representations is limited`() throws {
        let representation = "<Representation id='v' bandwidth='1' width='8' height='8'/>"
        let text =
            "<MPD mediaPresentationDuration='PT4S'><Period>"
            + "<AdaptationSet mimeType='video/mp4'>"
            + String(repeating: representation, count: 90_000)
            + "</AdaptationSet></Period></MPD>"
        #expect(try failure(text)?.code == .limitExceeded)
    }

    @Test func `other XML is not taken for an MPD`() throws {
        #expect(try failure("<tt xmlns='x'><MPD/></tt>") != nil)
        #expect(try failure("<html><body>not found</body></html>") != nil)
    }
}
