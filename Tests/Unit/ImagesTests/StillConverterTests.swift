// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadBuffers
import PlayheadConversion
import PlayheadImages
import Testing

@Suite struct StillConverterTests {
    /// Returns an image of `rgba` whose red is the column and green the row.
    private func coordinates(
        width: Int, height: Int, orientation: PictureOrientation = .up,
        pixelAspect: PixelBufferAttachments.PixelAspectRatio = .square
    ) -> PixelBuffer {
        PixelBuffer(
            format: .rgba, width: width, height: height,
            attachments: PixelBufferAttachments(
                pixelAspectRatio: pixelAspect, orientation: orientation)
        ) { _, bytes, bytesPerRow in
            for y in 0..<height {
                for x in 0..<width {
                    let pixel = y * bytesPerRow + x * 4
                    (bytes[pixel], bytes[pixel + 1]) = (UInt8(x), UInt8(y))
                    (bytes[pixel + 2], bytes[pixel + 3]) = (7, UInt8(255 - x))
                }
            }
        }
    }

    @Test(arguments: 0..<4, [false, true])
    func `every orientation moves every pixel to its place`(turns: Int, isMirrored: Bool) {
        let orientation = PictureOrientation(quarterTurns: turns, isMirrored: isMirrored)
        let buffer = coordinates(width: 5, height: 3, orientation: orientation)
        let size = StillConverter.size(of: buffer)
        let image = StillConverter.image(of: buffer, width: size.width, height: size.height)
        #expect(size == (turns % 2 == 0 ? (5, 3) : (3, 5)))
        for y in 0..<3 {
            for x in 0..<5 {
                var (column, row) = (isMirrored ? 4 - x : x, y)
                // A quarter turn clockwise moves the left column to the top, bottom first.
                var height = 3
                for _ in 0..<turns {
                    (column, row, height) = (height - 1 - row, column, height == 3 ? 5 : 3)
                }
                #expect(image[column, row] == [UInt8(x), UInt8(y), 7, UInt8(255 - x)])
            }
        }
    }

    @Test func `a wide pixel aspect ratio widens the image`() {
        let buffer = coordinates(
            width: 6, height: 4, pixelAspect: .init(horizontal: 4, vertical: 3))
        #expect(StillConverter.size(of: buffer) == (8, 4))
        #expect(StillConverter.size(of: buffer, within: (4, 0)) == (4, 2))
    }

    @Test func `shrinking takes the mean of the samples under a pixel`() {
        let buffer = coordinates(width: 6, height: 4)
        let image = StillConverter.image(of: buffer, width: 2, height: 2)
        #expect(image[0, 0] == [1, 1, 7, 254])
        #expect(image[1, 1] == [4, 3, 7, 251])
        // 6 columns into 4: the first covers 0 and half of 1.
        let thirds = StillConverter.image(of: buffer, width: 4, height: 4)
        #expect((0..<4).map { thirds[$0, 0].x } == [0, 2, 3, 5])
    }

    /// Returns Y'CbCr of a colour by the definitions, in 8 bits of limited range, for a matrix.
    private func codes(_ rgb: SIMD3<Double>, red: Double, blue: Double) -> SIMD3<Double> {
        let luma = red * rgb.x + (1 - red - blue) * rgb.y + blue * rgb.z
        return [
            16 + 219 * luma, 128 + 224 * (rgb.z - luma) / (2 * (1 - blue)),
            128 + 224 * (rgb.x - luma) / (2 * (1 - red)),
        ]
    }

