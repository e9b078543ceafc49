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
            let size = picture.displaySize
            let framebuffer = try GLFramebuffer(
                width: Int(size.width), height: Int(size.height), context: context)
            let scene = Scene(
                background: .black, layers: [Layer(.image(picture), effects: instances ?? [])])
            let report = renderer.render(scene, hostTime: .zero, into: RenderTarget(framebuffer))
            #expect(report.problems.isEmpty)
            return framebuffer.image()
        }
    }

    /// Returns 4:2:0 planes of one colour in limited range, with chroma that R'G'B' would clamp.
    private static func picture(
        _ format: PixelFormat, blue: UInt8 = 44, red: UInt8 = 16
    ) -> PixelBuffer {
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
                        bytes[start + 2 * column] = blue
                        bytes[start + 2 * column + 1] = red
                    } else {
                        bytes[start + column] = plane == 1 ? blue : red
                    }
                }
            }
        }
    }

    /// Returns a frame with other attachments.
    private static func changing(
        _ picture: PixelBuffer, _ change: (inout PixelBufferAttachments) -> Void
    ) -> PixelBuffer {
        var attachments = picture.attachments
        change(&attachments)
        return PixelBuffer(
            format: picture.format, width: picture.width, height: picture.height,
            planes: picture.planes, attachments: attachments, owner: picture)
    }

    @Test(arguments: [PixelFormat.yuv420p, .nv12])
    func `a hook reads luma and chroma as stored`(format: PixelFormat) throws {
        let image = try Self.draw(Self.picture(format))
        for (x, y) in [(0, 0), (7, 3), (4, 2)] {
            #expect(image[x, y] == [80, 44, 16, 255])
        }
    }

    /// 16-bit floats have 11 significant bits.
    @Test(arguments: [(PixelFormat.yuv420p, true), (.nv12, false)])
    func `as in mpv, Cb and Cr of separate planes are joined as 16-bit floats`(
        format: PixelFormat, isHalf: Bool
    ) throws {
        let image = try Self.draw(
            Self.picture(format, blue: 239, red: 201),
            effect: """
                //!HOOK MAIN
                //!BIND HOOKED
                //!BIND CHROMA
                vec4 hook() {
                    vec2 chroma = texelFetch(CHROMA_raw, ivec2(0), 0).xy;
                    vec2 distance = abs(chroma * 255.0 - vec2(239.0, 201.0));
                    bool isHalf = fract(chroma * 2048.0) == vec2(0.0);
                    bool isCode = max(distance.x, distance.y) < 0.001;
                    return vec4(isHalf, isCode, distance.x < 0.5, 1.0);
                }

                """)
        #expect(image[1, 1] == (isHalf ? [255, 0, 255, 255] : [0, 255, 255, 255]))
    }

    /// Software OpenGL interpolates 8-bit textures with 8 bits, so that a copy of more bits would
    /// have other values between texels.
    @Test func `8-bit luma is interpolated as a texture of 8 bits`() throws {
        let codes: [UInt8] = [16, 91, 33, 200, 17, 18, 120, 235]
        let picture = PixelBuffer(
            format: .yuv420p, width: 8, height: 4,
            attachments: PixelBufferAttachments(
                color: ColorAttachments(matrix: .bt709, range: .limited))
        ) { plane, bytes, bytesPerRow in
            let size = PixelFormat.yuv420p.planeSize(plane, width: 8, height: 4)
            for row in 0..<size.height {
                for column in 0..<size.width {
                    bytes[row * bytesPerRow + column] = plane == 0 ? codes[column] : 128
                }
            }
        }
        let image = try Self.draw(
            picture,
            effect: """
                //!TEXTURE codes
                //!SIZE 8 1
                //!FORMAT r8
                //!FILTER LINEAR
                105b21c8111278eb

                //!HOOK MAIN
                //!BIND HOOKED
                //!BIND LUMA
                //!BIND codes
                vec4 hook() {
                    vec2 place = LUMA_pos + vec2(0.3, 0.0) * LUMA_pt;
                    float luma = LUMA_tex(place).x;
                    float code = texture(codes, vec2(place.x, 0.5)).x;
                    return vec4(abs(luma - code) * 2550.0, luma > 0.05, 0.0, 1.0);
                }

                """)
        for (x, y) in [(0, 0), (1, 3), (3, 1), (6, 2), (7, 3)] {
            #expect(image[x, y] == [0, 255, 0, 255])
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

    @Test(arguments: [0, 1])
    func `planes have their stored size if pixels are not square`(quarterTurns: Int) throws {
        let picture = Self.changing(Self.picture(.yuv420p)) {
            $0.pixelAspectRatio = .init(horizontal: 3, vertical: 2)
            $0.orientation = PictureOrientation(quarterTurns: quarterTurns)
        }
        let image = try Self.draw(
            picture,
            effect: "//!HOOK MAIN\n//!BIND HOOKED\n//!BIND LUMA\n//!BIND CHROMA\nvec4 hook() "
                + "{ return vec4(HOOKED_size.x, LUMA_size.y, CHROMA_size.x, 255.0) / 255.0; }\n")
        #expect(image[1, 2] == (quarterTurns == 0 ? [8, 4, 4, 255] : [4, 8, 2, 255]))
    }

    /// Returns planes of equal luma, whose chroma varies from left to right.
    private static func gradient(
        _ location: ColorAttachments.ChromaLocation, _ format: PixelFormat = .yuv420p,
        width: Int = 16, height: Int = 4
    ) -> PixelBuffer {
        PixelBuffer(
            format: format, width: width, height: height,
            attachments: PixelBufferAttachments(
                color: ColorAttachments(
                    matrix: .bt709, range: .limited, chromaLocation: location))
        ) { plane, bytes, bytesPerRow in
            let size = format.planeSize(plane, width: width, height: height)
            for row in 0..<size.height {
                for column in 0..<size.width {
                    bytes[row * bytesPerRow + column] =
                        plane == 0 ? 128 : UInt8(80 + 12 * column * plane % 97)
                }
            }
        }
    }

    @Test(arguments: [PixelFormat.yuv420p, .yuv422p], 0..<4)
    func `hooked chroma keeps its position and its size in frames of any orientation`(
        format: PixelFormat, quarterTurns: Int
    ) throws {
        for (isMirrored, size) in [(false, (16, 4)), (true, (16, 4)), (false, (15, 5))] {
            let stored = Self.gradient(.topLeft, format, width: size.0, height: size.1)
            let picture = Self.changing(stored) {
                $0.orientation = PictureOrientation(
                    quarterTurns: quarterTurns, isMirrored: isMirrored)
            }
            let plain = try Self.draw(picture, effect: nil)
            let hooked = try Self.draw(
                picture,
                effect: "//!HOOK CHROMA\n//!BIND HOOKED\n"
                    + "vec4 hook() { return HOOKED_tex(HOOKED_pos); }\n")
            for (a, b) in zip(plain.bytes, hooked.bytes) { #expect(abs(Int(a) - Int(b)) <= 1) }
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
