// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadFFmpeg
import PlayheadText
import PlayheadTime
import Testing

/// Subtitles in WebVTT and TTML, from the file to the image.
@Suite("Drawing of text subtitles")
struct TextSubtitleDrawingTests {
    private static let layout = SubtitleRasterizer.Layout(width: 640, height: 360)

    /// Draws the first subtitle track of an asset at a time in seconds.
    private static func image(
        _ asset: Asset, _ layout: SubtitleRasterizer.Layout = layout, at time: Double = 1
    ) throws -> TestImage {
        let reader = try SubtitleReader(asset: asset)
        var script = reader.script
        script.header = CaptionFont.naming(script.header)
        let rasterizer = try SubtitleRasterizer()
        rasterizer.begin(script)
        while let step = try reader.read() { rasterizer.append(step.cues) }
        return rasterizer.image(layout, at: MediaTime(seconds: time))
    }

    private static func file(_ text: String, _ name: String) -> Asset {
        SubtitleFile.asset(Array(text.utf8), name: name)
    }

    private static let styled = """
        WEBVTT

        STYLE
        ::cue(.speaker) { color: yellow; font-weight: bold }
        ::cue(#note) { color: lime; background-color: rgba(0, 0, 0, 0.7) }

        REGION
        id:left
        width:40%
        lines:3
        regionanchor:0%,100%
        viewportanchor:5%,60%

        00:00.000 --> 00:02.000
        <c.speaker>Ann:</c> who is <i>there</i>, and <u>why</u>?

        note
        00:00.000 --> 00:02.000 line:0
        A note at the top

        00:00.000 --> 00:02.000 region:left align:start
        In the region, <c.red.bg_white>in red</c>

        """

    private static let timed = """
        <tt xmlns="http://www.w3.org/ns/ttml" xmlns:tts="http://www.w3.org/ns/ttml#styling">
          <head>
            <styling>
              <style xml:id="box" tts:backgroundColor="#000000c0" tts:color="#ffff00"/>
            </styling>
            <layout>
              <region xml:id="bottom" tts:origin="10% 70%" tts:extent="80% 20%"
                tts:displayAlign="after" tts:textAlign="center"/>
              <region xml:id="corner" tts:origin="60% 5%" tts:extent="35% 25%"
                tts:displayAlign="center" tts:textAlign="end" tts:backgroundColor="#0040c080"/>
            </layout>
          </head>
          <body><div>
            <p region="bottom" begin="0s" end="2s">
              <span style="box">Text in a box,</span><br/>and <span tts:fontStyle="italic"
                tts:fontWeight="bold" tts:color="cyan">text</span> without one
            </p>
            <p region="corner" begin="0s" end="2s">In the corner</p>
          </div></body>
        </tt>
        """

    @Test(.enabled(if: CaptionFont.isThere, "\(CaptionFont.absence)"))
    func `WebVTT with style sheets and regions looks as it should`() throws {
        try GoldenImage("subtitles-webvtt").compare(Self.image(Self.file(Self.styled, "a.vtt")))
    }

    @Test(.enabled(if: CaptionFont.isThere, "\(CaptionFont.absence)"))
    func `TTML with regions and colours looks as it should`() throws {
        try GoldenImage("subtitles-ttml").compare(Self.image(Self.file(Self.timed, "a.ttml")))
    }

    private static let sized = """
        <tt xmlns="http://www.w3.org/ns/ttml" xmlns:tts="http://www.w3.org/ns/ttml#styling"
          tts:extent="1280px 720px">
          <head><layout>
            <region xml:id="bottom" tts:origin="10% 70%" tts:extent="80% 25%"
              tts:displayAlign="after" tts:textAlign="center"/>
            <region xml:id="top" tts:origin="5% 5%" tts:extent="90% 60%" tts:fontSize="80%"/>
          </layout></head>
          <body><div>
            <p region="bottom" begin="0s" end="2s" tts:fontSize="100%">One cell,
              <span tts:fontSize="50%">half of it</span></p>
            <p region="top" begin="0s" end="2s">Four fifths<br/><span tts:fontSize="72px">72
              px</span><br/><span tts:fontSize="150% 75%">wide</span>
              <span tts:fontSize="75% 150%">narrow</span></p>
          </div></body>
        </tt>
        """

    @Test(.enabled(if: CaptionFont.isThere, "\(CaptionFont.absence)"))
    func `TTML with sizes of letters looks as it should`() throws {
        try GoldenImage("subtitles-ttml-sizes").compare(Self.image(Self.file(Self.sized, "a.ttml")))
    }

