// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GraphicsTestSupport
import MediaTestSupport
import PlayheadBuffers
import PlayheadEffects
import Testing

@Suite(".cube LUTs")
struct CubeTests {
    /// Returns a cube of a function of colour.
    private static func cube(
        _ size: Int, _ head: String = "", _ look: (SIMD3<Double>) -> SIMD3<Double>
    ) -> String {
        var text = "# made for a test\nTITLE \"Test look\"\n\(head)LUT_3D_SIZE \(size)\n"
        for index in 0..<size * size * size {
            let place = SIMD3(
                Double(index % size), Double(index / size % size), Double(index / size / size))
            let color = look(place / Double(size - 1))
            text += "\(color.x) \(color.y) \(color.z)\n"
        }
        return text
    }

    private static func effect(_ text: String) throws -> Effect {
        let folder = TemporaryFolder()
        return try EffectLibrary.effect(path: folder.write(text, to: "look.cube"))
    }

    /// Returns the largest difference from a function applied to the bench's image.
    private static func worst(
        _ text: String, _ expected: (SIMD3<Double>) -> SIMD3<Double>
    ) throws -> Double {
        let instance = EffectInstance(try effect(text))
        return try GraphicsTest.withContext { context in
            let bench = try EffectBench(context)
            let drawn = try #require(bench.draw([instance], fused: true))
            var worst = 0.0
            for pixel in stride(from: 0, to: drawn.bytes.count, by: 4) {
                func color(_ image: RGBAImage) -> SIMD3<Double> {
                    SIMD3((0..<3).map { Double(image.bytes[pixel + $0]) / 255 })
                }
                let difference = color(drawn) - expected(color(bench.source))
                worst = max(worst, (0..<3).map { abs(difference[$0]) }.max() ?? 0)
            }
            return worst * 255
        }
    }

    @Test func `a LUT is detected by its content and has its title`() throws {
        let effect = try Self.effect(Self.cube(2) { $0 })
        #expect(effect.format == .cube)
        #expect(effect.summary == "Test look")
        #expect(effect.kind == .filter)
    }

    @Test(
        .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"),
        arguments: [2, 3, 17, 33])
    func `a linear LUT is exact to the rounding at any number of levels`(size: Int) throws {
        func look(_ color: SIMD3<Double>) -> SIMD3<Double> {
            SIMD3(1 - color.z, color.x * 0.5 + color.y * 0.25, 0.1 + color.y * 0.8)
        }
        #expect(try Self.worst(Self.cube(size, "", look), look) <= 0.51)
    }

    @Test(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
    func `greys interpolate greys only, and other colours interpolate by tetrahedra`() throws {
        // White except on the diagonal: trilinear interpolation would tint greys.
        let text = Self.cube(2) { $0.x == $0.y && $0.y == $0.z ? $0 : SIMD3(0, 1, 0) }
        let worst = try Self.worst(text) { color in
            let (most, least) = (color.max(), color.min())
            let middle = color.sum() - most - least
            return SIMD3(0, 1, 0) * (most - middle) + SIMD3(0, 1, 0) * (middle - least)
                + SIMD3(1, 1, 1) * least
        }
        #expect(worst <= 0.51)
    }

    @Test(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
    func `LUTs may have values beyond 0 to 1, other domains, and curves`() throws {
        let beyond = Self.cube(5) { $0 * 4 - 1.5 }
        #expect(
            try Self.worst(beyond) { ($0 * 4 - 1.5).clamped(lowerBound: .zero, upperBound: .one) }
                <= 0.53)
        let wide = Self.cube(3, "DOMAIN_MIN -1 -1 -1\nDOMAIN_MAX 1 1 1\n") { $0 * 2 - 1 }
        #expect(try Self.worst(wide) { $0 } <= 0.53)
        let curves = "LUT_1D_SIZE 3\n0 1 0\n0.25 0.5 0.5\n1 0 1\n"
        let worst = try Self.worst(curves) { color in
            let red = color.x < 0.5 ? color.x * 0.5 : 0.25 + (color.x - 0.5) * 1.5
            return SIMD3(red, 1 - color.y, color.z)
        }
        #expect(worst <= 0.51)
    }

    @Test(arguments: [
        ("LUT_3D_SIZE 2\n0 0 0\n", 2), ("LUT_3D_SIZE 2\n0 0\n", 2),
        ("LUT_3D_SIZE 1\n", 1), ("LUT_3D_SIZE 200\n", 1),
        ("LUT_3D_SIZE 2\n\nnan 0 0\n", 3), ("LUT_3D_SIZE 2\n0 3e38 0\n", 2),
        ("LUT_3D_INPUT_RANGE 0 inf\n", 1), ("LUT_3D_SIZE 2\nLUT_3D_SIZE 2\n", 2),
        ("LUT_3D_SIZE 2\n0 0 0\nLUT_1D_SIZE 2\n", 3), ("LUT_1D_SIZE 2\nLUT_2D_SIZE 2\n", 2),
        ("LUT_1D_SIZE 2\n0 0 0\n1 1 1\nDOMAIN_MAX 0 1 1\n", 4),
        ("LUT_1D_SIZE 2\n0 0 0 0\n", 2), ("LUT_1D_SIZE 2\n0,0 0,0 0,0\n", 2),
    ])
    func `a malformed LUT is reported with its line`(text: String, line: Int) {
        #expect {
            try Self.effect(text)
        } throws: { error in
            switch error {
            case EffectError.malformedHeader(_, line, _, _), EffectError.beyondLimit(_, line, _):
                true
            default: false
            }
        }
    }

