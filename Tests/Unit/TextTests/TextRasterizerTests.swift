// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadText
import Testing

@Suite("Text")
struct TextRasterizerTests {
    private static func pixels(_ picture: PixelBuffer) -> [SIMD4<UInt8>] {
        let plane = picture.planes[0]
        return (0..<plane.height).flatMap { y in
            (0..<plane.width).map { x in
                let address = plane.baseAddress + y * plane.bytesPerRow + x * 4
                return address.loadUnaligned(as: SIMD4<UInt8>.self)
            }
        }
    }

    @Test func `a line is about as high as its font size, and premultiplied`() throws {
        let text = try TextRasterizer()
        let picture = try #require(
            try text.picture(of: "Hhg 123", style: TextStyle(size: 40, color: [1, 0.5, 0, 1])))
        #expect((20...50).contains(picture.height))
        #expect(picture.width > picture.height)
        #expect(picture.attachments.color.alpha == .premultiplied)
        let pixels = Self.pixels(picture)
        #expect(pixels.contains { $0.w == 255 && $0.x == 255 && (126...129).contains($0.y) })
        #expect(pixels.allSatisfy { $0.x <= $0.w && $0.y <= $0.w && $0.z <= $0.w })
    }

    @Test func `lines are stacked, and long ones are broken`() throws {
        let text = try TextRasterizer()
        let one = try #require(try text.picture(of: "Frame 1"))
        let three = try #require(try text.picture(of: "Frame 1\nFrame 2\nFrame 3"))
        #expect(three.height > 2 * one.height)
        let long = String(repeating: "word ", count: 30)
        let broken = try #require(try text.picture(of: long, maximumWidth: 200))
        #expect(broken.width <= 200)
        #expect(broken.height > 4 * one.height)
    }

    @Test func `markup is text`() throws {
        let text = try TextRasterizer()
        let plain = try #require(try text.picture(of: "xbx"))
        // Also with a mark over the brace.
        let marked = try #require(try text.picture(of: "x{\u{308}\\b1}x"))
        #expect(marked.width > plain.width)
        let braces = try #require(try text.picture(of: "x{\\b1}x"))
        let backslash = try #require(try text.picture(of: "x\\Nx"))
        #expect(braces.width > plain.width)
        #expect(backslash.height < plain.height * 2)
    }

    @Test func `a box surrounds the text by its padding`() throws {
        let text = try TextRasterizer()
        let plain = try #require(try text.picture(of: "a"))
        let boxed = try #require(
            try text.picture(of: "a", style: TextStyle(boxColor: [0, 0, 0, 0.5], padding: 8)))
        #expect((boxed.width, boxed.height) == (plain.width + 16, plain.height + 16))
        #expect(Self.pixels(boxed)[0] == [0, 0, 0, 128])
    }

    @Test(arguments: ["1", "mm", "Hhg 123"])
    func `an image ends at its last visible pixel`(string: String) throws {
        let picture = try #require(try TextRasterizer().picture(of: string))
        let pixels = Self.pixels(picture)
        let (width, height) = (picture.width, picture.height)
        #expect((0..<height).contains { pixels[$0 * width + width - 1].w > 0 })
        #expect((0..<width).contains { pixels[(height - 1) * width + $0].w > 0 })
    }

    @Test func `texts of one style align for any letters on request`() throws {
        let style = {
            var style = TextStyle(size: 30)
            style.coversLines = true
            return style
        }()
        let text = try TextRasterizer()
        let heights = try ["x", "Ag", "1,0", "."].map {
            try text.picture(of: $0, style: style)?.height
        }
        #expect(Set(heights).count == 1)
    }

    @Test(arguments: ["\r\n", "\r", "\u{85}", "\u{2028}"])
    func `lines end at Unicode's line breaks`(separator: String) throws {
        let text = try TextRasterizer()
        let expected = try #require(try text.picture(of: "Frame\n1"))
        let picture = try #require(try text.picture(of: "Frame\(separator)1"))
        #expect(Self.pixels(picture) == Self.pixels(expected))
    }

    @Test func `spaces before words indent them`() throws {
        let text = try TextRasterizer()
        func width(_ string: String) throws -> Int {
            try #require(try text.picture(of: string)).width
        }
        #expect(try width("x\n    x") > width("x\n  x"))
        #expect(try width("x\n  x") > width("x\nx"))
        #expect(try width("x\n\tx") > width("x\nx"))
        var style = TextStyle()
        style.coversLines = true
        let flush = try #require(try text.picture(of: "x", style: style))
        #expect(try #require(try text.picture(of: "  x", style: style)).width > flush.width)
    }

    @Test func `meaningless numbers give an image or nil`() throws {
        let text = try TextRasterizer()
        for number in [Double.nan, -.infinity, -1e300, -3, 0, 0.001, .infinity, 1e300] {
            _ = try text.picture(of: ".", style: TextStyle(size: number))
            _ = try text.picture(of: ".", style: TextStyle(outlineWidth: number))
            let value = Float(number)
            let color = SIMD4<Float>(value, value, value, 1)
            let picture = try #require(
                try text.picture(
                    of: "Words",
                    style: TextStyle(color: color, boxColor: [0, value, 0, value], padding: 3)))
            let codes: SIMD4<UInt8> = number > 1 ? [255, 255, 255, 255] : [0, 0, 0, 255]
            #expect(number == 0.001 || Self.pixels(picture).contains(codes), "\(number)")
        }
        for width in [0, -5, Int.min, 1, Int.max] {
            _ = try text.picture(of: "Words of a line", maximumWidth: width)
        }
        #expect(try text.picture(of: "a", style: TextStyle(padding: -9)) != nil)
    }

    @Test(arguments: ["", " ", "\n \n"])
    func `spaces give no image`(string: String) throws {
        #expect(try TextRasterizer().picture(of: string) == nil)
    }

    @Test func `unused images are dropped by their size`() throws {
        let pictures = TextPictures()
        let style = TextStyle(size: 200)
        var most = 0
        var last: PixelBuffer?
        for number in 0..<60 {
            last = try pictures.picture(of: "Words \(number) that are large", style: style)
            most = max(most, pictures.byteCount)
        }
        let one = try #require(last).byteCount
        // Sixty of them exceed the limit; the last few always stay.
        #expect(60 * one > 17 << 20)
        #expect(most <= (16 << 20) + 17 * one)
        #expect(try pictures.picture(of: "Words 59 that are large", style: style) === last)
    }
}
