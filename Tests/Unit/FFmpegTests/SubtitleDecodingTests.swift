// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

@Suite("Subtitle decoding")
struct SubtitleDecodingTests {
    private let folder = TemporaryFolder()

    private func file(_ name: String, _ bytes: [UInt8]) throws -> String {
        let url = folder.appending(name)
        try Data(bytes).write(to: url)
        return url.path
    }

    private func file(_ name: String, _ text: String) throws -> String {
        try file(name, Array(text.utf8))
    }

    private func cues(
        _ asset: Asset, trackID: Int? = nil
    ) throws -> (script: SubtitleScript, cues: [SubtitleCue], errors: [MediaError]) {
        let reader = try SubtitleReader(asset: asset, trackID: trackID)
        var cues: [SubtitleCue] = []
        var errors: [MediaError] = []
        while let step = try reader.read() {
            cues += step.cues
            if let error = step.error { errors.append(error) }
        }
        return (reader.script, cues, errors)
    }

    private func range(_ start: Int64, _ end: Int64) -> MediaTimeRange {
        MediaTimeRange(
            start: MediaTime(value: start, timescale: 1000),
            end: MediaTime(value: end, timescale: 1000))
    }

    @Test(arguments: [
        ("zero.srt", "2\n00:00:02,000 --> 00:00:02,000\nZero\n"),
        ("reversed.srt", "2\n00:00:02,000 --> 00:00:01,000\nZero\n"),
        ("zero.vtt", "WEBVTT\n\n00:02.000 --> 00:02.000\nZero\n"),
        ("reversed.vtt", "WEBVTT\n\n00:02.000 --> 00:01.000\nZero\n"),
    ])
    func `a cue whose end is not after its start has no end`(name: String, text: String) throws {
        let found = try cues(SubtitleFile.asset(try file(name, text))).cues
        #expect(found.map(\.isOpenEnded) == [true], "\(name)")
        #expect(found.map(\.timeRange.start) == [MediaTime(value: 2, timescale: 1)], "\(name)")
    }

    @Test func `a line of a script whose end is its start is not shown`() throws {
        let text =
            "[Script Info]\nScriptType: v4.00+\n[Events]\n"
            + "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
            + "Dialogue: 0,0:00:02.00,0:00:02.00,Default,,0,0,0,,Zero\n"
            + "Dialogue: 0,0:00:04.00,0:00:05.00,Default,,0,0,0,,Three\n"
        let found = try cues(SubtitleFile.asset(try file("zero.ass", text))).cues
        #expect(found.map(\.text) == ["Three"])
    }

    @Test func `captions of CEA-608 begin when they appear and end when they are erased`() throws {
        // Pop-on captions of SCC: load, row 15, "Hello", display; then erase.
        let text =
            "Scenarist_SCC V1.0\n\n"
            + "00:00:01:00\t94ae 94ae 9420 9420 9470 9470 c8e5 ecec ef80 942f 942f\n\n"
            + "00:00:03:00\t942c 942c\n"
        let found = try cues(SubtitleFile.asset(try file("hello.scc", text))).cues
            .filter { !$0.text.isEmpty }
        #expect(found.map(\.text) == ["Hello"])
        let start = try #require(found.first?.timeRange.start)
        let end = try #require(found.first?.timeRange.end)
        #expect((start.seconds - 1).magnitude < 0.6 && (end.seconds - 3).magnitude < 0.1)
    }

    private static let srt = """
        1
        00:00:01,000 --> 00:00:02,500
        First <i>line</i>

        2
        00:00:03,250 --> 00:00:04,000
        Second
        of two

        """

    private static let ass = """
        [Script Info]
        ScriptType: v4.00+
        PlayResX: 640
        PlayResY: 360
        [V4+ Styles]
        Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, \
        Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, \
        Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
        Style: Sign,DejaVu Sans,40,&H000000FF,&H000000FF,&H00000000,&H00000000,0,0,0,0,100,100,0,0,1,\
        2,0,8,10,10,10,1
        [Events]
        Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
        Dialogue: 0,0:00:01.00,0:00:02.50,Sign,,0,0,0,,First line
        Dialogue: 0,0:00:03.25,0:00:04.00,Sign,,0,0,0,,Second\\Nof two

        """

