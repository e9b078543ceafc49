// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadBuffers
import PlayheadEffects
import PlayheadGL
import Testing

@Suite("mpv hooks", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct HookTests {
    private static func draw(_ text: String) throws -> (result: RGBAImage, source: RGBAImage) {
        let effect = try HookImporter.effect(text: text, path: "hook.glsl")
        return try GraphicsTest.withContext { context in
            let bench = try EffectBench(context)
            let instance = EffectInstance(effect)
            let image = bench.draw([instance], fused: false)
            #expect(instance.error == nil)
            return (try #require(image), bench.source)
        }
    }

    /// Returns the pixels of an image of the bench, without alpha, row by row.
    private static func pixels(_ image: RGBAImage) -> [SIMD3<Int>] {
        stride(from: 0, to: image.bytes.count, by: 4).map {
            SIMD3(Int(image.bytes[$0]), Int(image.bytes[$0 + 1]), Int(image.bytes[$0 + 2]))
        }
    }

    private static func distance(_ a: [SIMD3<Int>], _ b: [SIMD3<Int>]) -> Int {
        zip(a, b).reduce(0) { result, pair in
            let difference = pair.0 &- pair.1
            return max(
                result, abs(difference.x), abs(difference.y), abs(difference.z))
        }
    }

    @Test(arguments: [
        "LUMA", "CHROMA", "CHROMA_SCALED", "NATIVE", "RGB", "MAINPRESUB", "MAIN", "LINEAR",
        "SIGMOID", "PREKERNEL", "POSTKERNEL", "SCALED", "OUTPUT",
    ])
    func `a hook that changes nothing leaves the frame as it is`(stage: String) throws {
        let (result, source) = try Self.draw(
            "//!HOOK \(stage)\n//!BIND HOOKED\nvec4 hook() { return HOOKED_tex(HOOKED_pos) "
                + "+ vec4(input_size + target_size + tex_offset, 0.0, 0.0) * 0.0; }\n")
        #expect(Self.distance(Self.pixels(result), Self.pixels(source)) <= 1)
    }

    @Test func `where the video is opaque, the alpha that a hook writes is ignored`() throws {
        let (result, source) = try Self.draw(
            "//!HOOK MAIN\n//!BIND HOOKED\n"
                + "vec4 hook() { return vec4(HOOKED_tex(HOOKED_pos).rgb, 0.0); }\n")
        #expect(Self.distance(Self.pixels(result), Self.pixels(source)) <= 1)
        #expect(
            stride(from: 3, to: result.bytes.count, by: 4).allSatisfy { result.bytes[$0] == 255 })
    }

    @Test func `input_size is the size of the video`() throws {
        let (result, _) = try Self.draw(
            "//!HOOK MAIN\n//!BIND HOOKED\nvec4 hook() { return vec4(input_size / 255.0, 0.0, 1.0); }\n"
        )
        #expect(
            Self.pixels(result).allSatisfy {
                $0 == SIMD3(EffectBench.width, EffectBench.height, 0)
            })
    }

    /// Rounding decides which texels are read at a position between two of them. mpv's triangles
    /// run clockwise in the images between passes.
    @Test func `hooks are drawn with mpv's triangles`() throws {
        let (result, _) = try Self.draw(
            "//!HOOK MAIN\n//!BIND HOOKED\n"
                + "vec4 hook() { return vec4(gl_FrontFacing, 1.0, 0.0, 1.0); }\n")
        #expect(Self.pixels(result).allSatisfy { $0 == SIMD3(0, 255, 0) })
    }

    @Test func `a compute shader writes every pixel, from groups larger than its threads`() throws {
        let (result, source) = try Self.draw(
            """
            //!HOOK MAIN
            //!BIND HOOKED
            //!COMPUTE 16 8 8 8
            shared vec4 all[128];
            void hook() {
                for (int part = 0; part < 2; part++) {
                    ivec2 id = ivec2(gl_WorkGroupID.xy) * ivec2(16, 8)
                        + ivec2(gl_LocalInvocationID.xy) + ivec2(8 * part, 0);
                    int place = int(gl_LocalInvocationIndex) * 2 + part;
                    all[place] = 1.0 - HOOKED_tex(HOOKED_map(id));
                    barrier();
                    imageStore(out_image, id, vec4(all[place].rgb, 1.0));
                }
            }

            """)
        let inverted = Self.pixels(source).map { SIMD3(repeating: 255) &- $0 }
        #expect(Self.distance(Self.pixels(result), inverted) <= 1)
    }

    @Test func `tables of two and of three dimensions are read as the file has them`() throws {
        let (flat, _) = try Self.draw(
            """
            //!TEXTURE table
            //!SIZE 2 1
            //!FORMAT rgba8
            //!FILTER NEAREST
            ff0000ff00ff00ff

            //!HOOK MAIN
            //!BIND HOOKED
            //!BIND table
            vec4 hook() { return texture(table, HOOKED_pos); }

            """)
        let width = EffectBench.width
        for (index, pixel) in Self.pixels(flat).enumerated() {
            #expect(pixel == (index % width < width / 2 ? SIMD3(255, 0, 0) : SIMD3(0, 255, 0)))
        }
        // 16-bit and 32-bit floats are distinguished by the length: 1.0, 0.5.
        for (format, texels) in [
            ("r16f", "003c0038"), ("r16hf", "003c0038"), ("r16f", "0000803f0000003f"),
            ("r32f", "0000803f0000003f"),
        ] {
            let (deep, _) = try Self.draw(
                """
                //!TEXTURE cube
                //!SIZE 1 1 2
                //!FORMAT \(format)
                //!FILTER NEAREST
                \(texels)
                //!HOOK MAIN
                //!BIND cube
                vec4 hook() {
                    return vec4(texture(cube, vec3(0.5, 0.5, 0.2)).r,
                        texture(cube, vec3(0.5, 0.5, 0.8)).r, 0.0, 1.0);
                }

                """)
            #expect(Self.pixels(deep).allSatisfy { $0 == SIMD3(255, 128, 0) })
        }
    }

    /// 1 / 3 is 0x3EAAAAAB in 32 bits, and 0x3555 or 1365 / 4096 in 16 bits.
    @Test(arguments: [("r16f", 1365.0 / 4096), ("r32f", 1.0 / 3)])
    func `as in mpv, a table of 16-bit floats rounds its 32-bit data`(
        format: String, value: Double
    ) throws {
        let (result, _) = try Self.draw(
            """
            //!TEXTURE third
            //!SIZE 1 1
            //!FORMAT \(format)
            //!FILTER NEAREST
            abaaaa3e

            //!HOOK MAIN
            //!BIND third
            vec4 hook() {
                float distance = abs(texture(third, vec2(0.5)).r - \(value));
                return vec4(distance < 0.000001, 0.0, 0.0, 1.0);
            }

            """)
        #expect(Self.pixels(result).allSatisfy { $0 == SIMD3(255, 0, 0) })
    }

    /// As in mpv, where `--scaler-resizes-only` is the default: a frame that is not scaled is not
    /// blurred either.
    @Test(arguments: ["MAIN", "POSTKERNEL"])
    func `an image that is not scaled afterwards moves by whole pixels`(stage: String) throws {
        let text = """
            //!HOOK MAIN
            //!BIND HOOKED
            //!OFFSET -0.5 -0.5
            vec4 hook() { return HOOKED_tex(HOOKED_pos); }
            //!HOOK \(stage)
            //!BIND HOOKED
            vec4 hook() { return HOOKED_tex(HOOKED_pos); }

            """
        let (result, source) = try Self.draw(text)
        let (moved, original) = (Self.pixels(result), Self.pixels(source))
        // Rows run downwards in both.
        for row in 1..<EffectBench.height {
            for column in 1..<EffectBench.width {
                let (here, before) = (
                    row * EffectBench.width + column, (row - 1) * EffectBench.width + column - 1
                )
                #expect(Self.distance([moved[here]], [original[before]]) <= 1)
            }
        }
    }

    @Test(arguments: ["OFFSET 1 0", "OFFSET 0.5 0\n//!WIDTH HOOKED.w 2 /"])
    func `OFFSET shifts are undone at the end`(offset: String) throws {
        // The second halves the image and takes the left of two pixels: half a new pixel to the
        // right.
        let isHalf = offset.contains("WIDTH")
        let (result, source) = try Self.draw(
            """
            //!HOOK MAIN
            //!BIND HOOKED
            //!\(offset)
            vec4 hook() {
                return HOOKED_tex(HOOKED_pos - vec2(HOOKED_pt.x * \(isHalf ? "0.5" : "1.0"), 0.0));
            }

            """)
        let (moved, original) = (Self.pixels(result), Self.pixels(source))
        guard !isHalf else {
            // A flat area stays in place: the edges of the first row's grey ramp.
            #expect(moved[0].x < moved[EffectBench.width - 2].x)
            return
        }
        for index in moved.indices where index % EffectBench.width != EffectBench.width - 1 {
            #expect(Self.distance([moved[index]], [original[index]]) <= 1)
        }
    }

    @Test func `linearize and delinearize are mpv's, and LINEAR is light`() throws {
        let (function, source) = try Self.draw(
            "//!HOOK MAIN\n//!BIND HOOKED\nvec4 hook() { vec4 c = linearize(HOOKED_tex(HOOKED_pos)); "
                + "c.rgb *= 0.5; return delinearize(c); }\n")
        let (stage, _) = try Self.draw(
            "//!HOOK LINEAR\n//!BIND HOOKED\n"
                + "vec4 hook() { return HOOKED_tex(HOOKED_pos) * vec4(vec3(0.5), 1.0); }\n")
        // 0.5 to the power of 1 / 2.4.
        let half = Self.pixels(source).map {
            SIMD3(
                Int((Double($0.x) * 0.749).rounded()), Int((Double($0.y) * 0.749).rounded()),
                Int((Double($0.z) * 0.749).rounded()))
        }
        #expect(Self.distance(Self.pixels(function), half) <= 1)
        #expect(Self.distance(Self.pixels(stage), half) <= 1)
    }

    @Test func `images of earlier stages can be bound later`() throws {
        let (luma, source) = try Self.draw(
            "//!HOOK MAIN\n//!BIND HOOKED\n//!BIND LUMA\n"
                + "vec4 hook() { return vec4(vec3(LUMA_tex(LUMA_pos).x), 1.0); }\n")
        let expected = Self.pixels(source).map {
            let luma = 0.2126 * Double($0.x) + 0.7152 * Double($0.y) + 0.0722 * Double($0.z)
            return SIMD3(repeating: Int(luma.rounded()))
        }
        #expect(Self.distance(Self.pixels(luma), expected) <= 1)
        let (turned, _) = try Self.draw(
            "//!HOOK POSTKERNEL\n//!BIND HOOKED\n//!BIND PREKERNEL\n"
                + "vec4 hook() { return vec4(PREKERNEL_tex(HOOKED_pos).gbr, 1.0); }\n")
        #expect(
            Self.distance(
                Self.pixels(turned), Self.pixels(source).map { SIMD3($0.y, $0.z, $0.x) }) <= 1)
    }

    @Test func `a block whose image is missing is left out, as in mpv`() throws {
        let (result, source) = try Self.draw(
            """
            //!HOOK MAIN
            //!BIND HOOKED
            //!SAVE extra
            //!WHEN HOOKED.w 1 <
            vec4 hook() { return vec4(1.0); }

            //!HOOK MAIN
            //!BIND HOOKED
            //!BIND extra
            vec4 hook() { return extra_tex(extra_pos); }

            """)
        #expect(Self.distance(Self.pixels(result), Self.pixels(source)) <= 1)
    }

    @Test func `images may have names of keywords, and tables have macros of images`() throws {
        let (result, source) = try Self.draw(
            """
            //!HOOK MAIN
            //!BIND HOOKED
            //!SAVE in
            vec4 hook() { return HOOKED_tex(HOOKED_pos); }

            //!TEXTURE scale
            //!SIZE 1 1
            //!FORMAT r8
            //!FILTER NEAREST
            ff

            //!HOOK MAIN
            //!BIND in
            //!BIND scale
            vec4 hook() {
                vec2 inside = scale_size * 0.5;
                return vec4((1.0 - in_texOff(0)).rgb * scale_tex(inside).r, 1.0);
            }

            """)
        let inverted = Self.pixels(source).map { SIMD3(repeating: 255) &- $0 }
        #expect(Self.distance(Self.pixels(result), inverted) <= 1)
    }

    @Test(arguments: [0, 1])
    func `conditions may name parameters that are macros`(value: Int) throws {
        let (result, source) = try Self.draw(
            """
            //!PARAM MODE
            //!TYPE DEFINE
            \(value)

            //!HOOK MAIN
            //!BIND HOOKED
            //!WHEN MODE
            vec4 hook() { return vec4((1.0 - HOOKED_tex(HOOKED_pos)).rgb, 1.0); }

            """)
        let expected = Self.pixels(source).map {
            value == 1 ? SIMD3(repeating: 255) &- $0 : $0
        }
        #expect(Self.distance(Self.pixels(result), expected) <= 1)
    }

    @Test func `directives may be indented`() throws {
        let text =
            "  //!HOOK MAIN\n\t//!BIND HOOKED\n//!WHEN HOOKED.width  0 !=\t!\nvec4 hook() { return vec4(1.0); }\n"
        #expect(FormatDetector.format(of: text) == .hook)
        let (result, source) = try Self.draw(text)
        #expect(Self.distance(Self.pixels(result), Self.pixels(source)) <= 1)
    }

    @Test(
        arguments: [
            ("1 2 <", 1), ("2 1 <=", 0), ("1 1 >=", 1), ("1 1 ==", 1), ("1 2 !=", 1), ("1 1 =", 1),
            ("0 !", 1), ("7 4 %", 3), ("2 3 * 1 -", 5), ("MAIN.width MAIN.h /", 2),
        ] as [(String, Double)])
    func `conditions have the whole grammar`(text: String, value: Double) throws {
        let expression = try SizeExpression(reversePolish: text) { $0.hasPrefix("MAIN.") }
        #expect(expression.value { $0 == "MAIN.w" ? 8 : 4 } == value)
    }

    @Test func `sizes of the video are known to the last pass`() throws {
        let (result, source) = try Self.draw(
            """
            //!HOOK MAIN
            //!BIND HOOKED
            //!WHEN NATIVE_CROPPED.w \(EffectBench.width) =
            vec4 hook() { return 1.0 - HOOKED_tex(HOOKED_pos); }

            //!HOOK OUTPUT
            //!BIND HOOKED
            //!WHEN NATIVE_CROPPED.h \(EffectBench.height) =
            vec4 hook() { return vec4((1.0 - HOOKED_tex(HOOKED_pos)).rgb, 1.0); }

            """)
        #expect(Self.distance(Self.pixels(result), Self.pixels(source)) <= 1)
    }

    @Test func `STORAGE keeps what a shader wrote until the next frame`() throws {
        let text = """
            //!TEXTURE count
            //!SIZE 2 2
            //!FORMAT r32f
            //!STORAGE

            //!HOOK MAIN
            //!BIND HOOKED
            //!BIND count
            //!COMPUTE 8 8
            void hook() {
                float drawn = imageLoad(count, ivec2(1, 1)).r;
                memoryBarrierImage();
                barrier();
                if (gl_GlobalInvocationID.xy == uvec2(0u)) {
                    imageStore(count, ivec2(1, 1), vec4(drawn + 1.0));
                }
                imageStore(out_image, ivec2(gl_GlobalInvocationID),
                    vec4(imageLoad(count, ivec2(0, 1)).r, vec2(count_size) / 255.0, 1.0));
            }

            //!HOOK OUTPUT
            //!BIND HOOKED
            //!BIND count
            vec4 hook() { return HOOKED_tex(HOOKED_pos)
                + vec4(imageLoad(count, ivec2(1, 1)).r / 255.0, 0.0, 0.0, 0.0); }

            """
        let effect = try HookImporter.effect(text: text, path: "hook.glsl")
        try GraphicsTest.withContext { context in
            let bench = try EffectBench(context)
            let instance = EffectInstance(effect)
            for frame in 1...3 {
                let image = try #require(bench.draw([instance], fused: false))
                #expect(instance.error == nil)
                #expect(Self.pixels(image).allSatisfy { $0 == SIMD3(frame, 2, 2) })
            }
        }
    }

    @Test(arguments: [
        ("//!TEXTURE t\n//!SIZE 2\n//!FORMAT r8\n//!STORAGE\n", 4),
        ("//!TEXTURE t\n//!SIZE 2 2\n//!FORMAT rgb8\n//!STORAGE\n", 4),
        ("//!HOOK MAIN\n//!STORAGE\n", 2),
    ])
    func `STORAGE without a texture that shaders can write is refused`(
        text: String, line: Int
    ) throws {
        let error = #expect(throws: EffectError.self) {
            try HookImporter.effect(text: text, path: "hook.glsl")
        }
        guard case .unsupported(_, line, _)? = error else {
            Issue.record("found \(String(describing: error))")
            return
        }
    }

    @Test(arguments: ["float", "CONSTANT float"], ["level", "LEVEL"])
    func `a parameter in the value of a constant can be set`(type: String, name: String) throws {
        let text = """
            //!PARAM level
            //!TYPE \(type)
            //!MINIMUM 0.0
            //!MAXIMUM 1.0
            0.2

            //!HOOK MAIN
            //!BIND HOOKED
            #define LEVEL (level)
            const float twice = \(name) * 2.0;
            const vec3 all[int(twice) + 1] = vec3[](vec3(twice));
            vec4 hook() { return vec4(all[0], 1.0); }

            """
        let effect = try HookImporter.effect(text: text, path: "hook.glsl")
        try GraphicsTest.withContext { context in
            let bench = try EffectBench(context)
            let instance = EffectInstance(effect)
            for (value, code) in [(nil, 102), (Float(0.4), 204), (0.1, 51)] {
                if let value { try instance.set(.float(value), for: "level") }
                let image = try #require(bench.draw([instance], fused: false))
                #expect(instance.error == nil)
                #expect(Self.pixels(image).allSatisfy { $0 == SIMD3(repeating: code) })
            }
        }
    }
}
