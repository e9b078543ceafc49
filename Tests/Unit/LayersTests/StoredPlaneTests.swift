// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadBuffers
import PlayheadEffects
import PlayheadGL
import PlayheadLayers
import PlayheadTime
import Testing

@Suite("Plane storage", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct StoredPlaneTests {
    /// Shows luma in red, and Cb and Cr in green and blue.
    private static let effect = """
        //!HOOK MAIN
        //!BIND HOOKED
        //!BIND LUMA
        //!BIND CHROMA
        vec4 hook() {
            return vec4(LUMA_tex(LUMA_pos).x, CHROMA_tex(CHROMA_pos).xy, 1.0);
        }

        """

    private static func draw(
        _ picture: PixelBuffer, effect: String? = effect
    ) throws -> RGBAImage {
        let instances = try effect.map {
            [EffectInstance(try HookImporter.effect(text: $0, path: "planes.glsl"))]
        }
        return try GraphicsTest.withContext { context in
            let renderer = VideoRenderer(context: context)
            let framebuffer = try GLFramebuffer(
                width: picture.width, height: picture.height, context: context)
            let scene = Scene(
                background: .black, layers: [Layer(.image(picture), effects: instances ?? [])])
            let report = renderer.render(scene, hostTime: .zero, into: RenderTarget(framebuffer))
            #expect(report.problems.isEmpty)
            return framebuffer.image()
        }
    }

    /// Returns 4:2:0 planes of one colour in limited range, with chroma that R'G'B' would clamp.
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
    func `a hook reads luma and chroma as stored`(format: PixelFormat) throws {
        let image = try Self.draw(Self.picture(format))
        for (x, y) in [(0, 0), (7, 3), (4, 2)] {
            #expect(image[x, y] == [80, 44, 16, 255])
        }
    }

    @Test func `hooked planes become the R'G'B' that they are without the hook`() throws {
        let plain = try Self.draw(Self.picture(.yuv420p), effect: nil)
        let hooked = try Self.draw(
            Self.picture(.yuv420p),
            effect: "//!HOOK LUMA\n//!BIND HOOKED\nvec4 hook() { return HOOKED_tex(HOOKED_pos); }\n"
        )
        for (a, b) in zip(plain.bytes, hooked.bytes) { #expect(abs(Int(a) - Int(b)) <= 1) }
    }

    @Test func `chroma has the size of its planes`() throws {
        let image = try Self.draw(
            Self.picture(.yuv420p),
            effect: "//!HOOK CHROMA\n//!BIND HOOKED\n//!SAVE SIZE\n"
                + "vec4 hook() { return vec4(HOOKED_size / 255.0, 0.0, 1.0); }\n"
                + "//!HOOK MAIN\n//!BIND SIZE\nvec4 hook() { return SIZE_tex(SIZE_pos); }\n")
        #expect(image[1, 1] == [4, 2, 0, 255])
    }

    /// Returns 4:2:0 planes of equal luma, whose chroma varies from left to right.
    private static func gradient(_ location: ColorAttachments.ChromaLocation) -> PixelBuffer {
        PixelBuffer(
            format: .yuv420p, width: 16, height: 4,
            attachments: PixelBufferAttachments(
                color: ColorAttachments(
                    matrix: .bt709, range: .limited, chromaLocation: location))
        ) { plane, bytes, bytesPerRow in
            let size = PixelFormat.yuv420p.planeSize(plane, width: 16, height: 4)
            for row in 0..<size.height {
                for column in 0..<size.width {
                    bytes[row * bytesPerRow + column] =
                        plane == 0 ? 128 : UInt8(80 + 12 * column * plane % 97)
                }
            }
        }
    }

    /// In mpv, `OFFSET ALIGN` moves the image that a block reads as `HOOKED`. An image read by the
    /// name of its stage alone stays where it is, and the result counts as aligned.
    @Test(arguments: [
        ("HOOKED", ColorAttachments.ChromaLocation.left), ("CHROMA", .center),
    ])
    func `OFFSET ALIGN aligns the hooked image by its name HOOKED`(
        name: String, location: ColorAttachments.ChromaLocation
    ) throws {
        let plain = try Self.draw(Self.gradient(location), effect: nil)
        let hooked = try Self.draw(
            Self.gradient(.left),
            effect: """
                //!HOOK CHROMA
                //!BIND \(name)
                //!BIND LUMA
                //!WIDTH LUMA.w
                //!HEIGHT LUMA.h
                //!OFFSET ALIGN
                vec4 hook() { return \(name)_tex(\(name)_pos); }

                """)
        for (a, b) in zip(plain.bytes, hooked.bytes) { #expect(abs(Int(a) - Int(b)) <= 1) }
    }

    @Test func `the stage RGB belongs to images that are stored as R'G'B'`() throws {
        let red = "//!HOOK RGB\n//!BIND HOOKED\nvec4 hook() { return vec4(1.0, 0.0, 0.0, 1.0); }\n"
        let planes = try Self.draw(Self.picture(.yuv420p), effect: red)
        let plain = try Self.draw(Self.picture(.yuv420p), effect: nil)
        for (a, b) in zip(plain.bytes, planes.bytes) { #expect(abs(Int(a) - Int(b)) <= 1) }
        let stored = TestPictures.rgba(width: 4, height: 2) { _, _ in [100, 100, 100, 255] }
        #expect(try Self.draw(stored, effect: red)[1, 1] == [255, 0, 0, 255])
        // A shader for both kinds of images processes each as one kind.
        let both =
            "//!HOOK LUMA\n//!HOOK RGB\n//!BIND HOOKED\n"
            + "vec4 hook() { return HOOKED_tex(HOOKED_pos) * 0.5; }\n"
        #expect(try Self.draw(stored, effect: both)[1, 1] == [50, 50, 50, 255])
    }

    @Test func `without planes luma follows from R'G'B'`() throws {
        let picture = TestPictures.rgba(width: 4, height: 2) { _, _ in [100, 100, 100, 255] }
        let color = try Self.draw(picture)[1, 1]
        #expect(abs(Int(color[0]) - 100) <= 1)
        #expect(abs(Int(color[1]) - 128) <= 1)
    }
}