    @Test(arguments: [
        ("film.srt", srt), ("film.ass", ass),
        (
            "film.vtt",
            "WEBVTT\n\n00:01.000 --> 00:02.500\nFirst <i>line</i>\n\n"
                + "00:03.250 --> 00:04.000\nSecond\nof two\n"
        ),
    ])
    func `lines of every format come at their times, as text`(name: String, text: String) throws {
        let (script, cues, errors) = try cues(SubtitleFile.asset(try file(name, text)))
        #expect(errors.isEmpty)
        #expect(cues.map(\.timeRange) == [range(1000, 2500), range(3250, 4000)])
        #expect(cues.map(\.text) == ["First line", "Second\nof two"])
        #expect(script.isStyled == name.hasSuffix(".ass"))
        #expect(script.header.contains(name.hasSuffix(".ass") ? "Style: Sign" : "[V4+ Styles]"))
    }

    @Test(
        arguments: [
            "00:01,000 --> 00:02,500", "0:01,0 -->  0:02,5", "00:00:01 --> 00:00:02.5",
            "00:01.000 --> 00:02.500 X1:100 X2:200 Y1:10 Y2:20", "0:00:01,000 --> 00:02,500000",
            " 00:01,000\t-->\t00:00:02,500 ",
        ], ["\n", "\r\n"])
    func `times of SubRip may lack hours, and digits of their fraction`(times: String, end: String)
        throws
    {
        let text = ["1", times, "First", "", "2", "00:03,250 --> 00:04", "Second", ""]
        let path = try file("film.srt", text.joined(separator: end))
        let found = try cues(SubtitleFile.asset(path)).cues
        #expect(found.map(\.timeRange) == [range(1000, 2500), range(3250, 4000)])
        #expect(found.map(\.text) == ["First", "Second"])
    }

    @Test(arguments: [
        ("a &amp; b &lt;c&gt; &quot;d&quot; &#39;e&#x27; f&nbsp;g", "a & b <c> \"d\" 'e' f\u{A0}g"),
        (
            "AT&T & co; R&amp;D; &unknown; &#; &#x110000; &amp",
            "AT&T & co; R&D; &unknown; &#; &#x110000; &amp"
        ),
        ("&amp;lt; <i>&lt;i&gt;</i>", "&lt; <i>"), ("&#123;\\an8&#125;", "{\\an8}"),
    ])
    func `characters of SubRip may be written as web pages write them`(
        text: String, expected: String
    ) throws {
        let path = try file("film.srt", "1\n00:00:01,000 --> 00:00:02,000\n\(text)\n")
        #expect(try cues(SubtitleFile.asset(path)).cues.map(\.text) == [expected])
    }

    @Test func `characters of WebVTT may be written as web pages write them`() throws {
        let text = "a &amp; b &lt;c&gt; &quot;d&quot; &#39;e&#39; &hellip;"
        let path = try file("film.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\n\(text)\n")
        #expect(
            try cues(SubtitleFile.asset(path)).cues.map(\.text) == ["a & b <c> \"d\" 'e' …"])
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func `styles, regions and notes of WebVTT are ignored`(end: String) throws {
        let text = """
            WEBVTT - words
            Kind: captions

            STYLE
            ::cue(.yellow) { color: #ff0 }

            REGION
            id:fred

            NOTE of the author

            first
            00:01.000 --> 00:02.500
            First <i>line</i>


            STYLE
            ::cue { color: red }

            00:03.250 --> 00:04.000
            Second
            of two
            """
        let path = try file(
            "film.vtt",
            text.split(separator: "\n", omittingEmptySubsequences: false)
                .joined(separator: end))
        let found = try cues(SubtitleFile.asset(path)).cues
        #expect(found.map(\.timeRange) == [range(1000, 2500), range(3250, 4000)])
        #expect(found.map(\.text) == ["First line", "Second\nof two"])
    }

