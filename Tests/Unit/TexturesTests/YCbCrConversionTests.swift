// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GraphicsTestSupport
import PlayheadBuffers
import PlayheadConversion
import PlayheadGL
import PlayheadTextures
import Testing

/// Golden colour tables: exact values, computed independently of this code.
private let table = GraphicsTest.golden("yuv2rgb_golden.csv")

@Suite("Y'CbCr conversion", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct YCbCrConversionTests {
    struct Row {
        let codes: SIMD3<Int>
        let exact: SIMD3<Double>
        let eight: SIMD3<Int>
    }

    /// Returns the rows for one matrix, range and depth, keyed `bt709,limited,10`.
    private static func groups() throws -> [String: [Row]] {
        guard let table else { return [:] }
        var groups: [String: [Row]] = [:]
        let text = try String(contentsOfFile: table, encoding: .utf8)
        for line in text.split(whereSeparator: \.isNewline).dropFirst() {
            let cells = line.split(separator: ",")
            func int(_ index: Int) -> Int { Int(cells[index]) ?? -1 }
            func double(_ index: Int) -> Double { Double(cells[index]) ?? .nan }
            groups[cells[0...2].joined(separator: ","), default: []].append(
                Row(
                    codes: [int(3), int(4), int(5)], exact: [double(6), double(7), double(8)],
                    eight: [int(9), int(10), int(11)]))
        }
        return groups
    }

    private static func color(_ key: String) -> (ColorAttachments, depth: Int) {
        let parts = key.split(separator: ",")
        let matrix: ColorAttachments.Matrix =
            switch parts[0] {
            case "bt601": .bt601
            case "bt709": .bt709
            default: .bt2020NonConstantLuminance
            }
        return (
            ColorAttachments(matrix: matrix, range: parts[1] == "full" ? .full : .limited),
            Int(parts[2]) ?? 8
        )
    }

    private static func planar444(depth: Int) -> PixelFormat {
        PixelFormat(
            name: "yuv444p\(depth)", model: .yCbCr,
            components: (0..<3).map {
                PixelFormat.Component(
                    plane: $0, step: depth > 8 ? 2 : 1, offset: 0, depth: depth)
            })
    }

    /// A target of a depth, its tolerance, and its number of levels; none for floats.
    struct Target: CustomStringConvertible {
        let description: String
        let format: GLTextureFormat
        let tolerance: Double
        let levels: Double?

        static let all = [
            Target(description: "8 bits", format: .rgba8, tolerance: 1.0 / 255, levels: 255),
            Target(
                description: "10 bits", format: .rgb10A2, tolerance: 1.0 / 1023, levels: 1023),
            Target(
                description: "half floats", format: .rgba16Float, tolerance: 1.0 / 1023,
                levels: nil),
            Target(
                description: "floats", format: .rgba32Float, tolerance: 1.0 / 1023, levels: nil),
        ]
    }

    @Test(
        .enabled(if: table != nil),
        arguments: Target.all, [false, true])
    func `drawing agrees with all 23,958 golden rows to one level`(
        target: Target, asOnSoftware: Bool
    ) throws {
        let groups = try Self.groups()
        #expect(groups.count == 18)
        try GraphicsTest.withContext { context in
            let cache = TextureCache(context: context, joinsChroma: asOnSoftware)
            let painter = PicturePainter(context: context, fixesConversions: asOnSoftware)
            for (key, rows) in groups.sorted(by: { $0.key < $1.key }) {
                let (color, depth) = Self.color(key)
                let width = 121
                let height = (rows.count + width - 1) / width
                let buffer = PixelBuffer(
                    format: Self.planar444(depth: depth), width: width, height: height,
                    attachments: PixelBufferAttachments(color: color)
                ) { plane, bytes, bytesPerRow in
                    for (index, row) in rows.enumerated() {
                        let start = index / width * bytesPerRow
                        let code = row.codes[plane]
                        if depth > 8 {
                            bytes.storeBytes(
                                of: UInt16(code), toByteOffset: start + index % width * 2,
                                as: UInt16.self)
                        } else {
                            bytes[start + index % width] = UInt8(code)
                        }
                    }
                }
                let framebuffer = try GLFramebuffer(
                    format: target.format, width: width, height: height, context: context)
                GLState.setTarget(framebuffer: framebuffer.name, width: width, height: height)
                try painter.draw(
                    try cache.textures(for: buffer), geometry: .uprightWhole, sampling: .exact,
                    output: PictureOutput(
                        // The table has matrices, and ignores primaries.
                        colorSpace: ColorSpace(
                            primaries: buffer.color.primaries, transfer: .bt709)))
                let values = framebuffer.values()
                var worst = 0.0
                for (index, row) in rows.enumerated() {
                    for channel in 0..<3 {
                        var expected = min(max(row.exact[channel], 0), 1)
                        if let levels = target.levels {
                            expected = (expected * levels).rounded() / levels
                        }
                        let distance = abs(Double(values[index][channel]) - expected)
                        // max() ignores NaN, so it is checked first.
                        worst = distance.isNaN ? .infinity : max(worst, distance)
                    }
                }
                #expect(worst <= target.tolerance * 1.001, "\(key): off by \(worst)")
            }
        }
    }

    @Test(.enabled(if: table != nil))
    func `computing agrees with the golden rows to 1e-6`() throws {
        for (key, rows) in try Self.groups() {
            let (color, depth) = Self.color(key)
            let conversion = YCbCrConversion(
                format: Self.planar444(depth: depth), color: color)
            let maximum: Double = depth > 8 ? 65535 : 255
            var worst = 0.0
            for row in rows {
                let result = conversion(SIMD3<Double>(row.codes) / maximum)
                let difference = result - row.exact
                let distance = (difference * difference).sum().squareRoot()
                worst = distance.isNaN ? .infinity : max(worst, distance)
            }
            #expect(worst < 1e-6, "\(key): off by \(worst)")
        }
    }

    @Test(
        .enabled(if: GraphicsTest.golden("chroma_cb_420.csv") != nil),
        arguments: [
            ("left", ColorAttachments.ChromaLocation.left), ("center", .center),
            ("topleft", .topLeft),
        ])
    func `chroma is sampled at its siting`(name: String, location: ColorAttachments.ChromaLocation)
        throws
    {
        func rows(_ file: String) throws -> [[Double]] {
            guard let path = GraphicsTest.golden(file) else { return [] }
            return try String(contentsOfFile: path, encoding: .utf8)
                .split(whereSeparator: \.isNewline)
                .map { $0.split(separator: ",").map { Double($0) ?? .nan } }
        }
        let chroma = try rows("chroma_cb_420.csv")
        let expected = try rows("chroma_cb_444_\(name).csv")
        // YCgCo in full range isolates a chroma component: with Y' = Co = 1/2, G' = 1/2 + Cg.
        let buffer = PixelBuffer(
            format: .yuv420p, width: 32, height: 32,
            attachments: PixelBufferAttachments(
                color: ColorAttachments(
                    matrix: .yCgCo, range: .full, chromaLocation: location))
        ) { plane, bytes, bytesPerRow in
            for y in 0..<(plane == 0 ? 32 : 16) {
                for x in 0..<(plane == 0 ? 32 : 16) {
                    bytes[y * bytesPerRow + x] = plane == 1 ? UInt8(chroma[y][x]) : 128
                }
            }
        }
        let image = try GraphicsTest.withContext { context in
            let cache = TextureCache(context: context)
            let painter = PicturePainter(context: context)
            return try GraphicsTest.image(width: 32, height: 32, context: context) { _ in
                try painter.draw(
                    try cache.textures(for: buffer), geometry: .uprightWhole, sampling: .exact)
            }
        }
        var worst = 0.0
        for y in 0..<32 {
            for x in 0..<32 {
                worst = max(worst, abs(Double(image[x, y].y) - expected[y][x]))
            }
        }
        #expect(worst <= 1.01, "off by \(worst)")
    }
}
