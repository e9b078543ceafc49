// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadBuffers
import PlayheadGL
import PlayheadLayers
import PlayheadTime
import Synchronization
import Testing

/// Pictures that a source wants to be left where they are.
@Suite("Kept pictures", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct KeptPictureTests {
    /// Has another picture at each time, and may keep the one it gave last.
    private final class Source: PixelBufferSource {
        let keeps = Atomic(false)

        func itemTime(forHostTime hostTime: MediaTime) -> MediaTime { hostTime }
        func hasNewPixelBuffer(forItemTime itemTime: MediaTime) -> Bool { true }

        func copyPixelBuffer(
            forItemTime itemTime: MediaTime
        ) -> (PixelBuffer, displayTime: MediaTime)? {
            let red = UInt8(itemTime.seconds)
            return (TestPictures.rgba(width: 2, height: 2) { _, _ in [red, 0, 0, 255] }, itemTime)
        }

        func keepsPixelBuffer(forItemTime itemTime: MediaTime) -> Bool {
            keeps.load(ordering: .relaxed)
        }
    }

    @Test func `a picture that its source keeps stays on the target`() throws {
        let source = Source()
        let reds = try GraphicsTest.withContext { context in
            let renderer = VideoRenderer(context: context)
            let framebuffer = try GLFramebuffer(width: 2, height: 2, context: context)
            let scene = Scene(layers: [Layer(.video(source))])
            return [(10, true), (20, true), (30, false), (40, true)].map { time, keeps in
                source.keeps.store(keeps, ordering: .relaxed)
                _ = renderer.render(
                    scene, hostTime: MediaTime(value: Int64(time), timescale: 1),
                    into: RenderTarget(framebuffer))
                return framebuffer.image(isBottomUp: true)[0, 0].x
            }
        }
        // The first is taken though the source would keep it: there is nothing to keep.
        #expect(reds == [10, 10, 30, 30])
    }
}
