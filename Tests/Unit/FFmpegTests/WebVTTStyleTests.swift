// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// Style sheets and regions of WebVTT.
@Suite("WebVTT styles")
struct WebVTTStyleTests {
    private static func lines(_ sheet: String, _ cues: String) -> [String] {
        let text = "WEBVTT\n\nSTYLE\n\(sheet)\n\n\(cues)\n"
        let file = WebVTTFile(Array(text.utf8), limit: 100)
        return file.subtitles(limits: SubtitleLimits()).map { cue in
            guard case .line(let line) = cue.content else { return "" }
            return line
        }
    }

    private static func text(_ sheet: String, _ cue: String, identifier: String = "") -> String? {
        let line = lines(sheet, "\(identifier)\n00:01.000 --> 00:02.000\n\(cue)").first
        return line?.split(separator: ",", maxSplits: 8, omittingEmptySubsequences: false).last
            .map(String.init)
    }

    @Test(arguments: [
        ("::cue { color: red }", "a", "{\\1c&H0000FF&\\1a&H00&}a"),
        ("::cue { background-color: rgba(0,0,255,.5) }", "a", "{\\rBox\\3c&HFF0000&\\3a&H7F&}a"),
        ("::cue(b) { color: lime }", "<b>a</b>", "{\\b1\\1c&H00FF00&\\1a&H00&}a"),
        ("::cue(.x) { font-style: italic }", "<c.x>a</c>b", "{\\i1}a{\\i0}b"),
        ("::cue(c.x.y) { font-weight: 700 }", "<c.x>a</c><c.y.x>b</c>", "a{\\b1}b"),
        ("::cue(v[voice=\"Mary\"]) { color: red }", "<v Mary>a</v>", "{\\1c&H0000FF&\\1a&H00&}a"),
        ("::cue([lang=en]) { color: red }", "<lang de>a</lang>", "a"),
        ("::cue(u) { text-decoration: none }", "<u>a</u>", "a"),
        ("::cue(i) { font-style: normal; text-decoration: line-through }", "<i>a</i>", "{\\s1}a"),
        ("::cue(b), ::cue(i) { color: red }", "<i>a</i>", "{\\i1\\1c&H0000FF&\\1a&H00&}a"),
        (
            "/* ::cue { color: red } */ ::cue(*) { color: blue }", "a<c>b</c>",
            "a{\\1c&HFF0000&\\1a&H00&}b"
        ),
        ("@import 'x.css'; ::cue { color: red }", "a", "{\\1c&H0000FF&\\1a&H00&}a"),
        // More specific selectors take precedence, then later ones.
        (
            "::cue(.x) { color: red } ::cue(c) { color: lime }", "<c.x>a</c>",
            "{\\1c&H0000FF&\\1a&H00&}a"
        ),
        (
            "::cue(c) { color: red } ::cue(c) { color: lime !important }", "<c>a</c>",
            "{\\1c&H00FF00&\\1a&H00&}a"
        ),
        // Rules with other selectors, properties and values have no effect.
        (
            "p { color: red } ::cue(b i) { color: red } ::cue(:past) { color: red }",
            "<b><i>a</i></b>",
            "{\\b1\\i1}a"
        ),
        ("::cue { color: nonsense; font-size: 9em; color }", "a", "a"),
        ("::cue {", "a", "a"), ("::cue( { color: red }", "a", "a"), ("}}{{::cue", "a", "a"),
        ("::cue() { color: red } ::cue(#) { color: red } ::cue(.) { color: red }", "a", "a"),
    ])
    func `rules apply to what their selectors state`(sheet: String, cue: String, expected: String) {
        #expect(Self.text(sheet, cue) == expected)
    }

