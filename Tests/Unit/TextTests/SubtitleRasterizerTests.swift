// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadText
import PlayheadTime
import Testing

@Suite("Subtitle rasterizer")
struct SubtitleRasterizerTests {
    private typealias Layout = SubtitleRasterizer.Layout

    private static func script(
        _ alignment: Int, size: Int = 40, matrix: String? = nil
    ) -> SubtitleScript {
        let matrix = matrix.map { "\nYCbCr Matrix: \($0)" } ?? ""
        return SubtitleScript(
            header: """
                [Script Info]
                ScriptType: v4.00+\(matrix)
                PlayResX: 640
                PlayResY: 360
                ScaledBorderAndShadow: yes
                [V4+ Styles]
                Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, \
                BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, \
                BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
                Style: Default,DejaVu Sans,\(size),&H000000FF,&H000000FF,&H00000000,&H00000000,0,0,\
                0,0,100,100,0,0,1,0,0,\(alignment),10,10,10,1
                [Events]
                Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text

                """, isStyled: true)
    }

    private static func cue(_ start: Double, _ end: Double, _ text: String) -> SubtitleCue {
        SubtitleCue(
            timeRange: MediaTimeRange(start: time(start), end: time(end)),
            content: .line("0,0,Default,,0,0,0,,\(text)"))
    }

    private static func time(_ seconds: Double) -> MediaTime {
        MediaTime(seconds: seconds, preferredTimescale: 1000)
    }

    private func rasterizer(_ alignment: Int, _ cues: SubtitleCue...) throws -> SubtitleRasterizer {
        let rasterizer = try SubtitleRasterizer()
        rasterizer.begin(Self.script(alignment))
        rasterizer.append(cues)
        return rasterizer
    }

    private func pixels(_ picture: PixelBuffer) -> [SIMD4<UInt8>] {
        let plane = picture.planes[0]
        return (0..<plane.height).flatMap { y in
            (0..<plane.width).map { x in
                (plane.baseAddress + y * plane.bytesPerRow + x * 4)
                    .loadUnaligned(as: SIMD4<UInt8>.self)
            }
        }
    }

    @Test func `a line is displayed from its start to its end, in the colour of its style`() throws
    {
        let rasterizer = try rasterizer(2, Self.cue(1, 2, "Words"))
        let layout = Layout(width: 640, height: 360)
        for (time, isSeen) in [(0.999, false), (1, true), (1.999, true), (2, false), (3, false)] {
            let drawing = rasterizer.draw(at: Self.time(time), layout: layout)
            #expect((drawing != nil) == isSeen, "at \(time)")
            guard let drawing else { continue }
            let seen = pixels(drawing.picture).filter { $0.w == 255 }
            #expect(!seen.isEmpty)
            #expect(seen.allSatisfy { $0 == SIMD4(255, 0, 0, 255) })
        }
    }

    /// Pure red, coded by the script's matrix and decoded by the video's: calculated by hand from
    /// H.273.
    @Test(
        arguments: [
            (nil, .bt709, .limited, SIMD4<UInt8>(255, 25, 0, 255)),
            ("TV.601", .bt709, .limited, SIMD4<UInt8>(255, 25, 0, 255)),
            ("TV.709", .bt709, .limited, SIMD4<UInt8>(255, 0, 0, 255)),
            ("TV.709", .bt601, .limited, SIMD4<UInt8>(233, 0, 2, 255)),
            ("PC.709", .bt709, .limited, SIMD4<UInt8>(255, 0, 0, 255)),
            ("TV.709", .bt709, .full, SIMD4<UInt8>(239, 15, 15, 255)),
            ("None", .bt709, .limited, SIMD4<UInt8>(255, 0, 0, 255)),
            ("nonsense", .bt709, .limited, SIMD4<UInt8>(255, 0, 0, 255)),
            (nil, .bt601, .limited, SIMD4<UInt8>(255, 0, 0, 255)),
            (nil, .rgb, .full, SIMD4<UInt8>(255, 0, 0, 255)),
            (nil, .bt2020NonConstantLuminance, .limited, SIMD4<UInt8>(255, 0, 0, 255)),
        ]
            as [(
                String?, ColorAttachments.Matrix, ColorAttachments.Range, SIMD4<UInt8>
            )])
    func `a script's colours are converted as by VSFilter, with the matrix that it names`(
        named name: String?, over matrix: ColorAttachments.Matrix, _ range: ColorAttachments.Range,
        seen: SIMD4<UInt8>
    ) throws {
        let rasterizer = try SubtitleRasterizer()
        rasterizer.begin(Self.script(2, matrix: name))
        rasterizer.append([Self.cue(0, 9, "Words")])
        let film = ColorAttachments(matrix: matrix, range: range)
        let layout = Layout(width: 640, height: 360, filmColor: film)
        let drawing = try #require(rasterizer.draw(at: Self.time(1), layout: layout))
        let opaque = pixels(drawing.picture).filter { $0.w == 255 && $0.x > 200 }
        #expect(!opaque.isEmpty && opaque.allSatisfy { $0 == seen }, "\(opaque.first ?? .zero)")
    }