    @Test(arguments: [
        ("TITLE \"A look\"\n", "A look"), ("TITLE A look\n", "A look"),
        ("TITLE \"A look\n", "A look"), ("TITLE\tA look \r\n", "A look"),
        ("title \"A # look\" # which\n", "A # look"), ("TITLE \"\"\n", ""), ("", ""),
        ("  # a comment\n\tTITLE  'A look'\n\n", "'A look'"),
    ])
    func `titles, comments and keywords are read as other programs write them`(
        head: String, title: String
    ) throws {
        for tail in ["", "\n# the end\n", "\n\n"] {
            let text = """
                lut_3d_size\t2   # levels
                0 0 0 # black
                 1 0 0
                \t0\t1\t0
                1. 1 .0
                +0 0e0 1
                # in between
                1 0 1
                0 1 1
                DOMAIN_MAX 1 1 1
                1 1 1\(tail)
                """
            let effect = try Self.effect("\u{FEFF}" + head + text)
            #expect(effect.format == .cube)
            #expect(effect.summary == (title.isEmpty ? "A look from a table of colours" : title))
        }
    }

    @Test(arguments: [true, false])
    func `UTF-16 files of Windows are read`(isLittle: Bool) throws {
        let units = "\u{FEFF}TITLE \"Größe\"\r\nLUT_1D_SIZE 2\r\n0 0 0\r\n1 1 1\r\n".utf16
        let bytes = units.flatMap { unit -> [UInt8] in
            let (low, high) = (UInt8(unit & 0xFF), UInt8(unit >> 8))
            return isLittle ? [low, high] : [high, low]
        }
        let folder = TemporaryFolder()
        let file = folder.appending("look.cube")
        try Data(bytes).write(to: file)
        #expect(try EffectLibrary.effect(path: file.path).summary == "Größe")
    }

    @Test func `a LUT without a size is reported as a LUT`() throws {
        let folder = TemporaryFolder()
        let path = try folder.write("0 0 0\n1 1 1\n", to: "look.cube")
        #expect {
            try EffectLibrary.effect(path: path)
        } throws: { error in
            "\(error)".contains(":2: error: it has neither LUT_1D_SIZE nor LUT_3D_SIZE")
        }
    }

    @Test func `a LUT may be longer than a shader`() throws {
        let comment = "# " + String(repeating: "x", count: 9 << 20) + "\n"
        #expect(try Self.effect(comment + Self.cube(2) { $0 }).format == .cube)
    }

    @Test(
        .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"),
        arguments: [
            "LUT_1D_SIZE 3\nLUT_1D_INPUT_RANGE 0 2\nLUT_3D_SIZE 2\nLUT_3D_INPUT_RANGE 0 0.5\n",
            "LUT_3D_SIZE 2\nLUT_3D_INPUT_RANGE 0 0.5\nLUT_1D_SIZE 3\nLUT_1D_INPUT_RANGE 0 2\n",
        ])
    func `curves before a cube are applied first, as in DaVinci Resolve`(head: String) throws {
        // The curves map 1 to 0.5, where the cube ends; it returns the complement.
        let curves = "0 0 0\n0.5 0.5 0.5\n1 1 1\n"
        let cube = (0..<8).map { "\(1 - $0 % 2) \(1 - $0 / 2 % 2) \(1 - $0 / 4)\n" }.joined()
        #expect(try Self.worst(head + curves + cube) { SIMD3(1, 1, 1) - $0 } <= 0.53)
    }

    @Test(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
    func `a LUT may take and return limited-range colours`() throws {
        let black = SIMD3<Double>(repeating: 64.0 / 1023)
        let scale = 876.0 / 1023
        let taking = Self.cube(9, "LUT_IN_VIDEO_RANGE\n") { $0 }
        #expect(try Self.worst(taking) { $0 * scale + black } <= 0.53)
        let giving = Self.cube(9, "LUT_OUT_VIDEO_RANGE\n") { $0 }
        #expect(
            try Self.worst(giving) {
                (($0 - black) / scale).clamped(lowerBound: .zero, upperBound: .one)
            } <= 0.53)
        let both = Self.cube(9, "LUT_IN_VIDEO_RANGE\nLUT_OUT_VIDEO_RANGE\n") { $0 }
        #expect(try Self.worst(both) { $0 } <= 0.53)
    }

    @Test(arguments: ["DOMAIN_MAX 2 2 2\n", "LUT_IN_VIDEO_RANGE\n", "LUT_3D_INPUT_RANGE 0 0.5\n"])
    func `a LUT as an image has a domain from 0 to 1 and full range`(head: String) throws {
        let folder = TemporaryFolder()
        let plain = try folder.write(Self.cube(2) { $0 }, to: "plain.cube")
        #expect(try EffectLibrary.picture(ofCube: plain).width == 4)
        let path = try folder.write(Self.cube(2, head) { $0 }, to: "look.cube")
        #expect {
            try EffectLibrary.picture(ofCube: path)
        } throws: { error in
            "\(error)".contains("use this one as an effect")
        }
    }
}
