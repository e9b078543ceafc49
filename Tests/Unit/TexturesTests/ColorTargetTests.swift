// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GraphicsTestSupport
import MediaTestSupport
import PlayheadBuffers
import PlayheadConversion
import PlayheadGL
import PlayheadTextures
import Testing

private let greyTable = GraphicsTest.golden("hdr_grey_golden.csv")

@Suite("Colour targets", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct ColorTargetTests {
    /// Draws a frame on a target of floats.
    private static func values(
        of buffer: PixelBuffer, in space: ColorSpace, bitDepth: Int? = nil,
        format: GLTextureFormat = .rgba32Float
    ) throws -> [SIMD4<Float>] {
        try GraphicsTest.withContext { context in
            let target = try GLFramebuffer(
                format: format, width: buffer.width, height: buffer.height, context: context)
            GLState.setTarget(
                framebuffer: target.name, width: buffer.width, height: buffer.height)
            try PicturePainter(context: context).draw(
                try TextureCache(context: context).textures(for: buffer), geometry: .uprightWhole,
                sampling: .exact,
                output: PictureOutput(colorSpace: space, bitDepth: bitDepth))
            return target.values()
        }
    }

    private static func planar(_ name: String, depth: Int, isFloat: Bool = false) -> PixelFormat {
        PixelFormat(
            name: name, model: .yCbCr,
            components: (0..<3).map {
                PixelFormat.Component(
                    plane: $0, step: isFloat ? 4 : 2, offset: 0, depth: depth)
            }, isFloat: isFloat)
    }

    struct GreyRow {
        let transfer: ColorAttachments.Transfer
        let code: UInt16
        /// Values in the table's order, from `nits` on.
        let values: [Double]
    }

    private static func greyRows() throws -> [GreyRow] {
        guard let greyTable else { return [] }
        return try String(contentsOfFile: greyTable, encoding: .utf8)
            .split(whereSeparator: \.isNewline).dropFirst().map { line in
                let cells = line.split(separator: ",")
                return GreyRow(
                    transfer: cells[0] == "pq" ? .pq : .hlg, code: UInt16(cells[1]) ?? 0,
                    values: cells[3...].map { Double($0) ?? .nan })
            }
    }

    /// A column of the table, with its video and display.
    struct GreyColumn: CustomStringConvertible {
        let description: String
        let index: Int
        let sourcePeak: Int
        let space: ColorSpace
        /// The value of 1 in the target, in the column's unit.
        let scale: Double

        private static func light(_ peak: Double?) -> ColorSpace {
            ColorSpace(primaries: .bt709, transfer: .linear, peakLuminance: peak)
        }

        private static func display(_ peak: Double) -> ColorSpace {
            ColorSpace(primaries: .bt709, transfer: .bt709, peakLuminance: peak)
        }

        static let all = [
            GreyColumn(
                description: "light itself", index: 0, sourcePeak: 1000, space: light(nil),
                scale: 203),
            GreyColumn(
                description: "1000 to 203", index: 1, sourcePeak: 1000, space: light(203),
                scale: 203),
            GreyColumn(
                description: "4000 to 203", index: 2, sourcePeak: 4000, space: light(203),
                scale: 203),
            GreyColumn(
                description: "1000 to 100", index: 3, sourcePeak: 1000, space: light(100),
                scale: 100),
            GreyColumn(
                description: "1000 to 203, BT.1886", index: 4, sourcePeak: 1000,
                space: display(203), scale: 1),
            GreyColumn(
                description: "1000 to 100, BT.1886", index: 5, sourcePeak: 1000,
                space: display(100), scale: 1),
        ]
    }

    @Test(.enabled(if: greyTable != nil), arguments: GreyColumn.all)
    func `greys of PQ and HLG have the light of the golden table within 1 %`(column: GreyColumn)
        throws
    {
        for transfer in [ColorAttachments.Transfer.pq, .hlg] {
            // HLG is always shown as on a display of 1000.
            if transfer == .hlg, column.sourcePeak != 1000 { continue }
            let rows = try Self.greyRows().filter { $0.transfer == transfer }
            #expect(rows.count > 70)
            let buffer = PixelBuffer(
                format: Self.planar("yuv444p10le", depth: 10), width: rows.count, height: 1,
                attachments: PixelBufferAttachments(
                    color: ColorAttachments(
                        matrix: .bt2020NonConstantLuminance, range: .limited, primaries: .bt2020,
                        transfer: transfer),
                    masteringDisplayColorVolume: MasteringDisplayColorVolume(
                        maximumLuminance: Double(column.sourcePeak)))
            ) { plane, bytes, _ in
                for (index, row) in rows.enumerated() {
                    bytes.storeBytes(
                        of: plane == 0 ? row.code : 512, toByteOffset: index * 2, as: UInt16.self)
                }
            }
            let values = try Self.values(of: buffer, in: column.space)
            for (row, value) in zip(rows, values) {
                let expected = row.values[column.index]
                let tolerance = max(0.01 * expected, 0.0005 * column.scale)
                for channel in 0..<3 {
                    let result = Double(value[channel]) * column.scale
                    #expect(
                        abs(result - expected) <= tolerance,
                        "\(row.transfer) \(row.code): \(result) instead of \(expected)")
                }
            }
        }
    }

    @Test func `the shader agrees with ColorTransform for every curve and target`() throws {
        let transfers: [ColorAttachments.Transfer] = [
            .bt709, .sRGB, .gamma28, .linear, .pq, .hlg, .smpte428, .logarithmic100,
        ]
        let targets: [ColorSpace] = [.bt709, .displayP3, .bt2020, .linear, .pq, .hlg]
        let colors: [SIMD4<UInt8>] = (0..<64).map { index in
            let levels: [UInt8] = [0, 60, 150, 255]
            return [levels[index % 4], levels[index / 4 % 4], levels[index / 16], 255]
        }
        for transfer in transfers {
            for primaries in [ColorAttachments.Primaries.bt709, .bt2020] {
                let color = ColorAttachments(primaries: primaries, transfer: transfer)
                let buffer = TestPictures.rgba(
                    width: 64, height: 1, attachments: PixelBufferAttachments(color: color)
                ) { x, _ in colors[x] }
                for target in targets {
                    let transform = ColorTransform(from: buffer.color, to: target)
                    let values = try Self.values(of: buffer, in: target)
                    for (index, value) in values.enumerated() {
                        let source = SIMD3(
                            Double(colors[index].x), Double(colors[index].y),
                            Double(colors[index].z))
                        let expected = transform(source / 255)
                        for channel in 0..<3 {
                            var wanted = expected[channel]
                            if target != .linear { wanted = min(max(wanted, 0), 1) }
                            // Mesa's pow is accurate to about 1e-4, which PQ's large exponents
                            // amplify.
                            #expect(
                                abs(Double(value[channel]) - wanted) < 0.002 * max(1, wanted),
                                "\(color) to \(target): \(source) gives \(value)")
                        }
                    }
                }
            }
        }
    }

    /// Returns a frame of float signals, with the given luma and chroma.
    private static func signals(
        _ signals: [SIMD3<Double>], _ color: ColorAttachments
    ) -> PixelBuffer {
        PixelBuffer(
            format: planar("yuv444pf32", depth: 32, isFloat: true), width: signals.count,
            height: 1, attachments: PixelBufferAttachments(color: color)
        ) { plane, bytes, _ in
            for (index, signal) in signals.enumerated() {
                bytes.storeBytes(
                    of: Float(signal[plane]), toByteOffset: index * 4, as: Float.self)
            }
        }
    }

    private static let colors: [SIMD3<Double>] = [
        [0, 0, 0], [1, 1, 1], [0.5, 0.5, 0.5], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.8, 0.3, 0.1],
        [0.1, 0.6, 0.9], [0.02, 0.04, 0.03],
    ]

    @Test func `signals of PQ above its range are clamped, by the shader and by ColorTransform`()
        throws
    {
        // R'G'B' of 1.1 to 1.9, for which the unclamped curve is undefined.
        let signals = (1...9).map { SIMD3(1 + Double($0) / 10, 0, 0) }
        let color = ColorAttachments(
            matrix: .bt2020NonConstantLuminance, range: .full, primaries: .bt2020, transfer: .pq)
        for value in try Self.values(of: Self.signals(signals, color), in: .linear) {
            for channel in 0..<3 { #expect(abs(value[channel] * 203 - 10_000) < 100, "\(value)") }
        }
        for signal in signals {
            let light = TransferCurve.pq.light(SIMD3(repeating: signal.x))
            #expect(light == SIMD3(repeating: 1))
        }
    }

    @Test func `BT.2020 with constant luminance is drawn in its original colours`() throws {
        let signals = Self.colors.map(StandardColors.constantLuminance)
        let color = ColorAttachments(
            matrix: .bt2020ConstantLuminance, range: .full, primaries: .bt2020,
            transfer: .bt2020TenBit)
        let values = try Self.values(of: Self.signals(signals, color), in: .bt2020)
        for (value, expected) in zip(values, Self.colors) {
            for channel in 0..<3 {
                #expect(abs(Double(value[channel]) - expected[channel]) < 0.002, "\(expected)")
            }
        }
    }

    @Test(arguments: [ColorSpace.pq, .hlg])
    func `ICtCp is drawn in its original colours`(space: ColorSpace) throws {
        let signals = Self.colors.map(
            space == .pq ? StandardColors.iCtCpByPQ : StandardColors.iCtCpByHLG)
        let color = ColorAttachments(
            matrix: .iCtCp, range: .full, primaries: .bt2020, transfer: space.transfer)
        let values = try Self.values(of: Self.signals(signals, color), in: space)
        let curve = TransferCurve(space.transfer)
        for (value, expected) in zip(values, Self.colors) {
            // In linear light, where a millionth next to a bright channel spans many codes of PQ.
            let light = curve.light(
                [Double(value.x), Double(value.y), Double(value.z)])
            let wanted = curve.light(expected)
            for channel in 0..<3 {
                #expect(
                    abs(light[channel] - wanted[channel]) < 0.003 * max(wanted.max(), 1e-6),
                    "\(expected)")
            }
        }
    }

    @Test func `ten bits on eight are dithered: means are kept within one level`() throws {
        let buffer = PixelBuffer(
            format: Self.planar("yuv444p10le", depth: 10), width: 64, height: 8,
            attachments: PixelBufferAttachments(
                color: ColorAttachments(matrix: .bt709, range: .full))
        ) { plane, bytes, bytesPerRow in
            for y in 0..<8 {
                for x in 0..<64 {
                    // Eight blocks of greys a quarter of a level of 8 bits apart.
                    bytes.storeBytes(
                        of: plane == 0 ? UInt16(400 + x / 8) : 512,
                        toByteOffset: y * bytesPerRow + x * 2, as: UInt16.self)
                }
            }
        }
        let values = try Self.values(of: buffer, in: .bt709, bitDepth: 8, format: .rgba8)
        for block in 0..<8 {
            let exact = Double(400 + block) / 1023
            var sum = 0.0
            for y in 0..<8 {
                for x in block * 8..<block * 8 + 8 {
                    let value = Double(values[y * 64 + x].y)
                    #expect(abs(value - exact) < 1.0 / 255)
                    sum += value
                }
            }
            #expect(abs(sum / 64 - exact) < 0.1 / 255, "block \(block)")
        }
    }
}
