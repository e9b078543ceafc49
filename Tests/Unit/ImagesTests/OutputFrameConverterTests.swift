// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import GraphicsTestSupport
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadConversion
import PlayheadGL
import PlayheadPlayback
import PlayheadTextures
import Testing

@testable import PlayheadFFmpeg
@testable import PlayheadImages

/// The conversion of frames for outputs. The reference is the shader: it draws the frame, and the
/// test computes Y'CbCr from its R'G'B' by the equations of H.273.
@Suite("Output frame converter")
struct OutputFrameConverterTests {
    static let targets: [PixelFormat] = [.bgra, .rgba, .nv12, .yuv420p, .yuv420p10, .gray8]

    /// All formats that FFmpeg has and for which the renderer has textures.
    private static let formats: [PixelFormat] = (0..<AV_PIX_FMT_NB.rawValue).compactMap { number in
        guard let format = PixelFormatTable.format(AVPixelFormat(number)),
            (try? PictureLayout(format)) != nil
        else { return nil }
        return format
    }

    /// Returns a frame of one colour; signals of Y'CbCr that are within R'G'B'.
    private static func flat(
        _ format: PixelFormat, _ signals: SIMD4<Double>, _ color: ColorAttachments
    ) -> PixelBuffer {
        PixelBuffer(
            format: format, width: 18, height: 10,
            attachments: PixelBufferAttachments(color: color)
        ) { plane, bytes, bytesPerRow in
            for (index, component) in format.components.enumerated()
            where component.plane == plane {
                let isAlpha = format.hasAlpha && index == format.components.count - 1
                let value = isAlpha ? 1 : signals[index]
                let isChroma = format.model == .yCbCr && (index == 1 || index == 2)
                let stored = isChroma && format.isFloat ? value - 0.5 : value
                for row in 0..<bytes.count / bytesPerRow {
                    for place in stride(
                        from: row * bytesPerRow + component.offset,
                        to: (row + 1) * bytesPerRow - component.step + 1, by: component.step)
                    {
                        store(stored, component, of: format, to: bytes, at: place)
                    }
                }
            }
        }
    }

    private static func store(
        _ value: Double, _ component: PixelFormat.Component, of format: PixelFormat,
        to bytes: UnsafeMutableRawBufferPointer, at place: Int
    ) {
        let isBig = format.isBigEndian
        if format.isFloat, component.depth == 32 {
            let bits = Float(value).bitPattern
            bytes.storeBytes(
                of: isBig ? bits.bigEndian : bits, toByteOffset: place, as: UInt32.self)
        } else if format.isFloat {
            let bits = Float16(value).bitPattern
            bytes.storeBytes(
                of: isBig ? bits.bigEndian : bits, toByteOffset: place, as: UInt16.self)
        } else {
            let code = Int((value * Double((1 << component.depth) - 1)).rounded())
            if component.depth + component.shift <= 8 {
                // Several components may share a byte.
                let mask = UInt8(((1 << component.depth) - 1) << component.shift)
                bytes[place] = bytes[place] & ~mask | UInt8(code << component.shift)
            } else {
                let mask = UInt16(((1 << component.depth) - 1) << component.shift)
                let old = bytes.loadUnaligned(fromByteOffset: place, as: UInt16.self)
                let word = (isBig ? old.bigEndian : old) & ~mask | UInt16(code << component.shift)
                bytes.storeBytes(
                    of: isBig ? word.bigEndian : word, toByteOffset: place, as: UInt16.self)
            }
        }
    }

    /// Returns the code of a component at a pixel.
    private static func code(_ buffer: PixelBuffer, _ index: Int, x: Int, y: Int) -> Int {
        let component = buffer.format.components[index]
        let plane = buffer.planes[component.plane]
        let isChroma = buffer.format.isChroma(plane: component.plane)
        let (column, row) = isChroma ? (x / 2, y / 2) : (x, y)
        let place =
            plane.baseAddress + row * plane.bytesPerRow + column * component.step
            + component.offset
        return component.depth > 8
            ? Int(place.loadUnaligned(as: UInt16.self)) : Int(place.load(as: UInt8.self))
    }

