// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// TTML in files and in MP4.
@Suite("TTML")
struct TTMLTests {
    private static let namespaces = """
        xmlns="http://www.w3.org/ns/ttml" xmlns:tts="http://www.w3.org/ns/ttml#styling" \
        xmlns:ttp="http://www.w3.org/ns/ttml#parameter"
        """

    private static func document(
        _ body: String, head: String = "", attributes: String = ""
    ) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<tt \(namespaces) \(attributes)>"
            + "<head>\(head)</head><body>\(body)</body></tt>"
    }

    private static func cues(_ text: String) throws -> [SubtitleCue] {
        try TTMLDocument(Array(text.utf8), subject: "film.ttml").cues(limits: SubtitleLimits())
    }

    /// Returns the cues as texts with their times in seconds.
    private static func shown(_ text: String) throws -> [String] {
        try cues(text).map { cue in
            func number(_ time: MediaTime) -> String {
                let milliseconds = Int((time.seconds * 1000).rounded())
                return "\(Double(milliseconds) / 1000)"
            }
            return "\(number(cue.timeRange.start))-\(number(cue.timeRange.end)) \(cue.text)"
        }
    }

    private static func line(_ text: String) throws -> String {
        let cue = try #require(try cues(text).last)
        guard case .line(let line) = cue.content else { return "" }
        return line
    }

    // MARK: - Times

    @Test(
        arguments: [
            ("00:00:02", "", 2), ("01:02:03.5", "", 3723.5), ("100:00:00", "", 360_000),
            ("2s", "", 2), ("2.25s", "", 2.25), ("250ms", "", 0.25), ("1.5m", "", 90),
            ("2h", "", 7200),
            ("45f", "", 1.5), ("50f", "ttp:frameRate='25'", 2),
            ("00:00:01:15", "", 1.5), ("00:00:01:05", "ttp:frameRate='25'", 1.2),
            ("30f", "ttp:frameRate='30' ttp:frameRateMultiplier='1000 1001'", 1.001),
            ("00:00:00:15.1", "ttp:frameRate='30' ttp:subFrameRate='2'", 15.5 / 30),
            ("10000000t", "ttp:tickRate='10000000'", 1), ("3t", "", 3),
            ("50t", "ttp:frameRate='25'", 2), ("50t", "ttp:frameRate='25' ttp:subFrameRate='2'", 1),
            // Labels of SMPTE count frames: an hour of them takes an hour and 3.6 s.
            (
                "01:00:00:00",
                "ttp:timeBase='smpte' ttp:frameRate='30' ttp:frameRateMultiplier='1000 1001'",
                3603.6
            ),
            (
                "01:00:00:00",
                "ttp:timeBase='smpte' ttp:dropMode='dropNTSC' ttp:frameRate='30' "
                    + "ttp:frameRateMultiplier='1000 1001'", 3599.9964
            ),
            (" 2s ", "", 2),
        ] as [(String, String, Double)])
    func `times of all forms are parsed`(text: String, parameters: String, seconds: Double) throws {
        let cue = try #require(
            try Self.cues(
                Self.document(
                    "<div><p begin='\(text)' dur='1s'>words</p></div>", attributes: parameters)
            ).first)
        #expect(abs(cue.timeRange.start.seconds - seconds) < 1e-6, "\(cue.timeRange)")
    }

    @Test(arguments: [
        "", "nan", "NaNs", "-1s", "+1s", "inf", "1e3s", "infs", "1", "1x", "00:00", "1:2:3:4:5",
        "00:61:00", "00:00:-1", "00:00:0x1", "99999999999999999999s", "9999999999h", "..5s",
        "1.2.3s",
        "٣s", "00:00:nan", ":::", "1 s",
    ])
    func `paragraphs whose times are not valid are left out`(text: String) throws {
        let body =
            "<p begin='\(text)' end='5s'>bad</p><p begin='1s' end='\(text)'>bad</p>"
            + "<p begin='1s' dur='\(text)'>bad</p><p begin='1s' end='2s'>good</p>"
        #expect(try Self.shown(Self.document(body)) == ["1.0-2.0 good"])
    }

    @Test(
        arguments: [
            ("<p begin='1s' end='3s'>a</p>", ["1.0-3.0 a"]),
            ("<p begin='1s' dur='3s'>a</p>", ["1.0-4.0 a"]),
            ("<p begin='1s' end='3s' dur='1s'>a</p>", ["1.0-2.0 a"]),
            // Times count from the beginning of the element around them, and end with it.
            ("<div begin='10s' end='14s'><p begin='1s' end='9s'>a</p></div>", ["11.0-14.0 a"]),
            (
                "<div begin='10s'><div begin='5s'><p begin='1s' end='2s'>a</p></div></div>",
                ["16.0-17.0 a"]
            ),
            ("<div begin='10s' dur='2s'><p>a</p></div>", ["10.0-12.0 a"]),
            (
                "<div timeContainer='seq'><p dur='1s'>a</p><p begin='1s' dur='2s'>b</p></div>",
                ["0.0-1.0 a", "2.0-4.0 b"]
            ),
            (
                "<p begin='1s' end='4s'>a<span begin='1s' end='2s'>b</span></p>",
                ["1.0-2.0 a", "2.0-3.0 ab", "3.0-4.0 a"]
            ),
            (
                "<p begin='1s' end='4s' timeContainer='seq'><span dur='1s'>a</span>"
                    + "<span dur='1s'>b</span></p>", ["1.0-2.0 a", "2.0-3.0 b"]
            ),
            // Paragraphs that overlap are shown in the order of the document.
            (
                "<p begin='1s' end='3s'>a</p><p begin='2s' end='4s'>b</p>",
                ["1.0-2.0 a", "2.0-3.0 a\nb", "3.0-4.0 b"]
            ),
            // A paragraph without an end is shown until the next one, or for five seconds.
            ("<p begin='1s'>a</p><p begin='3s'>b</p>", ["1.0-3.0 a", "3.0-8.0 b"]),
            ("<p begin='3s' end='2s'>a</p><p begin='3s' end='3s'>b</p>", []),
            ("<p begin='1s' end='2s'> </p><p begin='1s' end='2s'/>", []),
        ] as [(String, [String])])
    func `elements have times within those around them`(body: String, expected: [String]) throws {
        #expect(try Self.shown(Self.document(body)) == expected)
    }

    // MARK: - Text

    @Test(arguments: [
        ("  two\n   words  ", "two words"), ("a<br/>b", "a\nb"), (" a <br/> b ", "a\nb"),
        ("<span>a</span> <span>b</span>", "a b"), ("<span>a </span> <span> b</span>", "a b"),
        ("a<span> b</span>", "a b"), ("a &amp; &lt;b&gt; &#x41;", "a & <b> A"),
        ("<![CDATA[a < b]]>", "a < b"), ("{\\an8}", "{\\an8}"),
        ("<span xml:space='preserve'>a  b</span>", "a  b"),
        ("<metadata>no</metadata>a<set tts:color='red'/>", "a"),
        ("<span tts:visibility='hidden'>no</span>a", "a"),
        ("<tt:span>a</tt:span>", "a"), ("a<!-- no -->b", "ab"),
    ])
    func `white space is reduced as XML requires`(text: String, expected: String) throws {
        let body = "<p begin='1s' end='2s'>\(text)</p>"
        let found = try Self.cues(Self.document(body)).map(\.text)
        // A word joiner keeps a backslash from being a command.
        #expect(found.first?.replacing("\u{2060}", with: "") == expected)
    }

    @Test(arguments: [
        ("tts:color='#ff8000'", "{\\1c&H0080FF&\\1a&H00&}a"),
        ("tts:color='#ff800080'", "{\\1c&H0080FF&\\1a&H7F&}a"),
        ("tts:color='rgba(255,128,0,128)'", "{\\1c&H0080FF&\\1a&H7F&}a"),
        ("tts:color='yellow'", "{\\1c&H00FFFF&\\1a&H00&}a"), ("tts:color='nonsense'", "a"),
        ("tts:fontWeight='bold' tts:fontStyle='italic'", "{\\b1\\i1}a"),
        ("tts:textDecoration='underline lineThrough'", "{\\u1\\s1}a"),
        ("tts:backgroundColor='black'", "{\\rBox\\3c&H000000&\\3a&H00&}a"),
        ("tts:backgroundColor='transparent'", "a"), ("style='s'", "{\\b1\\1c&H0000FF&\\1a&H00&}a"),
        ("style='s' tts:color='lime'", "{\\b1\\1c&H00FF00&\\1a&H00&}a"),
        ("style='t'", "{\\b1\\i1\\1c&H0000FF&\\1a&H00&}a"), ("style='none'", "a"),
        // Styles that refer to each other, and to themselves.
        ("style='u'", "{\\u1}a"),
        // A cell is a fifteenth of the height; the initial size is a cell.
        ("tts:fontSize='1c'", "{\\fs21.45}a"), ("tts:fontSize='100%'", "{\\fs21.45}a"),
        ("tts:fontSize='0.5em'", "{\\fs10.72}a"), ("tts:fontSize='50%'", "{\\fs10.72}a"),
        ("tts:fontSize='5rh'", "{\\fs16.08}a"), ("tts:fontSize='36px'", "{\\fs16.08}a"),
        ("tts:fontSize='50% 100%'", "{\\fs21.45\\fscx50}a"),
        ("tts:fontSize='72px 36px'", "{\\fs16.08\\fscx200}a"),
        ("tts:fontSize='1c 1c'", "{\\fs21.45}a"), ("tts:fontSize='9999%'", "{\\fs160.85}a"),
        ("tts:fontSize='nan%'", "a"), ("tts:fontSize='-1c'", "a"), ("tts:fontSize='0px'", "a"),
        ("tts:fontSize='1c 1c 1c'", "a"), ("tts:fontSize=''", "a"), ("tts:fontSize='x 1c'", "a"),
        ("tts:fontSize='large'", "a"), ("tts:fontSize='infem'", "a"),
    ])
    func `styles are applied`(attributes: String, expected: String) throws {
        let head =
            "<styling><style xml:id='s' tts:color='red' tts:fontWeight='bold'/>"
            + "<style xml:id='t' style='s' tts:fontStyle='italic'/>"
            + "<style xml:id='u' style='v u' tts:textDecoration='underline'/>"
            + "<style xml:id='v' style='u v'/></styling>"
        for body in [
            "<p begin='1s' end='2s' \(attributes)>a</p>",
            "<p begin='1s' end='2s'><span \(attributes)>a</span></p>",
            "<div \(attributes)><p begin='1s' end='2s'>a</p></div>",
        ] {
            let document = Self.document(
                body, head: head, attributes: "tts:extent='1280px 720px'")
            #expect(try Self.line(document).hasSuffix("," + expected), "\(attributes)")
        }
    }

    @Test func `sizes of letters are relative to those of the elements around them`() throws {
        let body =
            "<div region='r' tts:fontSize='160%'><p begin='1s' end='2s'>a<span "
            + "tts:fontSize='50%'>b</span><span tts:fontSize='60px'>c</span>d</p></div>"
        let line = try Self.line(
            Self.document(
                body, head: "<layout><region xml:id='r' tts:fontSize='2c'/></layout>",
                attributes: "ttp:cellResolution='50 30' tts:extent='1280px 720px'"))
        // The region's letters have 2 of 30 rows, and those of the paragraph 160 % of these.
        #expect(line.hasSuffix("{\\fs34.31}a{\\fs17.16}b{\\fs26.81}c{\\fs34.31}d"), "\(line)")
    }

    // MARK: - Regions

    @Test(arguments: [
        ("", "{\\an7\\pos(0,0)}a", ",1,1,0,,"),
        ("tts:origin='10% 80%' tts:extent='80% 10%'", "{\\an7\\pos(38.4,230.4)}a", ",38,38,0,,"),
        (
            "tts:origin='10% 80%' tts:extent='80% 10%' tts:displayAlign='after' "
                + "tts:textAlign='center'", "{\\an2\\pos(192,259.2)}a", ",38,38,0,,"
        ),
        (
            "tts:origin='50% 0%' tts:extent='50% 50%' tts:displayAlign='center' "
                + "tts:textAlign='end'", "{\\an6\\pos(384,72)}a", ",192,1,0,,"
        ),
        (
            "tts:origin='640px 360px' tts:extent='640px 360px'", "{\\an7\\pos(192,144)}a",
            ",192,1,0,,"
        ),
        ("tts:origin='16c 3c' tts:extent='8c 3c'", "{\\an7\\pos(192,57.6)}a", ",192,96,0,,"),
        // Areas outside of the video are moved into it.
        ("tts:origin='-50% 200%' tts:extent='900% 900%'", "{\\an7\\pos(0,288)}a", ",1,1,0,,"),
        ("tts:origin='nan% inf%' tts:extent='x y'", "{\\an7\\pos(0,0)}a", ",1,1,0,,"),
    ])
    func `text is placed in its region`(attributes: String, expected: String, margins: String)
        throws
    {
        for head in [
            "<layout><region xml:id='r' \(attributes)/></layout>",
            "<layout><region xml:id='r'><style \(attributes)/></region></layout>",
            "<styling><style xml:id='s' \(attributes)/></styling>"
                + "<layout><region xml:id='r' style='s'/></layout>",
        ] {
            let line = try Self.line(
                Self.document(
                    "<p region='r' begin='1s' end='2s'>a</p>", head: head,
                    attributes: "tts:extent='1280px 720px'"))
            #expect(line.hasSuffix(margins + expected), "\(line)")
        }
    }

    @Test func `a region has its colour, and paragraphs in it are one text`() throws {
        let head =
            "<layout><region xml:id='r' tts:origin='10% 10%' tts:extent='50% 20%' "
            + "tts:backgroundColor='#0000ff80'/><region xml:id='q'/></layout>"
        let body =
            "<div region='r'><p begin='1s' end='2s'>a</p><p begin='1s' end='2s'>b</p>"
            + "<p region='q' begin='1s' end='2s'>c</p><p region='x' begin='1s' end='2s'>d</p></div>"
        let cues = try Self.cues(Self.document(body, head: head))
        #expect(cues.map(\.text) == ["", "a\nb", "c", "d"])
        guard case .line(let area)? = cues.first?.content else { return }
        #expect(area.contains("\\1c&HFF0000&\\1a&H7F&\\p1}m 0 0 m 38.4 28.8 l 230.4 28.8"))
    }

    // MARK: - Files

    private let folder = TemporaryFolder()

    private func write(_ bytes: [UInt8], _ name: String) throws -> String {
        let url = folder.appending(name)
        try Data(bytes).write(to: url)
        return url.path
    }

    private static let words = document("<p begin='1s' end='2s'>Wörter</p>")

    @Test func `files of TTML are read in any encoding`() throws {
        let plain = Array(Self.words.utf8)
        let wide = Self.words.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        let prefixed =
            "<!-- tt --> <x:tt xmlns:x='y'><x:body>"
            + "<x:p begin='1s' end='2s'>Wörter</x:p></x:body></x:tt>"
        for (name, bytes) in [
            ("film.ttml", plain), ("film.dfxp", [0xEF, 0xBB, 0xBF] + plain),
            ("film.xml", [0xFF, 0xFE] + wide), ("film.tt", Array(prefixed.utf8)),
        ] {
            let path = try write(bytes, name)
            for asset in [
                SubtitleFile.asset(path) as Asset, SubtitleFile.asset(bytes, name: name),
            ] {
                #expect(try Opening.subtitles(of: asset).cues.map(\.text) == ["Wörter"], "\(name)")
            }
        }
    }

    @Test func `TTML beside a video is found, other XML is not`() throws {
        let film = try write([0], "film.mp4")
        _ = try write(Array(Self.words.utf8), "film.en.xml")
        _ = try write(Array(Self.words.utf8), "film.ttml")
        _ = try write(Array("<nfo><title>a</title></nfo>".utf8), "film.xml")
        let names = SubtitleFile.paths(beside: film).map { $0.split(separator: "/").last! }
        #expect(names == ["film.en.xml", "film.ttml"])
    }

    @Test(arguments: [
        ("<tt><body>", MediaError.Code.damaged), ("<tt>&x;</tt>", .damaged),
        ("<tt><body><p></body></tt>", .damaged),
        ("<!DOCTYPE tt [<!ENTITY a 'b'>]><tt>&a;</tt>", .notAllowed),
        ("<tt><!ENTITY x SYSTEM 'file:///etc/passwd'></tt>", .notAllowed),
        (String(repeating: "<tt>", count: 100_000), .limitExceeded),
        ("<tt>" + String(repeating: "<p/>", count: 1_000_000) + "</tt>", .limitExceeded),
    ])
    func `malformed and hostile documents are refused`(text: String, code: MediaError.Code) throws {
        let path = try write(Array(text.utf8), "film.ttml")
        let error = #expect(throws: MediaError.self) {
            _ = try Opening.subtitles(of: SubtitleFile.asset(path))
        }
        #expect(error?.code == code && error?.remedy.isEmpty == false)
        #expect(error?.description.contains("MPD") == false)
    }

    @Test func `paragraphs that all overlap end at a limit`() throws {
        let words = String(repeating: "words ", count: 20)
        let body = (0..<20_000).map { "<p begin='\($0)ms' end='100s'>\(words)</p>" }.joined()
        let cues = try Self.cues(Self.document(body))
        #expect(!cues.isEmpty && cues.count < 20_000)
    }

    @Test func `noise in a document ends in cues or an error, never worse`() throws {
        var random = SplitMix64(seed: 35)
        let head = "<layout><region xml:id='r' tts:origin='10% 10%' tts:extent='50% 20%'/></layout>"
        let seed = Array(
            Self.document(
                "<p region='r' begin='00:00:01' end='2s'>a<br/><span tts:color='red'>b</span></p>",
                head: head
            ).utf8)
        for _ in 0..<2000 {
            var bytes = seed
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = .random(in: 0...255, using: &random)
                case 1: bytes.insert(.random(in: 32...127, using: &random), at: place)
                default: bytes.removeSubrange(place..<min(bytes.count, place + 9))
                }
            }
            let document = try? TTMLDocument(bytes, subject: "noise")
            _ = document?.cues(limits: SubtitleLimits())
        }
    }

    // MARK: - MP4

    private static func track(_ samples: [TextTrack.Sample]) -> TextTrack {
        var track = TextTrack(
            entry: ("stpp", Array("http://www.w3.org/ns/ttml".utf8) + [0, 0, 0]), samples: samples)
        track.handler = "subt"
        return track
    }

    private func movie(_ bytes: [UInt8]) throws -> Asset {
        Opening.subtitleAsset(try write(bytes, "film.mp4"))
    }

    @Test(arguments: [false, true])
    func `samples of MP4 are documents whose times are those of the track`(isFragmented: Bool)
        throws
    {
        func sample(_ body: String) -> [UInt8] { Array(Self.document(body).utf8) }
        let track = Self.track([
            (2000, sample("<p begin='0.5s' end='3s'>a</p>")),
            (2000, sample("<p begin='0.5s' end='3s'>a</p><p begin='3s' end='9s'>b</p>")),
            (2000, sample("")),
            // This writer counts from the beginning of the sample.
            (2000, sample("<p begin='1s' end='2s'>c</p>")),
        ])
        let bytes = isFragmented ? track.header() + track.fragment() : track.file()
        let asset = try movie(bytes)
        let description = try asset.openDemuxer(cancellation: Cancellation()).description
        #expect(description.tracks.map(\.mediaType) == [.subtitle])
        #expect(description.tracks.map(\.formatDescription.codec) == ["ttml"])
        let (cues, errors) = try Opening.subtitles(of: asset)
        #expect(errors.isEmpty && cues.map(\.text) == ["a", "a", "b", "c"])
        let times = cues.flatMap { [$0.timeRange.start.seconds, $0.timeRange.end.seconds] }
        #expect(times == [0.5, 2, 2, 3, 3, 4, 7, 8])
        try #require(cues.count > 1)
        #expect(cues[1].isContinuation && cues[1].content == cues[0].content)
    }

    @Test(arguments: [false, true])
    func `a document without times is shown as long as its sample`(isFragmented: Bool) throws {
        func sample(_ body: String) -> [UInt8] { Array(Self.document(body).utf8) }
        let track = Self.track([
            (7000, sample("<div><p>a</p></div>")), (3000, sample("<p>b</p>")), (1000, sample("")),
            (2000, sample("<p>c</p><p begin='12s'>d</p>")),
        ])
        let bytes = isFragmented ? track.header() + track.fragment() : track.file()
        let (cues, errors) = try Opening.subtitles(of: try movie(bytes))
        #expect(errors.isEmpty && cues.map(\.text) == ["a", "b", "c", "d"])
        let times = cues.flatMap { [$0.timeRange.start.seconds, $0.timeRange.end.seconds] }
        #expect(times == [0, 7, 7, 10, 11, 12, 12, 13])
    }

    @Test func `attributes of any length are read`() throws {
        let words = String(repeating: "1 : ", count: 100_000)
        let body =
            "<p begin='\(words)' end='2s'>a</p><p begin='\(words.replacing(" ", with: ""))'>b</p>"
            + "<p begin='1s' end='2s' style='\(words)' tts:textDecoration='\(words)'>c</p>"
        let cues = try Self.cues(Self.document(body, attributes: "ttp:cellResolution='\(words)'"))
        #expect(cues.map(\.text) == ["c"])
    }

    @Test func `absurd times do not overflow`() throws {
        let steps = String(
            repeating: "<p begin='99999999s' dur='99999999s'>a</p>", count: 60_000)
        #expect(
            try Self.cues(Self.document("<div timeContainer='seq'>\(steps)</div>")).count == 1)
        var track = Self.track([
            (1000, Array(Self.document("<p begin='0s' end='1s'>a</p>").utf8))
        ])
        track.start = 1 << 62
        let bytes = track.header() + track.fragment()
        #expect((try? Opening.subtitles(of: try movie(bytes)))?.cues.isEmpty ?? true)
    }

    @Test func `a damaged sample is reported, and the others are shown`() throws {
        let good = Self.document("<p begin='3s' end='4s'>good</p>")
        let track = Self.track([
            (1000, Array("<tt><body>".utf8)), (1000, Array("<!DOCTYPE tt><tt/>".utf8)),
            (1000, Array("<svg/>".utf8)), (1000, Array(good.utf8)),
        ])
        for bytes in [track.file(), track.header() + track.fragment()] {
            let (cues, errors) = try Opening.subtitles(of: try movie(bytes))
            #expect(cues.map(\.text) == ["good"])
            #expect(errors.map(\.code) == [.decodingFailed, .notAllowed, .decodingFailed])
        }
    }

    @Test(arguments: [false, true])
    func `noise in tracks of text ends in cues or an error, never worse`(isFragmented: Bool) throws
    {
        var random = SplitMix64(seed: 36)
        let document = Array(Self.document("<p begin='0.5s' end='3s'>a</p>").utf8)
        for track in [
            Self.track([(1000, document), (1000, document)]),
            TextTrack(webVTT: [(0, 1000, "", "", "a"), (500, 2000, "b", "line:0", "b")]),
        ] {
            let seed = isFragmented ? track.header() + track.fragment() : track.file()
            for _ in 0..<150 {
                var bytes = seed
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    bytes[Int.random(in: 40..<bytes.count, using: &random)] =
                        [0, 0x7F, 0x80, 0xFF, .random(in: 0...255, using: &random)]
                        .randomElement(using: &random) ?? 0
                }
                _ = try? Opening.subtitles(of: try movie(bytes))
            }
        }
    }

    @Test(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
    func `what ffmpeg writes is read`() throws {
        let source = try write(
            Array(
                ("1\n00:00:01,000 --> 00:00:02,500\nFirst <i>line</i>\n\n"
                    + "2\n00:00:03,250 --> 00:00:04,000\nSecond\nof two\n").utf8), "film.srt")
        for name in ["film.ttml", "written.mp4"] {
            let path = folder.appending(name).path
            try ProcessRunner.check(
                ["ffmpeg", "-v", "error", "-nostdin", "-y", "-i", source, "-c:s", "ttml", path])
            let asset: Asset =
                name.hasSuffix(".mp4") ? Opening.subtitleAsset(path) : SubtitleFile.asset(path)
            let (cues, errors) = try Opening.subtitles(of: asset)
            #expect(errors.isEmpty, "\(name): \(errors)")
            #expect(cues.map(\.text) == ["First line", "Second\nof two"], "\(name)")
            let times = cues.flatMap { [$0.timeRange.start.seconds, $0.timeRange.end.seconds] }
            #expect(times == [1, 2.5, 3.25, 4], "\(name)")
        }
    }
}