    private static let stacked = """
        WEBVTT

        REGION
        id:r
        width:60%
        lines:3
        regionanchor:0%,100%
        viewportanchor:10%,90%
        scroll:up

        00:00.000 --> 00:02.000 region:r align:left
        First line

        00:00.300 --> 00:02.000 region:r align:left
        Second line

        00:00.600 --> 00:02.000 region:r align:left
        <c.yellow>Third line</c>

        """

    @Test(.enabled(if: CaptionFont.isThere, "\(CaptionFont.absence)"))
    func `in a region of WebVTT, the newest cue is at the bottom`() throws {
        try GoldenImage("subtitles-webvtt-region").compare(
            Self.image(Self.file(Self.stacked, "a.vtt")))
    }

    /// The rectangle of the pixels that are not grey, as fractions of the image.
    private static func bounds(
        _ image: TestImage
    ) -> (left: Double, top: Double, right: Double, bottom: Double) {
        let background = SIMD4<UInt8>(90, 110, 130, 255)
        var (left, top, right, bottom) = (image.width, image.height, 0, 0)
        for y in 0..<image.height {
            for x in 0..<image.width where image[x, y] != background {
                (left, right) = (min(left, x), max(right, x + 1))
                (top, bottom) = (min(top, y), max(bottom, y + 1))
            }
        }
        let size = (Double(image.width), Double(image.height))
        return (
            Double(left) / size.0, Double(top) / size.1, Double(right) / size.0,
            Double(bottom) / size.1
        )
    }

    @Test(arguments: [(640, 360), (640, 480), (300, 500)])
    func `the area of a region is at its place in videos of any shape`(width: Int, height: Int)
        throws
    {
        let text = """
            <tt xmlns:tts="s"><head><layout><region xml:id="r" tts:origin="20% 30%"
              tts:extent="40% 50%" tts:backgroundColor="red"/></layout></head>
            <body><p region="r" begin="0s" end="2s">.</p></body></tt>
            """
        let image = try Self.image(
            Self.file(text, "a.ttml"), SubtitleRasterizer.Layout(width: width, height: height))
        let found = Self.bounds(image)
        for (value, expected) in [
            (found.left, 0.2), (found.top, 0.3), (found.right, 0.6), (found.bottom, 0.8),
        ] {
            #expect(abs(value - expected) < 0.01, "\(found)")
        }
    }

    @Test(.enabled(if: CaptionFont.isThere, "\(CaptionFont.absence)"))
    func `letters have the sizes that TTML states`() throws {
        func size(_ text: String) throws -> (width: Double, height: Double) {
            let bounds = Self.bounds(
                try Self.image(
                    Self.file(
                        "<tt xmlns:tts='s'><body><p tts:fontSize='\(text)' begin='0s' end='2s'>H"
                            + "</p></body></tt>", "a.ttml")))
            return (640 * (bounds.right - bounds.left), 360 * (bounds.bottom - bounds.top))
        }
        let sizes = try ["10rh", "20rh", "30rh"].map { try size($0).height }
        // A capital has about seven tenths of the em square. Outlines have the same width.
        for (height, larger) in zip(sizes, sizes.dropFirst()) {
            #expect((0.6...0.85).contains((larger - height) / 36), "\(sizes)")
        }
        let (wide, tall) = (try size("40rh 20rh"), try size("20rh"))
        #expect(abs(wide.height - tall.height) <= 1, "\(wide), \(tall)")
        #expect(abs(wide.width / tall.width - 2) < 0.2, "\(wide), \(tall)")
    }

    @Test func `a track in MP4 is drawn like the file with the same cues`() throws {
        let folder = TemporaryFolder()
        let movie = folder.appending("film.mp4")
        let track = TextTrack(
            webVTT: [(0, 2000, "", "line:10% align:start", "<c.yellow>Words</c> of <i>two</i>")])
        try Data(track.file()).write(to: movie)
        var options = AssetOptions()
        options.allowsSubtitlesOnly = true
        let stored = try Self.image(
            Asset(opener: FFmpegOpener(path: movie.path, options: options)))
        let text =
            "WEBVTT\n\n00:00.000 --> 00:02.000 line:10% align:start\n"
            + "<c.yellow>Words</c> of <i>two</i>\n"
        #expect(stored == (try Self.image(Self.file(text, "a.vtt"))))
        #expect(Self.bounds(stored).bottom < 0.3)
    }
}
