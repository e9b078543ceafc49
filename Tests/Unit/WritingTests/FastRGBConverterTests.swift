// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadBuffers
import PlayheadTime
import Testing

@testable import PlayheadWriting

/// The conversion of drawn frames for encoders, against the definition in real numbers.
@Suite struct FastRGBConverterTests {
    /// The largest distance of a code from the real number: half a code, and the rounding of three
    /// weights to 14 fractional bits, times 255.
    private static let distance = 0.5 + 3 * 255 / 32_768.0

    @Test(arguments: [
        (PixelFormat.rgba, VideoSampleFormat(.yuv420)), (.bgra, VideoSampleFormat(.yuv420)),
        (.rgba, VideoSampleFormat(.yuv422)), (.bgra, VideoSampleFormat(.yuv444)),
        (.rgba, VideoSampleFormat(.yuv420, bitDepth: 10)),
    ])
    func `every code is the nearest, at any size and in both ranges`(
        source: PixelFormat, format: VideoSampleFormat
    ) throws {
        for (width, height) in [(64, 32), (37, 5), (1, 1), (2, 3)] {
            for range in [ColorAttachments.Range.limited, .full] {
                for matrix in [ColorAttachments.Matrix.bt601, .bt709, .bt2020NonConstantLuminance] {
                    var random = SplitMix64(seed: UInt64(width + height))
                    let colors = (0..<width * height).map { _ in
                        (0..<3).map { _ in
                            // The ends of the range are frequent.
                            let value = Int(random.next() % 400)
                            return value > 255 ? (value > 330 ? 255 : 0) : value
                        }
                    }
                    let frame = WritingSupport.frame(source, width: width, height: height) {
                        component, x, y in
                        component == 3 ? 200 : colors[y * width + x][component]
                    }
                    var settings = WritingSupport.settings(
                        .ffv1, format, width: width, height: height)
                    settings.color = ColorAttachments(matrix: matrix, range: range)
                    let converter = try #require(FastRGBConverter(settings))
                    let result = try #require(converter.convert(frame))
                    expect(result, of: colors, settings)
                }
            }
        }
    }

    /// The widths cover every remainder of the vectors, and the extremes every overflow.
    @Test(arguments: [PixelFormat.rgba, .bgra], [ColorAttachments.Range.limited, .full])
    func `the loops in C and those in Swift give the same bits`(
        source: PixelFormat, range: ColorAttachments.Range
    ) throws {
        for hasAlpha in [false, true] {
            for width in Array(1...67) + [128, 131] {
                var random = SplitMix64(seed: UInt64(width))
                let height = 2 + width % 4
                let frame = WritingSupport.frame(source, width: width, height: height) { _, _, _ in
                    let value = Int(random.next() % 400)
                    return value > 255 ? (value > 330 ? 255 : 0) : value
                }
                var settings = WritingSupport.settings(
                    .ffv1, VideoSampleFormat(.yuv420, bitDepth: 8, hasAlpha: hasAlpha),
                    width: width, height: height)
                settings.color = ColorAttachments(matrix: .bt709, range: range)
                let results = try [true, false].map { usesKernels in
                    try #require(
                        FastRGBConverter(settings, usesKernels: usesKernels)?.convert(frame))
                }
                for component in results[0].format.components.indices {
                    #expect(
                        SamplePlane(component, of: results[0]).samples
                            == SamplePlane(component, of: results[1]).samples,
                        "component \(component), \(width) x \(height)")
                }
            }
        }
    }

    @Test(arguments: [
        VideoSampleFormat(.yuv420), VideoSampleFormat(.yuv422, bitDepth: 10),
        VideoSampleFormat(.yuv444, bitDepth: 10, hasAlpha: true),
    ])
    func `a frame that is read in strips is the frame that is converted as a whole`(
        format: VideoSampleFormat
    ) throws {
        // Several strips, of which the last has an odd number of rows.
        let (width, height) = (1022, 401)
        func value(_ component: Int, _ x: Int, _ y: Int) -> Int {
            (x * (component + 3) + y * 7 + x * y) & 255
        }
        let frame = WritingSupport.frame(.rgba, width: width, height: height, value: value)
        let settings = WritingSupport.settings(.ffv1, format, width: width, height: height)
        let whole = try #require(FastRGBConverter(settings)?.convert(frame))
        let converter = try #require(DrawnFrameConverter(to: settings))
        // The second frame comes from the memory of a pool.
        for _ in 0..<2 {
            var read = 0
            let result = converter.frame { rows, bytes in
                #expect(rows.lowerBound == read)
                read = rows.upperBound
                #expect(bytes.count == rows.count * width * 4)
                for (index, y) in rows.reversed().enumerated() {
                    for x in 0..<width {
                        for component in 0..<4 {
                            bytes[(index * width + x) * 4 + component] = UInt8(
                                value(component, x, y))
                        }
                    }
                }
            }
            #expect(read == height)
            #expect(result.format == whole.format)
            #expect(result.attachments.color == whole.attachments.color)
            for component in whole.format.components.indices {
                #expect(
                    SamplePlane(component, of: result).samples
                        == SamplePlane(component, of: whole).samples, "component \(component)")
            }
            #expect(FrameConverter.isUnchanged(result, by: settings))
        }
    }

    /// Compares a frame with colours in R'G'B'.
    private func expect(
        _ result: PixelBuffer, of colors: [[Int]], _ settings: VideoOutputSettings
    ) {
        let (width, height) = (settings.width, settings.height)
        let depth = settings.sampleFormat.bitDepth
        guard
            let matrix = ColorMatrix(
                settings.color.matrix, range: settings.color.range, depth: depth)
        else { return }
        let exact = colors.map {
            matrix.encode(Double($0[0]) / 255, Double($0[1]) / 255, Double($0[2]) / 255)
        }
        func pixel(_ x: Int, _ y: Int) -> (y: Double, cb: Double, cr: Double) {
            exact[min(y, height - 1) * width + min(max(x, 0), width - 1)]
        }
        let (columns, rows) = (
            result.format.log2ChromaWidth == 1 ? 2 : 1, result.format.log2ChromaHeight == 1 ? 2 : 1
        )
        for plane in 0..<3 {
            let samples = SamplePlane(plane, of: result)
            var worst = 0.0
            for y in 0..<samples.height {
                for x in 0..<samples.width {
                    var value = 0.0
                    if plane == 0 {
                        value = pixel(x, y).y
                    } else {
                        func chroma(_ x: Int, _ y: Int) -> Double {
                            plane == 1 ? pixel(x, y).cb : pixel(x, y).cr
                        }
                        for row in 0..<rows {
                            let (x, y) = (columns * x, rows * y + row)
                            value +=
                                columns == 2
                                ? (chroma(x - 1, y) + 2 * chroma(x, y) + chroma(x + 1, y)) / 4
                                : chroma(x, y)
                        }
                        value /= Double(rows)
                    }
                    let code = Double(samples.samples[y * samples.width + x])
                    worst = max(worst, abs(code - min(max(value, 0), matrix.maximum)))
                }
            }
            #expect(worst <= Self.distance, "plane \(plane), \(width) x \(height): \(worst)")
        }
    }
}
