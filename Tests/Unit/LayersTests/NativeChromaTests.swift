// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadBuffers
import PlayheadEffects
import PlayheadGL
import PlayheadLayers
import PlayheadTime
import Testing

@Suite("Native chroma", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct NativeChromaTests {
    private static let effect = """
        /*{
            "INPUTS": [{ "NAME": "inputImage", "TYPE": "image" }],
            "PLAYHEAD": { "NATIVE_CHROMA": true }
        }*/
        void main() {
        #ifdef PLAYHEAD_NATIVE_CHROMA
            gl_FragColor = vec4(PLAYHEAD_CHROMA(isf_FragNormCoord) + 0.5, 1.0, 1.0);
        #else
            gl_FragColor = vec4(0.0, 0.0, 0.0, 1.0);
        #endif
        }
        """

    private static func draw(_ picture: PixelBuffer) throws -> RGBAImage {
        let instance = EffectInstance(try ISFImporter.effect(text: effect, path: "native.fs"))
        return try GraphicsTest.withContext { context in
            let renderer = VideoRenderer(context: context)
            let framebuffer = try GLFramebuffer(
                width: picture.width, height: picture.height, context: context)
            let scene = Scene(
                background: .black, layers: [Layer(.image(picture), effects: [instance])])
            let report = renderer.render(scene, hostTime: .zero, into: RenderTarget(framebuffer))
            #expect(report.problems.isEmpty)
            return framebuffer.image()
        }
    }

    /// 4:2:0 planes of one colour in limited range; chroma that R'G'B' would clamp.
    private static func picture(_ format: PixelFormat) -> PixelBuffer {
        PixelBuffer(
            format: format, width: 8, height: 4,
            attachments: PixelBufferAttachments(
                color: ColorAttachments(matrix: .bt709, range: .limited))
        ) { plane, bytes, bytesPerRow in
            let size = format.planeSize(plane, width: 8, height: 4)
            let isInterleaved = format.planeCount == 2
            for row in 0..<size.height {
                for column in 0..<size.width {
                    let start = row * bytesPerRow
                    if plane == 0 {
                        bytes[start + column] = 80
                    } else if isInterleaved {
                        bytes[start + 2 * column] = 44
                        bytes[start + 2 * column + 1] = 16
                    } else {
                        bytes[start + column] = plane == 1 ? 44 : 16
                    }
                }
            }
        }
    }

    @Test(arguments: [PixelFormat.yuv420p, .nv12])
    func `an effect reads Cb and Cr as stored`(format: PixelFormat) throws {
        let image = try Self.draw(Self.picture(format))
        // Limited range: 44 is -84 / 224 from the middle, 16 is -0.5.
        for (x, y) in [(0, 0), (7, 3), (4, 2)] {
            #expect(image[x, y] == [32, 0, 255, 255])
        }
    }

    @Test func `an effect is informed if the video has no chroma`() throws {
        let picture = TestPictures.rgba(width: 4, height: 2) { _, _ in [10, 200, 30, 255] }
        #expect(try Self.draw(picture)[1, 1] == [0, 0, 0, 255])
    }
}