    @Test func `an identifier selects the cue that has it`() {
        let sheet = "::cue(#first) { color: red }\n::cue(#a\\ b) { color: lime }"
        #expect(Self.text(sheet, "a", identifier: "first") == "{\\1c&H0000FF&\\1a&H00&}a")
        #expect(Self.text(sheet, "a", identifier: "a b") == "{\\1c&H00FF00&\\1a&H00&}a")
        #expect(Self.text(sheet, "<b>a</b>", identifier: "second") == "{\\b1}a")
        // No element has an identifier, and the whole text has neither a name nor classes.
        let others = "::cue(b#first) { color: red }\n::cue(.x#first) { color: red }"
        #expect(Self.text(others, "<b.x>a</b>", identifier: "first") == "{\\b1}a")
    }

    @Test(arguments: [
        // The settings of the region and of the cue, then three margins and the place.
        ("id:r", "region:r", "0,0,0,,a"),
        ("id:r width:50% regionanchor:0%,100% viewportanchor:10%,90%", "region:r", "38,154,29,,a"),
        (
            "id:r width:40% lines:3 regionanchor:0%,0% viewportanchor:50%,0%", "region:r",
            "192,38,240,,a"
        ),
        ("id:r width:50% viewportanchor:50%,100%", "region:r align:start", "192,0,0,,{\\an1}a"),
        (
            "id:r width:50% viewportanchor:50%,100%", "region:r position:50% align:start",
            "288,0,0,,{\\an1}a"
        ),
        // A cue with its own line is not in a region.
        ("id:r width:50%", "region:r line:0", "0,0,0,,{\\an8}a"),
        ("id:r width:50%", "region:r size:50%", "0,0,0,,a"),
        ("id:r width:50%", "region:q", "0,0,0,,a"),
        ("id:r width:500% lines:-1 regionanchor:1 viewportanchor:nan%,5%", "region:r", "0,0,0,,a"),
    ])
    func `cues are placed in their regions`(region: String, settings: String, expected: String) {
        let text =
            "WEBVTT\n\nREGION\n\(region.replacing(" ", with: "\n"))\n\n"
            + "00:01.000 --> 00:02.000 \(settings)\na\n"
        let cues = WebVTTFile(Array(text.utf8), limit: 9).subtitles(limits: SubtitleLimits())
        guard case .line(let line)? = cues.first?.content else {
            Issue.record("no line")
            return
        }
        #expect(line.hasSuffix(",Default,," + expected), "\(line)")
    }

    /// Cues in a region of two lines, and one beside it.
    private static let stacked: [TextTrack.Cue] = [
        (0, 4000, "", "region:r", "A"), (0, 5000, "", "", "beside"),
        (1000, 5000, "", "region:r", "B"), (2000, 3000, "", "region:r", "C"),
    ]

    @Test func `cues in a region are one below the other, the newest last`() throws {
        let header = "WEBVTT\n\nREGION\nid:r\nlines:2\nscroll:up"
        let text = Self.stacked.map { cue in
            "00:0\(cue.start / 1000).000 --> 00:0\(cue.end / 1000).000 \(cue.settings)\n"
                + cue.text + "\n\n"
        }
        let file = WebVTTFile(Array((header + "\n\n" + text.joined()).utf8), limit: 9)
        let folder = TemporaryFolder()
        let path = folder.appending("film.mp4").path
        let track = TextTrack(webVTT: Self.stacked, header: header)
        try Data(track.file()).write(to: URL(filePath: path))
        let stored = try Opening.subtitles(of: Opening.subtitleAsset(path)).cues
        for cues in [file.subtitles(limits: SubtitleLimits()), stored] {
            let found = cues.filter { $0.text != "beside" }
            #expect(found.map(\.text) == ["A", "A\nB", "B\nC", "A\nB", "B"])
            let times = found.flatMap { [$0.timeRange.start.seconds, $0.timeRange.end.seconds] }
            #expect(times == [0, 1, 1, 2, 2, 3, 3, 4, 4, 5])
        }
    }