    @Test(arguments: [
        // The settings, then three margins and the text.
        ("", "0,0,0,,words"), ("line:0", "0,0,0,,{\\an8}words"), ("line:-1", "0,0,0,,words"),
        ("line:2", "0,0,32,,{\\an8}words"), ("line:-3", "0,0,32,,words"),
        ("line:10%", "0,0,29,,{\\an8}words"), ("line:80%", "0,0,42,,words"),
        ("line:80%,end", "0,0,58,,words"), ("line:99%", "0,0,0,,words"),
        ("align:start", "0,0,0,,{\\an1}words"), ("align:right line:0", "0,0,0,,{\\an9}words"),
        ("position:25% align:left", "96,0,0,,{\\an1}words"), ("position:25%", "0,192,0,,words"),
        ("position:75%,line-right", "0,96,0,,{\\an3}words"),
        ("position:75%\tsize:50%", "192,0,0,,words"),
        ("line:200% position:-1% align:nowhere line: :3 x", "0,0,0,,words"),
        ("line:99999999999999999999 position:%", "0,0,0,,words"),
        // In vertical text, a line is a column.
        ("vertical:rl line:0 align:start", "0,0,0,,words"),
        ("line:0 vertical:sideways", "0,0,0,,{\\an8}words"),
    ])
    func `a WebVTT cue is positioned by its settings`(settings: String, expected: String) throws {
        let path = try file("film.vtt", "WEBVTT\n\n00:01.000 --> 00:02.500 \(settings)\nwords\n")
        let cue = try #require(try cues(SubtitleFile.asset(path)).cues.first)
        #expect(cue.text == "words")
        guard case .line(let line) = cue.content else {
            Issue.record("\(cue)")
            return
        }
        let fields = line.split(separator: ",", maxSplits: 4, omittingEmptySubsequences: false)
        #expect(fields.last == "\(expected)")
    }

    @Test func `WebVTT lines below the frame are moved to its bottom`()
        throws
    {
        let path = try file(
            "film.vtt", "WEBVTT\n\n00:01.000 --> 00:02.500 line:84%\nA row\nof four\nof\nthese\n")
        guard case .line(let line)? = try cues(SubtitleFile.asset(path)).cues.first?.content else {
            Issue.record("no line")
            return
        }
        #expect(line.hasSuffix(",0,0,0,,A row\\Nof four\\Nof\\Nthese"))
    }

    /// Two languages: one paragraph each in a sync of its own, then both in one.
    private static let sami = """
        <SAMI><HEAD><STYLE TYPE="text/css"><!--
        P { margin-left: 1px; }
        .ENCC { Name: English; lang: en-US; SAMIType: CC; }
        .KRCC { Name: Korean; lang: ko-KR; SAMIType: CC; }
        --></STYLE></HEAD><BODY>
        <SYNC Start=1000><P Class=ENCC>Hello
        <SYNC Start=1000><P Class=KRCC>Annyeong
        <SYNC Start=2000><P Class=ENCC>&nbsp;
        <sync start="3000"><p class="encc">World<P Class=KRCC>Segye
        <SYNC Start=5000><P Class=ENCC>&nbsp;<P Class=KRCC>&nbsp;
        </BODY></SAMI>

        """

    @Test func `SAMI has a track for each language`() throws {
        let path = try file("film.smi", Self.sami)
        let tracks = SubtitleFile.tracks(path)
        #expect(tracks.map(\.name) == ["film.smi: English", "film.smi: Korean"])
        #expect(tracks.map(\.language) == [LanguageTag("en-US"), LanguageTag("ko-KR")])
        let cues = try tracks.map { track in
            try self.cues(track.asset).cues.filter { !$0.text.allSatisfy(\.isWhitespace) }
        }
        #expect(cues.map { $0.map(\.text) } == [["Hello", "World"], ["Annyeong", "Segye"]])
        #expect(cues[0].map(\.timeRange) == [range(1000, 2000), range(3000, 5000)])
        // Korean has no paragraph at 2 s.
        #expect(cues[1].map(\.timeRange) == [range(1000, 3000), range(3000, 5000)])
    }

