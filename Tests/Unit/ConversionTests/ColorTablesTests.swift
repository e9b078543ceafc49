// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadBuffers
import PlayheadConversion
import PlayheadTextures
import Testing

/// Videos whose colour space differs from the target's, converted in linear light.
@Suite("Colour lookup tables")
struct ColorTablesTests {
    struct Film: Sendable, CustomStringConvertible {
        var primaries: ColorAttachments.Primaries
        var transfer: ColorAttachments.Transfer
        var peak: Double?
        var target: ColorSpace

        var description: String {
            "\(primaries) \(transfer) \(peak ?? 0) to \(target.primaries) \(target.transfer)"
        }

        var color: ColorAttachments {
            ColorAttachments(
                matrix: primaries == .bt2020 ? .bt2020NonConstantLuminance : .bt709,
                range: .limited, primaries: primaries, transfer: transfer)
        }

        var transform: ColorTransform {
            ColorTransform(from: color, peakLuminance: peak, to: target)
        }

        static let all = [
            Film(primaries: .bt2020, transfer: .pq, peak: 1000, target: .bt709),
            Film(primaries: .bt2020, transfer: .pq, peak: 4000, target: .sRGB),
            Film(primaries: .bt2020, transfer: .pq, peak: 10_000, target: .displayP3),
            Film(primaries: .displayP3, transfer: .pq, peak: nil, target: .bt709),
            Film(primaries: .bt2020, transfer: .hlg, peak: nil, target: .bt709),
            Film(primaries: .bt2020, transfer: .hlg, peak: nil, target: .displayP3),
            Film(primaries: .bt2020, transfer: .bt2020TenBit, peak: nil, target: .bt709),
            Film(primaries: .displayP3, transfer: .bt709, peak: nil, target: .sRGB),
            Film(primaries: .bt709, transfer: .linear, peak: nil, target: .bt709),
        ]
    }

    /// Returns the video's attachments.
    private static func attachments(_ film: Film) -> PixelBufferAttachments {
        PixelBufferAttachments(
            color: film.color,
            contentLightLevel: film.peak.map {
                ContentLightLevel(
                    maximumContentLightLevel: Int($0), maximumFrameAverageLightLevel: 0)
            })
    }

    /// Returns planes of 4:4:4, one sample per pixel.
    private static func picture(
        _ film: Film, depth: Int, _ samples: [SIMD3<UInt16>], width: Int
    ) -> PixelBuffer {
        PixelBuffer(
            format: ConversionCase.planar("yuv444p\(depth)", depth, 0, 0), width: width,
            height: samples.count / width, attachments: attachments(film)
        ) { plane, bytes, bytesPerRow in
            for (index, sample) in samples.enumerated() {
                let place = index / width * bytesPerRow + index % width * (depth > 8 ? 2 : 1)
                if depth > 8 {
                    bytes.storeBytes(of: sample[plane], toByteOffset: place, as: UInt16.self)
                } else {
                    bytes[place] = UInt8(sample[plane])
                }
            }
        }
    }

    /// A sample is exact to half a code value, and so is its result, up to a factor: near the edge
    /// of the target's gamut, where a channel's light is the difference of two much larger ones,
    /// the factor is large.
    @Test(
        arguments: Film.all,
        [8, 10, 12])
    func `tables convert samples to the colour that they encode, within their precision`(
        film: Film, depth: Int
    ) throws {
        var random = Random(seed: 11)
        let step = 1 << (depth - 8)
        let samples = (0..<64 * 48).map { index in
            // Grey, colours of the middle, and any.
            let reach = [0, 24, 112][index % 3]
            func chroma() -> UInt16 {
                UInt16((128 + random.integer(in: -reach...reach)) * step)
            }
            let luma = UInt16(random.integer(in: 16 * step...235 * step))
            return SIMD3(luma, chroma(), chroma())
        }
        let buffer = Self.picture(film, depth: depth, samples, width: 64)
        let conversion = YCbCrConversion(format: buffer.format, color: buffer.color)
        let transform = film.transform
        #expect(PictureConverter.canApply(transform) && !transform.isIdentity)
        let image = PictureConverterTests.convert(
            buffer, ConversionPart(outputWidth: 64, outputHeight: 48), transform: transform)
        let most = depth > 8 ? 65535.0 : 255
        var worst = 0.0
        var worstGrey = 0.0
        for (index, sample) in samples.enumerated() {
            // Samples that no R'G'B' produces.
            let signal = conversion(SIMD3<Double>(sample) / most)
            guard signal.min() > -0.2, signal.max() < 1.2 else { continue }
            var low = SIMD3(repeating: 1.0)
            var high = SIMD3(repeating: 0.0)
            for corner in 0..<9 {
                func error(_ bit: Int) -> Double {
                    corner == 8 ? 0 : corner >> bit & 1 == 0 ? -0.5 : 0.5
                }
                let exact = (SIMD3<Double>(sample) + SIMD3(error(0), error(1), error(2))) / most
                let color = transform(conversion(exact)).clamped(
                    lowerBound: SIMD3(repeating: 0), upperBound: SIMD3(repeating: 1))
                low = low.replacing(with: color, where: color .< low)
                high = high.replacing(with: color, where: color .> high)
            }
            let pixel = image[index % 64, index / 64]
            for channel in 0..<3 {
                let value = Double(pixel[channel])
                let distance = max(low[channel] * 255 - value, value - high[channel] * 255)
                worst = max(worst, distance)
                if index % 3 == 0 { worstGrey = max(worstGrey, distance) }
            }
        }
        // Half a code value of rounding, or of dither and rounding, plus the error of tables.
        #expect(worst < 1, "\(worst)")
        #expect(worstGrey < 1, "\(worstGrey)")
    }

