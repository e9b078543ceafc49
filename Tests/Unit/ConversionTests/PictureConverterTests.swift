// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphicsTestSupport
import PlayheadBuffers
import PlayheadConversion
import PlayheadGL
import PlayheadTextures
import Testing

/// Golden colour tables: exact values, computed independently of this code.
private let table = GraphicsTest.golden("yuv2rgb_golden.csv")

@Suite("Picture converter")
struct PictureConverterTests {
    static func convert(
        _ buffer: PixelBuffer, _ part: ConversionPart, transform: ColorTransform? = nil,
        order: PixelByteOrder = .rgba, isBottomUp: Bool = false,
        converter: PictureConverter = PictureConverter(helperCount: 1)
    ) -> RGBAImage {
        let (width, height) = (part.outputWidth, part.outputHeight)
        let bytesPerRow = PictureConverter.paddedWidth(width) * 4
        var memory = [UInt8](repeating: 0x55, count: bytesPerRow * height)
        memory.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            converter.convert(
                buffer, part: part, transform: transform, byteOrder: order,
                into: isBottomUp ? base + bytesPerRow * (height - 1) : base,
                bytesPerRow: isBottomUp ? -bytesPerRow : bytesPerRow)
        }
        var bytes: [UInt8] = []
        for row in 0..<height {
            bytes += memory[row * bytesPerRow..<row * bytesPerRow + width * 4]
        }
        return RGBAImage(width: width, height: height, bytes: bytes)
    }

    /// Returns the shader's result for the same part.
    static func draw(
        _ buffer: PixelBuffer, _ part: ConversionPart, to space: ColorSpace = .bt709,
        cache: TextureCache, painter: PicturePainter, context: HeadlessContext
    ) throws -> RGBAImage {
        let texture = GLMatrix3(
            origin: [part.x, part.y], right: [part.x + part.width, part.y],
            down: [part.x, part.y + part.height])
        return try GraphicsTest.image(
            width: part.outputWidth, height: part.outputHeight, context: context
        ) { _ in
            try painter.draw(
                try cache.textures(for: buffer),
                geometry: QuadGeometry(
                    position: QuadGeometry.uprightWhole.position, texture: texture),
                sampling: .scaled, output: PictureOutput(colorSpace: space))
        }
    }

    static func difference(
        _ left: RGBAImage, _ right: RGBAImage
    ) -> (maximum: Int, decibels: Double) {
        var maximum = 0
        var sum = 0.0
        for (left, right) in zip(left.bytes, right.bytes) {
            let difference = abs(Int(left) - Int(right))
            maximum = max(maximum, difference)
            sum += Double(difference * difference)
        }
        // Alpha is always equal and does not count.
        let mean = sum / Double(left.bytes.count / 4 * 3)
        return (maximum, mean == 0 ? 99 : 10 * log10(255 * 255 / mean))
    }

    @Test(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
    func `the CPU converts to the colours of the shader in every format and size`() throws {
        try GraphicsTest.withContext { context in
            let cache = TextureCache(context: context)
            let painter = PicturePainter(context: context)
            let converter = PictureConverter(helperCount: 1)
            for example in ConversionCase.all(count: 126) {
                let part = ConversionPart(
                    outputWidth: example.outputWidth, outputHeight: example.outputHeight)
                for isSmooth in [true, false] {
                    let buffer = example.picture(isSmooth: isSmooth)
                    #expect(PictureConverter.canConvert(buffer))
                    let drawn = try Self.draw(
                        buffer, part, cache: cache, painter: painter, context: context)
                    let converted = Self.convert(buffer, part, converter: converter)
                    let (maximum, decibels) = Self.difference(drawn, converted)
                    if isSmooth {
                        #expect(maximum <= 1, "smooth \(example): off by \(maximum)")
                    } else {
                        #expect(
                            decibels >= 45, "noise \(example): \(decibels) dB, \(maximum)")
                    }
                }
                cache.endFrame()
            }
        }
    }

    @Test(arguments: [false, true])
    func `frames of more than 8 bits are dithered: means are kept, exact values stay exact`(
        usesKernels: Bool
    ) {
        let converter = PictureConverter(helperCount: 0, usesKernels: usesKernels)
        var widest = 0
        for code in UInt16(64)...940 {
            let picture = PixelBuffer(
                format: .yuv420p10, width: 32, height: 16,
                attachments: PixelBufferAttachments(
                    color: ColorAttachments(matrix: .bt709, range: .limited))
            ) { plane, bytes, _ in
                bytes.withMemoryRebound(to: UInt16.self) {
                    $0.update(repeating: plane == 0 ? code : 512)
                }
            }
            let image = Self.convert(
                picture, ConversionPart(outputWidth: 32, outputHeight: 16), converter: converter)
            let exact = Double(code - 64) / 876 * 255
            // A tile of the dither matrix other than the first.
            let values = (0..<64).map { Double(image[8 + $0 % 8, 8 + $0 / 8].y) }
            let mean = values.reduce(0, +) / 64
            #expect(abs(mean - exact) < 0.2, "\(code): \(mean), not \(exact)")
            let isExact = abs(exact - exact.rounded()) < 0.01
            #expect(!isExact || Set(values) == [exact.rounded()], "\(code): \(Set(values))")
            widest = max(widest, Set(values).count)
        }
        #expect(widest == 2)
    }

    @Test(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
    func `parts of frames, also mirrored ones, are converted as the shader draws them`() throws {
        let example = ConversionCase(
            format: .yuv420p, color: ColorAttachments(matrix: .bt709, range: .limited), width: 61,
            height: 47, outputWidth: 0, outputHeight: 0, seed: 3)
        let buffer = example.picture(isSmooth: true)
        try GraphicsTest.withContext { context in
            let cache = TextureCache(context: context)
            let painter = PicturePainter(context: context)
            for (x, y, width, height) in [
                (0.25, 0.1, 0.5, 0.6), (1, 0, -1, 1), (0.9, 0.8, -0.7, -0.75), (0, 0, 0.1, 0.1),
            ] {
                let part = ConversionPart(
                    x: x, y: y, width: width, height: height, outputWidth: 53, outputHeight: 40)
                let drawn = try Self.draw(
                    buffer, part, cache: cache, painter: painter, context: context)
                let (maximum, _) = Self.difference(drawn, Self.convert(buffer, part))
                #expect(maximum <= 1, "\(part): off by \(maximum)")
            }
        }
    }

    @Test func `the loops in C convert to the same bits as the portable ones`() {
        let wide = PictureConverter(helperCount: 0)
        let plain = PictureConverter(helperCount: 0, usesKernels: false)
        for example in ConversionCase.all(count: 126) {
            let buffer = example.picture(isSmooth: false)
            for isMirrored in [false, true] {
                let part = ConversionPart(
                    x: isMirrored ? 0.9 : 0, width: isMirrored ? -0.8 : 1,
                    outputWidth: example.outputWidth, outputHeight: example.outputHeight)
                #expect(
                    Self.convert(buffer, part, converter: wide)
                        == Self.convert(buffer, part, converter: plain), "\(example)")
            }
        }
    }

    @Test func `rows can be written upwards, and pixels with blue first`() {
        let example = ConversionCase(
            format: .yuv420p, color: ColorAttachments(matrix: .bt601, range: .full), width: 64,
            height: 200, outputWidth: 37, outputHeight: 150, seed: 4)
        let buffer = example.picture(isSmooth: false)
        let part = ConversionPart(outputWidth: 37, outputHeight: 150)
        let plain = Self.convert(buffer, part, converter: PictureConverter(helperCount: 0))
        #expect(Self.convert(buffer, part, isBottomUp: true).flippedVertically() == plain)
        let swapped = Self.convert(
            buffer, part, order: .bgra, converter: PictureConverter(helperCount: 3))
        for y in 0..<150 {
            for x in 0..<37 {
                let (left, right) = (plain[x, y], swapped[x, y])
                #expect([left.x, left.y, left.z, left.w] == [right.z, right.y, right.x, right.w])
            }
        }
    }

    @Test func `formats and matrices that need more than a matrix are not converted by the CPU`() {
        func picture(_ format: PixelFormat, _ width: Int = 8) -> PixelBuffer {
            PixelBuffer(format: format, width: width, height: 8) { _, _, _ in }
        }
        for format in [PixelFormat.rgba, .bgra, .gray8, .yuva420p] {
            #expect(!PictureConverter.canConvert(picture(format)))
        }
        #expect(!PictureConverter.canConvert(picture(.yuv420p, 2)))
        let matrices: [ColorAttachments.Matrix] = [
            .yCgCo, .bt2020ConstantLuminance, .iCtCp,
        ]
        for matrix in matrices {
            let other = PixelBuffer(
                format: .yuv444p, width: 8, height: 8,
                attachments: PixelBufferAttachments(color: ColorAttachments(matrix: matrix))
            ) { _, _, _ in }
            #expect(!PictureConverter.canConvert(other), "\(matrix)")
        }
    }

    @Test(.enabled(if: table != nil, "needs golden-colour/yuv2rgb_golden.csv"))
    func `colours are those of the golden tables, to one code value`() throws {
        guard let table else { return }
        var groups: [String: [[Int]]] = [:]
        let text = try String(contentsOfFile: table, encoding: .utf8)
        for line in text.split(whereSeparator: \.isNewline).dropFirst() {
            let cells = line.split(separator: ",")
            groups[cells[0...2].joined(separator: ","), default: []].append(
                [3, 4, 5, 9, 10, 11].map { Int(cells[$0]) ?? -1 })
        }
        #expect(groups.count == 18)
        for (key, rows) in groups {
            let parts = key.split(separator: ",")
            let depth = Int(parts[2]) ?? 8
            let matrix: ColorAttachments.Matrix =
                switch parts[0] {
                case "bt601": .bt601
                case "bt709": .bt709
                default: .bt2020NonConstantLuminance
                }
            let buffer = PixelBuffer(
                format: ConversionCase.planar("yuv444p\(depth)", depth, 0, 0), width: rows.count,
                height: 1,
                attachments: PixelBufferAttachments(
                    color: ColorAttachments(
                        matrix: matrix, range: parts[1] == "full" ? .full : .limited))
            ) { plane, bytes, _ in
                for (index, row) in rows.enumerated() {
                    if depth > 8 {
                        bytes.storeBytes(
                            of: UInt16(row[plane]), toByteOffset: index * 2, as: UInt16.self)
                    } else {
                        bytes[index] = UInt8(row[plane])
                    }
                }
            }
            let image = Self.convert(
                buffer, ConversionPart(outputWidth: rows.count, outputHeight: 1))
            var worst = 0
            for (index, row) in rows.enumerated() {
                let pixel = image[index, 0]
                for (value, exact) in zip([pixel.x, pixel.y, pixel.z], row[3...]) {
                    worst = max(worst, abs(Int(value) - exact))
                }
            }
            #expect(worst <= 1, "\(key): off by \(worst)")
        }
    }
}