    @Test func `of SAMI as a whole the first language is read`() throws {
        let path = try file("film.smi", Self.sami)
        let words = try cues(SubtitleFile.asset(path)).cues.map(\.text)
        #expect(words.contains("Hello") && !words.contains("Annyeong"))
    }

    @Test func `SAMI without classes is one track`() throws {
        let path = try file(
            "film.smi",
            "<SAMI><BODY>\n<SYNC Start=1000><P>Hello\n<SYNC Start=2000><P>&nbsp;\n</BODY></SAMI>\n")
        let tracks = SubtitleFile.tracks(path)
        #expect(tracks.map(\.name) == ["film.smi"])
        #expect(try cues(tracks[0].asset).cues.first?.text == "Hello")
    }

    @Test func `a file in whose format there are no lines is refused`() throws {
        // EBU STL (Tech 3264) is binary; FFmpeg takes the extension for Spruce's text format.
        let block = Array("850STL25.01".utf8) + [UInt8](repeating: 0x30, count: 1013)
        for text in [block + [0, 0, 0, 255, 0, 0, 1], block + [1, 1, 1, 1, 1]] {
            let path = try file("film.stl", text)
            let error = #expect(throws: MediaError.self) {
                _ = try self.cues(SubtitleFile.asset(path))
            }
            #expect(error?.code == .unknownFormat)
            #expect(error?.cause.contains("no subtitles") == true, "\(String(describing: error))")
        }
    }

    @Test func `MicroDVD counts frames, by the rate that its first line gives`() throws {
        let path = try file("film.sub", "{1}{1}25\n{25}{50}First line\n{75}{100}Second|of two\n")
        #expect(
            try cues(SubtitleFile.asset(path)).cues.map(\.text) == ["First line", "Second\nof two"])
    }

    @Test(arguments: [
        ("film.sub", "{25}{50}First\n{75}{100}Second\n{125}{130}Third\n", [1, 2, 3, 4, 5, 5.2]),
        // The rate in the file takes precedence.
        (
            "film.sub", "{1}{1}50\n{25}{50}First\n{75}{100}Second\n{125}{130}Third\n",
            [0.5, 1, 1.5, 2, 2.5, 2.6]
        ),
        (
            "film.sub", "{1}{1}23.976\n{0}{24}First\n{48}{72}Second\n{96}{120}Third\n",
            [0, 1.001, 2.002, 3.003, 4.004, 5.005]
        ),
        (
            "film.stl",
            "$FontName = Arial\n00:00:01:00 , 00:00:02:24 , First\n00:00:03:05 , 00:00:04:12 , Second\n",
            [1, 2.96, 3.2, 4.48]
        ),
        ("film.srt", "1\n00:00:01,000 --> 00:00:02,000\nFirst\n", [1, 2]),
    ])
    func `times that count frames are those of the video's frames`(
        name: String, text: String, right: [Double]
    ) throws {
        let reader = try SubtitleReader(asset: SubtitleFile.asset(try file(name, text)))
        reader.frameRate = 25
        var times: [Double] = []
        while let step = try reader.read() {
            times += step.cues.flatMap { [$0.timeRange.start.seconds, $0.timeRange.end.seconds] }
        }
        #expect(zip(times, right).allSatisfy { abs($0 - $1) < 0.0015 }, "\(times)")
        #expect(times.count == right.count)
    }

    @Test(arguments: [
        ("windows-1251", "Съешь ещё этих мягких французских булок, да выпей же чаю."),
        ("utf-16", "Съешь ещё этих мягких французских булок"),
        ("utf-16le", "Falsches Üben von Xylophonmusik quält jeden größeren Zwerg"),
        ("iso-8859-1", "Portez ce vieux whisky au juge blond qui fume, déjà là où ça gêne"),
        ("shift_jis", "いろはにほへと ちりぬるを わかよたれそ つねならむ"),
        ("utf-8", "Zażółć gęślą jaźń"),
    ])
    func `text in other encodings is recognised`(encoding: String, words: String) throws {
        let text = "1\n00:00:01,000 --> 00:00:02,000\n\(words)\n\n"
        let plain = try file("plain.srt", text)
        let encoded = folder.appending("encoded.srt").path
        let result = try ProcessRunner.check(
            ["iconv", "-f", "utf-8", "-t", encoding, plain])
        try Data(result.standardOutput).write(to: URL(filePath: encoded))
        #expect(try cues(SubtitleFile.asset(encoded)).cues.map(\.text) == [words])
        let named = SubtitleFile.asset(encoded, encoding: encoding)
        #expect(try cues(named).cues.map(\.text) == [words])
    }

    @Test func `subtitles are read behind an address, too`() throws {
        let server = try LoopbackServer { request in
            switch request.path {
            case "/film.srt": .whole(Array(Self.srt.utf8))
            case "/large.srt": .endless(Array(Self.srt.utf8))
            default: .status(404)
            }
        }
        defer { server.stop() }
        let words = try cues(SubtitleFile.asset(server.url("/film.srt"))).cues.map(\.text)
        #expect(words == ["First line", "Second\nof two"])
        func failure(_ path: String) -> MediaError? {
            var options = AssetOptions()
            options.limits.subtitles.fileBytes = 100_000
            do {
                _ = try cues(SubtitleFile.asset(server.url(path), options: options))
                return nil
            } catch { return error as? MediaError }
        }
        let missing = failure("/gone.srt")
        #expect(missing?.cause.contains("404") == true)
        #expect(missing?.subject == server.url("/gone.srt"))
        #expect(failure("/large.srt")?.code == .limitExceeded)
    }

    @Test func `an unknown encoding is reported`() throws {
        let path = try file("film.srt", Self.srt)
        #expect(throws: MediaError.self) {
            try cues(SubtitleFile.asset(path, encoding: "klingon"))
        }
    }

    @Test func `subtitle files are found by the video's name, with the language in between`()
        throws
    {
        let film = try file("film.mkv", "x")
        for name in [
            "film.srt", "film.en.srt", "film.pt-BR.forced.ass", "film2.srt", "other.srt",
            "film.txt", "film.VTT",
        ] {
            _ = try file(name, Self.srt)
        }
        let names = SubtitleFile.paths(beside: film).map { $0.split(separator: "/").last! }
        #expect(
            Set(names) == ["film.srt", "film.en.srt", "film.pt-BR.forced.ass", "film.VTT"])
        #expect(SubtitleFile.language(of: "/a/film.en.srt") == LanguageTag("en"))
        #expect(SubtitleFile.language(of: "/a/film.pt-BR.forced.ass") == LanguageTag("pt-BR"))
        #expect(SubtitleFile.language(of: "/a/film.srt") == nil)
        #expect(SubtitleFile.language(of: "/a/The.Big.Sleep.srt") == nil)
    }

    // MARK: In videos

    private func track(of path: String) throws -> (Asset, Int) {
        let url = try #require(Corpus.url(path))
        let asset = URLAsset(
            location: .file(path: url.path), opener: FFmpegOpener(path: url.path))
        let description = try asset.openDemuxer(cancellation: Cancellation()).description
        return (asset, try #require(description.tracks(of: .subtitle).first).id)
    }

    private static let mkv = "androidx-media/media/mkv/sample_with_"

    @Test(.enabled(if: Corpus.has(mkv + "ass_subtitles.mkv"), "\(Corpus.absence)"))
    func `embedded subtitles have the styles of the file`() throws {
        let (asset, track) = try track(of: Self.mkv + "ass_subtitles.mkv")
        let (script, cues, _) = try cues(asset, trackID: track)
        #expect(script.isStyled)
        #expect(!cues.isEmpty)
        #expect(cues.allSatisfy { !$0.text.isEmpty && $0.timeRange.duration > .zero })
    }

    @Test(
        .enabled(if: Corpus.has(mkv + "pgs_subtitles.mkv"), "\(Corpus.absence)"),
        arguments: ["pgs_subtitles.mkv", "vobsub.mkv"])
    func `disc subtitles are cropped to their visible part within the canvas`(name: String) throws {
        let (asset, track) = try track(of: Self.mkv + name)
        let cues = try cues(asset, trackID: track).cues
        let bitmaps = cues.flatMap { cue -> [SubtitleBitmap] in
            if case .bitmaps(let bitmaps) = cue.content { bitmaps } else { [] }
        }
        #expect(!bitmaps.isEmpty)
        for bitmap in bitmaps {
            #expect((bitmap.canvasWidth, bitmap.canvasHeight) == (1280, 720))
            #expect(bitmap.x >= 0 && bitmap.x + bitmap.width <= 1280)
            #expect(bitmap.y >= 0 && bitmap.y + bitmap.height <= 720)
            let isSeen = bitmap.indices.map { bitmap.palette[Int($0)].w > 0 }
            #expect(isSeen.prefix(bitmap.width).contains(true))
            #expect(isSeen.suffix(bitmap.width).contains(true))
        }
    }

    @Test(.enabled(if: SyntheticClip.isAvailable, "needs ffmpeg"))
    func `attached fonts come with the track, and a seek finds the visible subtitles`()
        throws
    {
        let font = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
        try #require(FileManager.default.fileExists(atPath: font))
        let lines = try file("lines.ass", Self.ass)
        let film = folder.appending("film.mkv").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=64x36:r=10:d=5", "-i", lines,
            "-attach", font, "-metadata:s:t", "mimetype=application/x-truetype-font", "-map", "0",
            "-map", "1", "-c:v", "libx264", "-g", "5", film,
        ])
        let asset = URLAsset(location: .file(path: film), opener: FFmpegOpener(path: film))
        let (script, cues, _) = try cues(asset, trackID: 1)
        #expect(script.fonts.map(\.name) == ["DejaVuSans.ttf"])
        #expect(script.fonts[0].bytes.count > 100_000)
        #expect(cues.map(\.text) == ["First line", "Second\nof two"])
        let reader = try SubtitleReader(asset: asset, trackID: 1)
        try reader.seek(to: MediaTime(value: 3, timescale: 1))
        var found: [String] = []
        while let step = try reader.read() { found += step.cues.map(\.text) }
        #expect(found == ["Second\nof two"])
    }

    // MARK: Hostile

    @Test func `invalid, too large and damaged files are refused in one line`() throws {
        var options = AssetOptions()
        options.limits.subtitles.fileBytes = 1000
        let large = try file("large.srt", String(repeating: Self.srt, count: 50))
        #expect(throws: MediaError.self) {
            try cues(SubtitleFile.asset(large, options: options))
        }
        for bytes in [[], [0], Array(repeating: UInt8(0xFF), count: 4000)] as [[UInt8]] {
            let path = try file("odd.srt", bytes)
            #expect(throws: MediaError.self) { try cues(SubtitleFile.asset(path)) }
        }
        #expect(throws: MediaError.self) { try cues(SubtitleFile.asset("/nonexistent.srt")) }
    }

    @Test func `noise in the place of subtitles ends in cues or an error, never worse`() throws {
        var random = SplitMix64(seed: 11)
        let seeds = [Self.srt, Self.ass, "WEBVTT\n\n00:01.000 --> 00:02.500\nFirst\n"]
        for round in 0..<300 {
            var bytes = Array(seeds[round % seeds.count].utf8)
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
                default: bytes.removeSubrange(place..<min(bytes.count, place + 9))
                }
                if bytes.isEmpty { bytes = [10] }
            }
            let path = try file("noise.\(["srt", "ass", "vtt"][round % 3])", bytes)
            _ = try? cues(SubtitleFile.asset(path))
        }
    }

    @Test func `a line beyond the limit is left out, its neighbours stay`() throws {
        var options = AssetOptions()
        options.limits.subtitles.lineBytes = 200
        let text =
            "1\n00:00:01,000 --> 00:00:02,000\n\(String(repeating: "long ", count: 100))\n\n"
            + "2\n00:00:03,000 --> 00:00:04,000\nshort\n\n"
        let path = try file("long.srt", text)
        #expect(try cues(SubtitleFile.asset(path, options: options)).cues.map(\.text) == ["short"])
    }
}