    /// The smallest code value of pixels on which two methods agree. At the edge of the target's
    /// gamut a channel is the difference of two much larger ones, and the shader's float powers are
    /// off by as much as tables are.
    private static let edge = 8

    @Test(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"), arguments: Film.all)
    func `the CPU converts by way of light to the colours of the shader`(film: Film) throws {
        try GraphicsTest.withContext { context in
            let cache = TextureCache(context: context)
            let painter = PicturePainter(context: context)
            let converter = PictureConverter(helperCount: 1)
            for var example in ConversionCase.all(count: 18) {
                example.color = film.color
                let part = ConversionPart(
                    outputWidth: example.outputWidth, outputHeight: example.outputHeight)
                let buffer = example.picture(
                    isSmooth: true, chroma: 0.015, attachments: Self.attachments(film))
                let drawn = try PictureConverterTests.draw(
                    buffer, part, to: film.target, cache: cache, painter: painter,
                    context: context)
                let converted = PictureConverterTests.convert(
                    buffer, part, transform: film.transform, converter: converter)
                var (worst, count) = (0, 0)
                for index in drawn.bytes.indices {
                    let (left, right) = (Int(drawn.bytes[index]), Int(converted.bytes[index]))
                    let pixel = drawn.bytes[index / 4 * 4..<index / 4 * 4 + 3]
                    guard (pixel.min() ?? 0) >= Self.edge else { continue }
                    worst = max(worst, abs(left - right))
                    count += 1
                }
                // Some waves are dark, which applies to a large part of a high dynamic range.
                #expect(count * 8 > drawn.bytes.count, "\(example): \(count)")
                #expect(worst <= 1, "\(example): off by \(worst)")
                cache.endFrame()
            }
        }
    }

    @Test(arguments: Film.all)
    func `the loops in C convert light to the same bits as the portable ones`(film: Film) {
        let wide = PictureConverter(helperCount: 0)
        let plain = PictureConverter(helperCount: 0, usesKernels: false)
        for var example in ConversionCase.all(count: 18) {
            example.color = film.color
            let buffer = example.picture(isSmooth: false)
            let part = ConversionPart(
                outputWidth: example.outputWidth, outputHeight: example.outputHeight)
            func image(
                _ converter: PictureConverter, _ order: PixelByteOrder
            ) -> RGBAImage {
                PictureConverterTests.convert(
                    buffer, part, transform: film.transform, order: order, converter: converter)
            }
            let exact = image(plain, .rgba)
            #expect(image(wide, .rgba) == exact, "\(example)")
            let swapped = image(wide, .bgra)
            #expect(swapped == image(plain, .bgra), "\(example)")
            let (maximum, _) = PictureConverterTests.difference(exact, swapped.swappedRedAndBlue())
            // Sums of floats in another order.
            #expect(maximum <= 1, "\(example)")
        }
    }

    @Test func `tables do not convert to displays of high dynamic range`() {
        let film = Film.all[0]
        for space in [ColorSpace.pq, .hlg, .linear] {
            var other = film
            other.target = space
            #expect(other.transform.isIdentity || !PictureConverter.canApply(other.transform))
        }
        #expect(
            PictureConverter.canApply(
                ColorTransform(from: ColorSpace.bt709, to: ColorSpace.bt709)))
    }
}

extension RGBAImage {
    fileprivate func swappedRedAndBlue() -> RGBAImage {
        var bytes = bytes
        for pixel in stride(from: 0, to: bytes.count, by: 4) { bytes.swapAt(pixel, pixel + 2) }
        return RGBAImage(width: width, height: height, bytes: bytes)
    }
}