    @Test(arguments: [(2, 0.5, 1.0), (8, 0.5, 0.0), (7, 0.0, 0.0), (3, 1.0, 1.0), (5, 0.5, 0.5)])
    func `a line is positioned by its style`(alignment: Int, x: Double, y: Double) throws {
        let rasterizer = try rasterizer(alignment, Self.cue(0, 9, "Words"))
        let drawing = try #require(
            rasterizer.draw(at: Self.time(1), layout: Layout(width: 640, height: 360)))
        let left = Double(drawing.x) / Double(640 - drawing.picture.width)
        let top = Double(drawing.y) / Double(360 - drawing.picture.height)
        #expect(abs(left - x) < 0.1, "\(left)")
        #expect(abs(top - y) < 0.2, "\(top)")
    }

    @Test func `letters scale with the video and keep their shape if pixels are not square`()
        throws
    {
        let rasterizer = try rasterizer(2, Self.cue(0, 9, "{\\p1}m 0 0 l 100 0 100 100 0 100"))
        func size(_ layout: Layout) throws -> (Int, Int) {
            let drawing = try #require(rasterizer.draw(at: Self.time(1), layout: layout))
            // Bitmaps of libass may have an empty margin.
            let (width, height) = (drawing.picture.width, drawing.picture.height)
            let pixels = pixels(drawing.picture)
            let columns = (0..<width).filter { x in
                (0..<height).contains { pixels[$0 * width + x].w > 127 }
            }
            let rows = (0..<height).filter { y in
                (0..<width).contains { pixels[y * width + $0].w > 127 }
            }
            return (columns.count, rows.count)
        }
        let plain = try size(Layout(width: 640, height: 360))
        #expect(abs(plain.0 - 100) <= 2 && abs(plain.1 - 100) <= 2, "\(plain)")
        let double = try size(Layout(width: 1280, height: 720))
        #expect(abs(double.0 - 200) <= 2 && abs(double.1 - 200) <= 2, "\(double)")
        // Drawings have the script's own units, which cover the video whatever its pixel aspect
        // ratio.
        let wide = try size(
            Layout(width: 1280, height: 720, storageWidth: 720, storageHeight: 576))
        #expect(abs(wide.0 - 200) <= 2 && abs(wide.1 - 200) <= 2, "\(wide)")
    }

    @Test
    func `letters are stretched with an anamorphic video only if a script was written for it`()
        throws
    {
        let rasterizer = try rasterizer(2, Self.cue(0, 9, "Words of a line"))
        func size(_ layout: Layout) throws -> SIMD2<Double> {
            let drawing = try #require(rasterizer.draw(at: Self.time(1), layout: layout))
            return SIMD2(Double(drawing.picture.width), Double(drawing.picture.height))
        }
        let plain = try size(Layout(width: 1024, height: 576))
        let anamorphic = try size(
            Layout(width: 1024, height: 576, storageWidth: 720, storageHeight: 576))
        // A script for a video of 720 anamorphic columns has its letters stretched with it, by
        // 64/45.
        #expect(anamorphic.y / plain.y > 0.9 && anamorphic.y / plain.y < 1.1)
        #expect(anamorphic.x / plain.x > 1.3 && anamorphic.x / plain.x < 1.55)
        var script = Self.script(2)
        script.isStyled = false
        rasterizer.begin(script)
        rasterizer.append([Self.cue(0, 9, "Words of a line")])
        let text = try size(
            Layout(width: 1024, height: 576, storageWidth: 720, storageHeight: 576))
        #expect(text == plain)
    }

    @Test func `an unchanged line returns the same image`() throws {
        let rasterizer = try rasterizer(
            2, Self.cue(0, 9, "Still"), Self.cue(5, 6, "{\\move(0,0,600,300)}Moving"))
        let layout = Layout(width: 640, height: 360)
        let first = try #require(rasterizer.draw(at: Self.time(1), layout: layout))
        let second = try #require(rasterizer.draw(at: Self.time(4), layout: layout))
        #expect(first.picture === second.picture)
        let moving = try #require(rasterizer.draw(at: Self.time(5.2), layout: layout))
        let moved = try #require(rasterizer.draw(at: Self.time(5.8), layout: layout))
        #expect(moving.picture !== moved.picture)
        let larger = try #require(
            rasterizer.draw(
                at: Self.time(4), layout: Layout(width: 640, height: 360, fontScale: 2)))
        #expect(larger.picture.height > Int(1.7 * Double(second.picture.height)))
    }

    private func bitmap(x: Int, y: Int, canvas: (Int, Int)) -> SubtitleBitmap {
        var palette = [SIMD4<UInt8>](repeating: .zero, count: 256)
        palette[1] = SIMD4(200, 100, 0, 128)
        return SubtitleBitmap(
            x: x, y: y, width: 10, height: 4, canvasWidth: canvas.0, canvasHeight: canvas.1,
            indices: [UInt8](repeating: 1, count: 40), palette: palette)
    }

    @Test func `bitmaps keep their position in the video and are premultiplied`() throws {
        let rasterizer = try SubtitleRasterizer()
        rasterizer.begin(SubtitleScript())
        func drawing(_ bitmap: SubtitleBitmap, _ layout: Layout) throws
            -> SubtitleRasterizer.Drawing
        {
            try #require(
                rasterizer.draw(at: Self.time(0), layout: layout, bitmaps: [bitmap]))
        }
        let same = try drawing(
            bitmap(x: 30, y: 80, canvas: (160, 90)), Layout(width: 160, height: 90))
        #expect((same.x, same.y) == (30, 80))
        #expect((same.picture.width, same.picture.height) == (10, 4))
        #expect(pixels(same.picture).allSatisfy { $0 == SIMD4(100, 50, 0, 128) })
        // A disc's 720 x 576 cover a video that is shown at 16:9.
        let disc = try drawing(
            bitmap(x: 360, y: 500, canvas: (720, 576)),
            Layout(width: 1024, height: 576, storageWidth: 720, storageHeight: 576))
        #expect((disc.x, disc.y) == (512, 500))
        #expect(disc.picture.width == 14 && disc.picture.height == 4)
        // A script for 1080 lines is moved into the frame of a video whose bars were cropped.
        let cut = try drawing(
            bitmap(x: 960, y: 1060, canvas: (1920, 1080)),
            Layout(width: 1920, height: 800, storageWidth: 1920, storageHeight: 800))
        #expect((cut.x, cut.y) == (960, 796))
    }

    @Test func `malicious lines are drawn within bounds`() throws {
        let rasterizer = try rasterizer(
            2, Self.cue(0, 9, "{\\fs100000\\bord5000\\blur500}A"),
            Self.cue(0, 9, "{\\fscx1000000\\frz45}B"),
            Self.cue(0, 9, "{\\p20}m 0 0 l 999999999 0 999999999 999999999"),
            Self.cue(0, 9, String(repeating: "{\\t(0,1,\\fs1)}x", count: 2000)))
        let layout = Layout(width: 320, height: 180)
        if let drawing = rasterizer.draw(at: Self.time(1), layout: layout) {
            #expect(drawing.picture.width <= 320 && drawing.picture.height <= 180)
        }
    }
}
