// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GraphicsTestSupport
import MediaTestSupport
import PlayheadBuffers
import PlayheadEffects
import PlayheadGL
import PlayheadLayers
import PlayheadTime
import Synchronization
import Testing

@Suite(
    "Sizes of intermediate textures",
    .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct PictureSizeTests {
    private typealias S = LayerScene

    /// Returns an effect that doubles the size, and turns the result red.
    private func scaler() throws -> EffectInstance {
        let folder = TemporaryFolder()
        let path = folder.url.appending(path: "double.glsl").path
        let text = """
            //!HOOK MAIN
            //!BIND HOOKED
            //!WIDTH HOOKED.w 2 *
            //!HEIGHT HOOKED.h 2 *
            vec4 hook() { return vec4(1.0, HOOKED_tex(HOOKED_pos).gb, 1.0); }
            """
        try Data(text.utf8).write(to: URL(filePath: path))
        return EffectInstance(try EffectLibrary.effect(path: path))
    }

    @Test func `scaling effects stay within limits when a small part of a large layer is visible`()
        throws
    {
        let picture = TestPictures.rgba(width: 64, height: 36) { _, _ in [0, 0, 255, 255] }
        let scaler = try scaler()
        for zoom in [1.0, 4, 1000, 100_000] {
            var flat = Layer(
                .image(picture), frame: .pixels(S.rect(8 - 8 * zoom, 0, 16 * zoom, 9 * zoom)))
            flat.effects = [scaler]
            var scaled = Layer(.image(picture))
            scaled.effects = [scaler]
            scaled.transform = .scale(x: zoom, y: zoom)
            for layer in [flat, scaled] {
                let image = try S.draw(Scene(layers: [layer]), width: 16, height: 9)
                #expect(image[8, 4] == [255, 0, 255, 255], "\(zoom)")
            }
        }
    }

    @Test(arguments: [1e9, 1e17, 1e60, 1e300])
    func `no scale is too large to compute`(scale: Double) throws {
        let picture = TestPictures.rgba(width: 4, height: 4) { _, _ in [0, 0, 255, 255] }
        try GraphicsTest.withSharedContext { context in
            let renderer = VideoRenderer(context: context, conversion: .gpu)
            let framebuffer = try GLFramebuffer(width: 8, height: 8, context: context)
            var layer = Layer(.image(picture))
            layer.effects = [try scaler()]
            layer.transform = .scale(x: scale, y: scale)
            _ = renderer.render(
                Scene(layers: [layer]), hostTime: .zero, into: RenderTarget(framebuffer))
            #expect(GLState.takeError() == nil)
        }
    }

    @Test func `a generator fills a layer wider than any texture, in its shape`() throws {
        let checks = EffectInstance(try EffectLibrary.effect(named: "checkerboard"))
        try checks.set(.color([1, 0, 0, 1]), for: "dark")
        try checks.set(.color([0, 0, 1, 1]), for: "light")
        let longest = try GraphicsTest.withSharedContext {
            Double($0.capabilities.maximumTextureSize)
        }
        var layer = Layer(.generator(checks), frame: .pixels(S.rect(0, 0, longest * 2, 9)))
        let image = try S.draw(Scene(layers: [layer]), width: 16, height: 9)
        #expect([SIMD4(255, 0, 0, 255), SIMD4(0, 0, 255, 255)].contains(image[3, 3]))
        // It has no image to show a part of.
        try checks.set(.float(4), for: "size")
        layer.frame = .whole
        let whole = try S.draw(Scene(layers: [layer]), width: 16, height: 8)
        layer.contentsRect = S.rect(0, 0, 0.5, 0.5)
        let part = try S.draw(Scene(layers: [layer]), width: 16, height: 8)
        #expect(part == whole)
    }

    @Test func `an overlay is requested no larger than its visible size, in the video's shape`()
        throws
    {
        let overlay = Overlay()
        for (zoom, size) in [(1.0, [16, 9]), (1.5, [24, 14]), (4, [32, 18]), (1000, [32, 18])] {
            let layer = Layer(
                .video(overlay), frame: .pixels(S.rect(8 - 8 * zoom, 0, 16 * zoom, 9 * zoom)))
            _ = try S.draw(Scene(layers: [layer]), width: 16, height: 9)
            #expect(overlay.seen == size, "\(zoom)")
        }
    }
}

/// An overlay over a video, which records the size at which it is displayed.
private final class Overlay: OverlaySource {
    let overlaySize = (width: 160.0, height: 90.0)
    let overlayRect = LayerRect.unit
    private let picture = TestPictures.rgba(width: 2, height: 2) { _, _ in [9, 9, 9, 255] }
    private let size = Mutex<[Int]>([])

    var seen: [Int] { size.withLock { $0 } }

    func noteDisplaySize(width: Int, height: Int) { size.withLock { $0 = [width, height] } }

    func itemTime(forHostTime hostTime: MediaTime) -> MediaTime { hostTime }
    func hasNewPixelBuffer(forItemTime itemTime: MediaTime) -> Bool { true }
    func copyPixelBuffer(
        forItemTime itemTime: MediaTime
    ) -> (PixelBuffer, displayTime: MediaTime)? { (picture, itemTime) }
}