    /// Returns the exact codes of R'G'B' in a format, in units of 8 bits.
    private static func exactCodes(
        _ color: SIMD3<Double>, _ buffer: PixelBuffer, red: Double, blue: Double
    ) -> [Double] {
        let luma = red * color.x + (1 - red - blue) * color.y + blue * color.z
        switch buffer.format.model {
        case .rgb: return [color.x * 255, color.y * 255, color.z * 255]
        case .gray: return [luma * 255]
        case .yCbCr:
            let cb = (color.z - luma) / (2 * (1 - blue))
            let cr = (color.x - luma) / (2 * (1 - red))
            return buffer.color.range == .full
                ? [luma * 255, 128 + cb * 255, 128 + cr * 255]
                : [16 + luma * 219, 128 + cb * 224, 128 + cr * 224]
        }
    }

    private static func draw(
        _ buffer: PixelBuffer, _ cache: TextureCache, _ painter: PicturePainter,
        _ context: HeadlessContext
    ) throws -> SIMD3<Double> {
        let image = try GraphicsTest.image(
            width: buffer.width, height: buffer.height, context: context
        ) { _ in
            try painter.draw(
                try cache.textures(for: buffer), geometry: .uprightWhole, sampling: .exact,
                alphaOut: .straight)
        }
        let pixel = image[8, 4]
        return SIMD3(Double(pixel.x), Double(pixel.y), Double(pixel.z)) / 255
    }

    @Test(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
    func `every format converts to the values of the shader, to one code`() throws {
        #expect(Self.formats.count > 100)
        let converters = try Self.targets.map {
            ($0, try OutputFrameConverter(PixelBufferAttributes(pixelFormat: $0)))
        }
        let colors = [
            ColorAttachments(
                matrix: .bt601, range: .limited, primaries: .bt709, transfer: .bt709),
            ColorAttachments(matrix: .bt709, range: .full, primaries: .bt709, transfer: .bt709),
        ]
        try GraphicsTest.withContext { context in
            let cache = TextureCache(context: context)
            let painter = PicturePainter(context: context)
            for format in Self.formats {
                for (signals, color) in zip(
                    [SIMD4(0.45, 0.44, 0.57, 1), SIMD4(0.62, 0.55, 0.42, 1)], colors)
                {
                    let buffer = Self.flat(format, signals, color)
                    let drawn = try Self.draw(buffer, cache, painter, context)
                    for (target, converter) in converters {
                        let result = converter.convert(buffer)
                        #expect(result.format == target)
                        #expect((result.width, result.height) == (18, 10))
                        let luma = YCbCrConversion(format: result.format, color: result.color)
                            .lumaCoefficients
                        let exact = Self.exactCodes(
                            drawn, result, red: luma.red, blue: luma.blue)
                        for (index, value) in exact.enumerated() {
                            let scale = Double(1 << (target.bitDepth - 8))
                            let code =
                                Double(Self.code(result, index, x: 8, y: 4)) / scale
                            #expect(
                                abs(code - value) <= 1,
                                "\(format) \(color.range) to \(target), \(index): \(code), \(value)"
                            )
                        }
                        if target.hasAlpha {
                            #expect(Self.code(result, 3, x: 8, y: 4) == 255)
                        }
                    }
                }
                cache.endFrame()
            }
        }
    }

    @Test func `samples of equal depth keep their values, and 8 bits of 10 are rounded`() throws {
        let color = ColorAttachments(matrix: .bt709, range: .limited)
        func frame(_ format: PixelFormat, _ code: (Int, Int, Int) -> Int) -> PixelBuffer {
            PixelBuffer(
                format: format, width: 16, height: 8,
                attachments: PixelBufferAttachments(color: color)
            ) { plane, bytes, bytesPerRow in
                for (index, component) in format.components.enumerated()
                where component.plane == plane {
                    let size = format.planeSize(plane, width: 16, height: 8)
                    for y in 0..<size.height {
                        for x in 0..<size.width {
                            let place = y * bytesPerRow + x * component.step + component.offset
                            if component.depth > 8 {
                                bytes.storeBytes(
                                    of: UInt16(code(index, x, y)), toByteOffset: place,
                                    as: UInt16.self)
                            } else {
                                bytes[place] = UInt8(code(index, x, y))
                            }
                        }
                    }
                }
            }
        }
        func value(_ index: Int, _ x: Int, _ y: Int) -> Int { 16 + index * 60 + x * 3 + y * 5 }
        let nv12 = try OutputFrameConverter(PixelBufferAttributes(pixelFormat: .nv12))
        let deep = try OutputFrameConverter(PixelBufferAttributes(pixelFormat: .yuv420p10))
        let planar = frame(.yuv420p) { value($0, $1, $2) }
        let moved = nv12.convert(planar)
        let raised = deep.convert(planar)
        let lowered = nv12.convert(frame(.yuv420p10) { value($0, $1, $2) * 4 + 2 })
        for y in 0..<8 {
            for x in 0..<16 {
                for index in 0..<3 {
                    let (column, row) = index == 0 ? (x, y) : (x / 2, y / 2)
                    let exact = value(index, column, row)
                    #expect(Self.code(moved, index, x: x, y: y) == exact)
                    #expect(Self.code(raised, index, x: x, y: y) == exact * 4)
                    #expect(Self.code(lowered, index, x: x, y: y) == exact + 1)
                }
            }
        }
        #expect(moved.color == planar.color)
    }

