// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadBuffers
import PlayheadEffects
import PlayheadGL
import PlayheadHeadless
import PlayheadLayers
import PlayheadTime
import Testing

@Suite("Chroma key", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct ChromaKeyTests {
    private static func draw(
        _ picture: PixelBuffer, background: Scene.Background, view: Int32 = 0
    ) throws -> RGBAImage {
        let key = EffectInstance(try EffectLibrary.effect(named: "chroma_key"))
        try key.set(.long(view), for: "view")
        return try GraphicsTest.withContext { context in
            let renderer = VideoRenderer(context: context)
            let framebuffer = try GLFramebuffer(
                width: picture.width, height: picture.height, context: context)
            let scene = Scene(
                background: background, layers: [Layer(.image(picture), effects: [key])])
            let report = renderer.render(scene, hostTime: .zero, into: RenderTarget(framebuffer))
            #expect(report.problems.isEmpty)
            return framebuffer.image()
        }
    }

    @Test("the matte of a green-screen shot is that of its foreground")
    func matte() throws {
        let image = try Self.draw(
            TestPictures.greenScreen(), background: .black, view: 1)
        GraphicsTest.save(image, as: "chroma-key-matte")
        var sum = 0.0
        var wrong = 0
        for y in 0..<image.height {
            for x in 0..<image.width {
                let (alpha, _) = TestPictures.greenScreenForeground(
                    x: Double(x) + 0.5, y: Double(y) + 0.5)
                let difference = abs(Double(image[x, y].x) / 255 - alpha)
                sum += difference
                // Away from edges there is no doubt.
                if (alpha == 0 || alpha == 1) && difference > 0.5 { wrong += 1 }
            }
        }
        let mean = sum / Double(image.width * image.height)
        #expect(mean < 0.02, "mean difference \(mean)")
        #expect(wrong < 400, "\(wrong) pixels are on the wrong side")
    }

    @Test("over a background, the backing is gone and nothing is green")
    func composite() throws {
        let picture = TestPictures.greenScreen()
        GraphicsTest.save(
            try Self.draw(picture, background: .checkerboard()), as: "chroma-key-checkerboard")
        let image = try Self.draw(picture, background: .color([0.5, 0.1, 0.4, 1]))
        GraphicsTest.save(image, as: "chroma-key-composite")
        // Corners of the shot are backing only, unevenly lit.
        for (x, y) in [(2, 2), (637, 2), (2, 357), (250, 30)] {
            let pixel = SIMD4<Int>(truncatingIfNeeded: image[x, y])
            #expect(abs(pixel.x - 128) < 6 && abs(pixel.y - 26) < 6 && abs(pixel.z - 102) < 6)
        }
        // The disc and the grey bar stay what they are.
        let disc = image[160, 160]
        #expect(disc.x > 190 && disc.y > 140 && disc.y < 175)
        let grey = SIMD4<Int>(truncatingIfNeeded: image[400, 200])
        #expect(abs(grey.x - grey.y) < 8 && abs(grey.y - grey.z) < 8 && abs(grey.x - 133) < 12)
        var worst = 0
        for y in 0..<image.height {
            for x in 0..<image.width {
                let pixel = image[x, y]
                worst = max(worst, Int(pixel.y) - max(Int(pixel.x), Int(pixel.z)))
            }
        }
        #expect(worst < 16, "a pixel is greener by \(worst)")
    }

    @Test("a picture without chroma planes is keyed by its colours")
    func rgb() throws {
        let picture = TestPictures.rgba(width: 4, height: 2) { x, _ in
            x < 2 ? [0, 176, 64, 255] : [200, 200, 200, 255]
        }
        let image = try Self.draw(picture, background: .color([0, 0, 1, 1]))
        #expect(image[0, 0] == [0, 0, 255, 255])
        #expect(image[3, 1] == [200, 200, 200, 255])
    }
}
