// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Testing

/// The report of `inspect`. `Scripts/prove/inspect` covers all files of the collection.
struct InspectTests {
    private static let canProbe = ProcessRunner.has("ffprobe")
    /// One of each kind: colour, rotation, pixel aspect, chapters, cover, several tracks, no
    /// duration.
    private static let files = [
        "androidx-media/media/mp4/dolbyVision-hdr.MOV", "androidx-media/media/mp3/bear-id3.mp3",
        "androidx-media/media/mkv/sample_with_chapters.mkv", "made-here/media/two_audio.mp4",
        "androidx-media/media/mp4/bbb_800x640_768kbps_30fps_avc_pyramid_3b.mp4",
        "mathiasbynens-small/png-transparent.png", "made-here/media/ts_wrap33bit.ts",
    ].filter { Corpus.has($0) }

    @Test func `subtitle files are reported as such`() throws {
        let folder = TemporaryFolder()
        let path = folder.appending("words.srt").path
        try Data("1\n00:01,000 --> 00:02,000\nwords\n".utf8).write(to: URL(filePath: path))
        let result = try Tool.run("inspect", path)
        result.expectSuccess()
        #expect(result.text.contains("0  subtitle: SubRip"))
        try Tool.run("play", path, "--headless").expectError(
            2,
            saying: [
                path,
                "the file contains only subtitles; open a video, and add this file with --sub",
            ])
    }

    @Test func `control characters of metadata and file names do not reach the terminal`() throws {
        let folder = TemporaryFolder()
        let film = folder.appending("a\u{1B}]0;b\u{07}.mkv").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-i", try Films.silent(seconds: 1), "-c", "copy", "-metadata",
            "title=\u{1B}]0;owned\u{07}\u{9B}2J\u{7F}", film,
        ])
        let page = try Tool.run("inspect", film)
        page.expectSuccess()
        #expect(page.text.contains("\u{FFFD}]0;owned\u{FFFD}\u{FFFD}2J\u{FFFD}"))
        let missing = try Tool.run("inspect", film + "x")
        missing.expectError(2, saying: ["a\u{FFFD}]0;b\u{FFFD}.mkvx"])
        for text in [page.text, missing.standardError] {
            #expect(
                !text.unicodeScalars.contains {
                    $0 != "\n" && ($0.value < 0x20 || (0x7F...0x9F).contains($0.value))
                })
        }
        // The JSON for programs is not changed.
        #expect(try Tool.run("inspect", film, "--json").text.contains("\\u001b]0;owned"))
    }

    @Test(
        .enabled(if: canProbe, "needs the ffprobe command"),
        .enabled(if: Corpus.has("MANIFEST.jsonl"), Comment(rawValue: Corpus.absence)),
        arguments: files)
    func `inspect agrees with ffprobe`(file: String) throws {
        let path = try #require(Corpus.url(file)).path
        let ours = try Tool.run("inspect", path, "--json")
        ours.expectSuccess()
        let theirs = try ProcessRunner.check(InspectComparison.probeArguments(path))
        let comparison = try InspectComparison(
            report: ours.standardOutput, probe: theirs.standardOutput)
        #expect(comparison.differences == [])
        #expect(comparison.count > 10)
    }

    @Test(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
    func `the page notes what is unusual`() throws {
        var media = SyntheticMedia()
        media.sounds = [
            SyntheticSound(
                duration: MediaTime(value: 3, timescale: 1), languageTag: "ger")
        ]
        let clip = SyntheticClip(
            media, options: ["-aspect", "4:3", "-metadata", "title=A title"])
        let result = try Tool.run("inspect", try clip.url().path)
        result.expectSuccess()
        for words in [
            "MP4, 0:03.0", "video: H.264", "320 x 180, 30 fps, 4:2:0 (yuv420p)",
            "colour: BT.709, limited range", "pixel aspect ratio 3:4: shown as 240 x 180",
            "audio: AAC LC, German",
            "48 kHz, stereo", "audio ends", "after the video", "title  A title",
        ] {
            #expect(result.text.contains(words), "no \(words) in\n\(result.text)")
        }
    }
}