    @Test func `a frame that has the attributes is handed out as it was decoded`() throws {
        let buffer = PixelBuffer(format: .nv12, width: 4, height: 4) { _, _, _ in }
        let converter = try OutputFrameConverter(
            PixelBufferAttributes(pixelFormat: .nv12, width: 4, height: 4))
        #expect(converter.convert(buffer) === buffer)
    }

    @Test(arguments: targets)
    func `a missing length follows from the proportions of the frame`(
        format: PixelFormat
    ) throws {
        let buffer = Self.flat(.yuv420p, SIMD4(0.5, 0.5, 0.5, 1), ColorAttachments())
        for (width, height, expected) in [
            (9, 0, (9, 5)), (0, 20, (36, 20)), (7, 3, (7, 3)), (0, 0, (18, 10)),
        ] {
            let result = try OutputFrameConverter(
                PixelBufferAttributes(pixelFormat: format, width: width, height: height)
            ).convert(buffer)
            #expect((result.width, result.height) == expected)
            let ratio = result.attachments.pixelAspectRatio
            let shape = Double(result.width * ratio.horizontal) * 10
            // As tall as before, the frame is displayed as wide as before.
            #expect(abs(shape / Double(result.height * ratio.vertical) - 18) < 0.01)
        }
    }

    @Test func `frames are converted to the colour space that is asked for`() throws {
        let hdr = ColorAttachments(
            matrix: .bt2020NonConstantLuminance, range: .limited, primaries: .bt2020,
            transfer: .pq)
        let buffer = Self.flat(.yuv420p10, SIMD4(0.5, 0.5, 0.5, 1), hdr)
        for format in Self.targets {
            let kept = try OutputFrameConverter(PixelBufferAttributes(pixelFormat: format))
                .convert(buffer)
            #expect(kept.color.transfer == .pq && kept.color.primaries == .bt2020)
            let mapped = try OutputFrameConverter(
                PixelBufferAttributes(pixelFormat: format, colorSpace: .bt709)
            ).convert(buffer)
            #expect(mapped.color.transfer == .bt709 && mapped.color.primaries == .bt709)
            // Grey of 94 cd/m2 is brighter among the codes of standard range.
            let scale = 1 << (format.bitDepth - 8)
            let (before, after) = (
                Self.code(kept, 0, x: 8, y: 4) / scale, Self.code(mapped, 0, x: 8, y: 4) / scale
            )
            #expect(after > before + 30, "\(format): \(before) to \(after)")
        }
    }

    @Test func `formats and sizes that cannot be had are refused, with the possible ones`() {
        func refusal(_ attributes: PixelBufferAttributes) -> MediaError? {
            do throws(MediaError) {
                _ = try PlayerItemVideoOutput(pixelBufferAttributes: attributes)
                return nil
            } catch {
                return error
            }
        }
        #expect(refusal(PixelBufferAttributes(pixelFormat: .bgra, width: 16384)) == nil)
        #expect(
            refusal(PixelBufferAttributes(pixelFormat: .yuv444p))?.description
                == "pixelBufferAttributes: frames cannot be converted to yuv444p; "
                + "use bgra, rgba, nv12, yuv420p, yuv420p10le, gray")
        for size in [-1, 16385, .max] {
            let error = refusal(PixelBufferAttributes(pixelFormat: .nv12, height: size))
            #expect(error?.code == .limitExceeded)
            #expect(
                error?.description
                    == "pixelBufferAttributes: a size of 0 x \(size) is not possible; "
                    + "use 1 to 16384, or 0 for the size of the video")
        }
    }
}
