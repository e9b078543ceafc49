// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// The blocks and times of WebVTT files.
@Suite("WebVTT files")
struct WebVTTFileTests {
    @Test func `a million cues end at the limit`() {
        let cue = "00:01.000 --> 00:02.000\na\n\n"
        let text = Array("WEBVTT\n\n".utf8) + (0..<1_000_000).flatMap { _ in cue.utf8 }
        var limits = SubtitleLimits()
        limits.lineCount = 1000
        let file = WebVTTFile(text, limit: limits.lineCount)
        #expect(file.cues.count == 1000)
    }

    @Test(
        arguments: [
            ("00:01.000 --> 00:02.000", 1000, 2000),
            ("00:00:01.5 --> 100:00:00.000", 1500, 360_000_000),
            ("00:01,000-->00:02,000\tline:0", 1000, 2000), ("0:1 --> 0:2", 1000, 2000),
        ] as [(String, Int64, Int64)])
    func `times are parsed`(line: String, start: Int64, end: Int64) {
        let file = WebVTTFile(Array("WEBVTT\n\n\(line)\na".utf8), limit: 9)
        #expect(file.cues.map(\.start) == [start] && file.cues.map(\.end) == [end])
    }

    @Test(arguments: [
        "1 --> 2", "a --> b", "00:01.000 --> ", "-00:01.000 --> 00:02.000", "00:nan --> 00:02",
        "00:01.000 -> 00:02.000", "9999999999:00:00 --> 00:02", "00:01. --> 00:02", "--> ",
    ])
    func `cues whose times are not valid are left out`(line: String) {
        let text = "WEBVTT\n\n\(line)\nbad\n\n00:03.000 --> 00:04.000\ngood"
        let file = WebVTTFile(Array(text.utf8), limit: 9)
        #expect(file.cues.map(\.cue.text) == ["good"])
    }

    @Test(
        arguments: [
            ("\n00:01.000 --> 00:02.000\na\n00:03.000 --> 00:04.000\nb", ["a", "b"]),
            ("00:01.000 --> 00:02.000\na\n\n00:03.000 --> 00:04.000\nb", ["a", "b"]),
            ("Kind: captions\n00:01.000 --> 00:02.000\na\nb", ["a\nb"]),
            ("\nNOTE a\nb\n00:01.000 --> 00:02.000\nc", ["c"]),
            ("\nSTYLE\n::cue {}\n00:01.000 --> 00:02.000\nc", ["c"]),
            (
                "\nfirst\n00:01.000 --> 00:02.000\na\nsecond\n00:03.000 --> 00:04.000",
                ["a\nsecond", ""]
            ),
        ] as [(String, [String])])
    func `a cue may begin without an empty line before it`(text: String, expected: [String]) {
        let file = WebVTTFile(Array("WEBVTT\n\(text)".utf8), limit: 9)
        #expect(file.cues.map(\.cue.text) == expected)
    }

    @Test func `lines beyond the limit of a block are left out`() {
        let text =
            "WEBVTT\n\n00:01.000 --> 00:02.000\n" + String(repeating: "a\n", count: 200_000)
        let file = WebVTTFile(Array(text.utf8), limit: 9)
        #expect((100_000..<200_000).contains(file.cues.first?.cue.text.utf8.count ?? 0))
    }

    @Test(arguments: [
        "MPEGTS:900000,LOCAL:00:00:01.000", "LOCAL:00:00:01.000, MPEGTS:900000",
        "MPEGTS: 900000 , LOCAL: 00:01.000 ",
    ])
    func `the relation to the clock is parsed`(text: String) {
        let file = WebVTTFile(Array("WEBVTT\nX-TIMESTAMP-MAP=\(text)\n\n".utf8), limit: 9)
        #expect(file.timestampMap == WebVTTFile.TimestampMap(clock: 900_000, local: 1000))
    }

    @Test func `a seek finds cues that began earlier and last longer than others`() throws {
        let text =
            "WEBVTT\n\n00:00.000 --> 01:00.000\nlong\n\n00:05.000 --> 00:06.000\nshort\n\n"
            + "00:40.000 --> 00:41.000\nlate\n"
        let reader = try SubtitleReader(
            asset: SubtitleFile.asset(Array(text.utf8), name: "film.vtt"))
        for (seconds, expected) in [
            (30, ["long", "short", "late"]), (61, []), (0, ["long", "short", "late"]),
        ] as [(Int64, [String])] {
            try reader.seek(to: MediaTime(value: seconds, timescale: 1))
            #expect(try Opening.rest(of: reader).cues.map(\.text) == expected)
        }
    }
}