    @Test func `cues in a region with other places are apart, and long ones are shown whole`() {
        var lines = WebVTTLines(header: Array("WEBVTT\n\nREGION\nid:r\nlines:1".utf8))
        func cue(_ settings: String, _ text: String) -> WebVTTCue {
            WebVTTCue(settings: settings, text: text)
        }
        let (plain, other) = ("region:r", "region:r align:end")
        let found = lines.lines(
            of: [cue(plain, "a"), cue(other, "b"), cue(plain, "c\nd"), cue("", "e")], limit: 99)
        #expect(found.count == 3 && found[0].hasSuffix(",e") && found[1].hasSuffix(",c\\Nd"))
        #expect(found[2].hasSuffix("{\\an3}b"))
    }

    @Test func `any number of cues in a region takes bounded time`() {
        let cues = (0..<20_000).map { "00:00.\(100 + $0 % 800) --> 09:00.000 region:r\na \($0)\n" }
        let text = "WEBVTT\n\nREGION\nid:r\nlines:100\n\n" + cues.joined(separator: "\n")
        let found = WebVTTFile(Array(text.utf8), limit: 20_000)
            .subtitles(limits: SubtitleLimits())
        #expect(!found.isEmpty && found.count <= 20_000)
    }

    private static func line(_ path: String) throws -> String? {
        let (cues, _) = try Opening.subtitles(of: Opening.subtitleAsset(path))
        guard case .line(let line)? = cues.first?.content else { return nil }
        return line
    }

    @Test func `the style sheets and regions of a track in MP4 apply to its cues`() throws {
        let header = "WEBVTT\n\nSTYLE\n::cue(#x) { color: red }\n\nREGION\nid:r\nwidth:50%"
        let folder = TemporaryFolder()
        let track = TextTrack(webVTT: [(0, 1000, "x", "region:r", "a")], header: header)
        try Data(track.file()).write(to: folder.appending("film.mp4"))
        let line = try Self.line(folder.appending("film.mp4").path)
        #expect(line?.hasSuffix(",0,192,0,,{\\1c&H0000FF&\\1a&H00&}a") == true, "\(line ?? "")")
    }

    @Test(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
    func `cues in Matroska have their settings and classes`() throws {
        let folder = TemporaryFolder()
        let (source, file) = (folder.appending("film.vtt").path, folder.appending("film.mkv").path)
        let text = "WEBVTT\n\n00:00.000 --> 00:01.000 line:0\n<c.red>a</c> &amp; b\n"
        try Data(text.utf8).write(to: URL(filePath: source))
        try Opening.remux(source, to: file)
        let line = try Self.line(file)
        #expect(
            line?.hasSuffix(",0,0,0,,{\\an8}{\\1c&H0000FF&\\1a&H00&}a{\\1c&HFFFFFF&\\1a&H00&} & b")
                == true, "\(line ?? "")")
    }

    @Test func `large style sheets and many cues take bounded time`() {
        let rules = (0..<10_000).map { "::cue(.c\($0)) { color: red }" }.joined(separator: "\n")
        let cues = (0..<5000).map { "00:01.000 --> 00:02.000\n<c.c\($0)>a</c>\n" }
        let found = Self.lines(String(rules.prefix(100_000)), cues.joined(separator: "\n"))
        #expect(found.count == 100)
    }

    @Test func `styles that take too much work have no effect any more`() {
        let classes = (0..<16).map { ".x\($0)" }.joined()
        let sheet = String(repeating: "::cue(\(classes)) { color: red }\n", count: 256)
        let word = "<c\(classes)>a</c>"
        let text = String(repeating: word, count: 1000)
        let line = Self.text(sheet, text) ?? ""
        // The first of the thousand words have the colour.
        #expect(line.hasPrefix("{\\1c&H0000FF&\\1a&H00&}a"))
        #expect(line.contains("{\\1c&HFFFFFF&\\1a&H00&}a") && line.hasSuffix("aaa"))
    }
}