    @Test(arguments: [PixelFormat.yuv420p, .yuv422p, .yuv444p, .nv12, .yuva420p, .yuv420p10])
    func `colours survive conversion in every layout`(format: PixelFormat) {
        for rgb in [[1, 0, 0], [0, 1, 0], [0.2, 0.4, 0.8], [1, 1, 1], [0, 0, 0]] as [SIMD3<Double>]
        {
            let values = codes(rgb, red: 0.2126, blue: 0.0722)
            let buffer = PixelBuffer(
                format: format, width: 9, height: 7,
                attachments: PixelBufferAttachments(
                    color: ColorAttachments(matrix: .bt709, range: .limited))
            ) { plane, bytes, _ in
                let components = format.components.enumerated().filter { $0.element.plane == plane }
                for (index, component) in components {
                    let code = index == 3 ? 128 : values[min(index, 2)]
                    for offset in stride(
                        from: component.offset, to: bytes.count, by: component.step)
                    {
                        if component.depth > 8 {
                            bytes.storeBytes(
                                of: UInt16((code * 4).rounded()), toByteOffset: offset,
                                as: UInt16.self)
                        } else {
                            bytes[offset] = UInt8(code.rounded())
                        }
                    }
                }
            }
            let image = StillConverter.image(of: buffer, width: 4, height: 3)
            for channel in 0..<3 {
                #expect(abs(Double(image[2, 1][channel]) - rgb[channel] * 255) <= 2)
            }
            #expect(image[2, 1].w == (format.hasAlpha ? 128 : 255))
        }
    }

    @Test func `a picked colour is clamped to the frame's edge`() throws {
        let buffer = coordinates(width: 5, height: 3)
        func red(_ x: Double, _ y: Double, radius: Int = 0) -> Float? {
            buffer.averageColor(atX: x, y: y, radius: radius).map { ($0.x * 255).rounded() }
        }
        #expect(red(0, 0) == 0 && red(1, 1) == 4 && red(0.5, 0.5) == 2)
        #expect(red(.nan, 0) == 0 && red(.infinity, 2) == 4 && red(-9, .nan) == 0)
        #expect(red(0.5, 0.5, radius: -3) == 2 && red(0.5, 0.5, radius: .max) == 2)
    }

    @Test func `16-bit floats convert like 32-bit floats`() {
        let format = PixelFormat(
            name: "half", model: .rgb,
            components: (0..<3).map { .init(plane: $0, step: 2, offset: 0, depth: 16) },
            isFloat: true)
        let buffer = PixelBuffer(format: format, width: 2, height: 1) { plane, bytes, _ in
            for index in 0..<2 {
                bytes.storeBytes(
                    of: Float16(plane == 1 ? 1 : 0.5), toByteOffset: index * 2, as: Float16.self)
            }
        }
        let image = StillConverter.image(of: buffer, width: 2, height: 1)
        #expect(image[0, 0] == [128, 255, 128, 255] && image[1, 0] == image[0, 0])
    }

    /// Returns an image of float samples, one for each pixel.
    private func floats(
        _ model: PixelFormat.Model, _ color: ColorAttachments, _ samples: [SIMD3<Double>]
    ) -> PixelBuffer {
        let format = PixelFormat(
            name: "floats", model: model,
            components: (0..<3).map { .init(plane: $0, step: 4, offset: 0, depth: 32) },
            isFloat: true)
        return PixelBuffer(
            format: format, width: samples.count, height: 1,
            attachments: PixelBufferAttachments(color: color)
        ) { plane, bytes, _ in
            for (index, sample) in samples.enumerated() {
                bytes.storeBytes(of: Float(sample[plane]), toByteOffset: index * 4, as: Float.self)
            }
        }
    }

    private static let colors: [SIMD3<Double>] = [
        [0, 0, 0], [0.5, 0.5, 0.5], [0.6, 0.1, 0.1], [0.1, 0.6, 0.1], [0.1, 0.1, 0.6],
        [0.5, 0.3, 0.2], [0.1, 0.5, 0.6], [0.02, 0.04, 0.03],
    ]

    /// Checks that an image of `samples` gives the same result as one of R'G'B'.
    private func expect(
        _ samples: [SIMD3<Double>], _ matrix: ColorAttachments.Matrix,
        _ transfer: ColorAttachments.Transfer
    ) {
        func image(
            _ model: PixelFormat.Model, _ matrix: ColorAttachments.Matrix,
            _ samples: [SIMD3<Double>]
        ) -> RGBAImage {
            StillConverter.image(
                of: floats(
                    model,
                    ColorAttachments(
                        matrix: matrix, range: .full, primaries: .bt2020, transfer: transfer),
                    samples), width: samples.count, height: 1)
        }
        let (converted, plain) = (image(.yCbCr, matrix, samples), image(.rgb, .rgb, Self.colors))
        for (one, other) in zip(converted.bytes, plain.bytes) {
            #expect(abs(Int(one) - Int(other)) <= 1, "\(converted.bytes), not \(plain.bytes)")
        }
    }

    @Test func `BT.2020 with constant luminance converts to its original colours`() {
        expect(
            Self.colors.map(StandardColors.constantLuminance), .bt2020ConstantLuminance,
            .bt2020TenBit)
    }

    @Test func `ICtCp converts to its original colours`() {
        expect(Self.colors.map(StandardColors.iCtCpByPQ), .iCtCp, .pq)
    }

    @Test(arguments: [ColorAttachments.Matrix.bt2020ConstantLuminance, .iCtCp])
    func `the colour picker agrees with the converter`(matrix: ColorAttachments.Matrix) throws {
        let buffer = PixelBuffer(
            format: .yuv444p, width: 4, height: 4,
            attachments: PixelBufferAttachments(
                color: ColorAttachments(
                    matrix: matrix, range: .full, primaries: .bt2020,
                    transfer: matrix == .iCtCp ? .pq : .bt2020TenBit))
        ) { plane, bytes, _ in
            bytes.initializeMemory(as: UInt8.self, repeating: plane == 0 ? 102 : 128)
        }
        let color = try #require(buffer.averageColor(atX: 0.5, y: 0.5))
        for channel in 0..<3 { #expect(abs(color[channel] - 0.4) < 0.03, "\(color)") }
    }

    private static let greyTable = Corpus.folder?.deletingLastPathComponent()
        .appending(path: "golden-colour/hdr_grey_golden.csv")

    /// The last columns of the table are signals of BT.1886 on displays of 203 and of 100.
    @Test(
        .enabled(
            if: greyTable.map { FileManager.default.fileExists(atPath: $0.path) } ?? false,
            "needs golden-colour beside the media"),
        arguments: [(ColorAttachments.Transfer.pq, 203), (.pq, 100), (.hlg, 203), (.hlg, 100)])
    func `greys of PQ and HLG are tone mapped as in the golden table`(
        transfer: ColorAttachments.Transfer, display: Int
    ) throws {
        let table = try String(contentsOf: try #require(Self.greyTable), encoding: .utf8)
        let rows = table.split(whereSeparator: \.isNewline).dropFirst().map {
            $0.split(separator: ",")
        }.filter { ($0[0] == "pq") == (transfer == .pq) }
        #expect(rows.count > 70)
        let format = PixelFormat(
            name: "yuv444p10le", model: .yCbCr,
            components: (0..<3).map { .init(plane: $0, step: 2, offset: 0, depth: 10) })
        let buffer = PixelBuffer(
            format: format, width: rows.count, height: 1,
            attachments: PixelBufferAttachments(
                color: ColorAttachments(
                    matrix: .bt2020NonConstantLuminance, range: .limited, primaries: .bt2020,
                    transfer: transfer),
                masteringDisplayColorVolume: MasteringDisplayColorVolume(maximumLuminance: 1000))
        ) { plane, bytes, _ in
            for (index, row) in rows.enumerated() {
                let code = plane == 0 ? UInt16(row[1]) ?? 0 : 512
                bytes.storeBytes(of: code, toByteOffset: index * 2, as: UInt16.self)
            }
        }
        let image = StillConverter.image(
            of: buffer, width: rows.count, height: 1,
            colorSpace: ColorSpace(
                primaries: .bt709, transfer: .bt709, peakLuminance: Double(display)))
        for (index, row) in rows.enumerated() {
            let expected = (Double(row[display == 203 ? 7 : 8]) ?? .nan) * 255
            for channel in 0..<3 {
                let code = Double(image.bytes[index * 4 + channel])
                // Half a code for rounding, half for the precision of the table's own 10 bits.
                #expect(abs(code - expected) <= 1, "\(row[1]): \(code), not \(expected)")
            }
        }
    }
}
