// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers

/// A kind of frame, a size and a scale: one case of the law that both conversions agree.
struct ConversionCase: CustomStringConvertible {
    var format: PixelFormat
    var color: ColorAttachments
    var width: Int
    var height: Int
    var outputWidth: Int
    var outputHeight: Int
    var seed: UInt64

    var description: String {
        "\(format) \(color.matrix) \(color.range) \(color.chromaLocation), \(width) x \(height) "
            + "to \(outputWidth) x \(outputHeight)"
    }

    /// Returns every format and siting with random matrices, ranges and sizes.
    static func all(count: Int) -> [ConversionCase] {
        var random = Random(seed: 7)
        let matrices: [ColorAttachments.Matrix] = [
            .bt601, .bt709, .bt470bg, .fcc, .smpte240m, .bt2020NonConstantLuminance,
        ]
        return (0..<count).map { index in
            let format = formats[index % formats.count]
            let (width, height) = (random.integer(in: 5...90), random.integer(in: 3...70))
            func scaled(_ size: Int) -> Int {
                // One in four is drawn sample for pixel.
                if index % 4 == 3 { return size }
                return max(1, Int((Double(size) * random.double(in: 0.3...2)).rounded()))
            }
            return ConversionCase(
                format: format,
                color: ColorAttachments(
                    matrix: matrices[random.integer(in: 0...matrices.count - 1)],
                    range: random.integer(in: 0...1) == 0 ? .limited : .full,
                    // The processor leaves frames with other primaries to the shader.
                    primaries: .bt709,
                    chromaLocation: ColorAttachments.ChromaLocation.allCases[index / 3 % 7]),
                width: width, height: height, outputWidth: scaled(width),
                outputHeight: scaled(height), seed: random.next())
        }
    }

    static let formats: [PixelFormat] = [
        .yuv420p, .yuv422p, .yuv444p, .nv12, nv21, .yuv420p10, planar("yuv422p10le", 10, 1, 0),
        planar("yuv444p12le", 12, 0, 0), planar("yuv410p", 8, 2, 2),
    ]

    static func planar(
        _ name: String, _ depth: Int, _ log2Width: Int, _ log2Height: Int
    ) -> PixelFormat {
        PixelFormat(
            name: name, model: .yCbCr,
            components: (0..<3).map {
                PixelFormat.Component(
                    plane: $0, step: depth > 8 ? 2 : 1, offset: 0, depth: depth)
            }, log2ChromaWidth: log2Width, log2ChromaHeight: log2Height)
    }

    private static let nv21: PixelFormat = {
        var format = PixelFormat.nv12
        format.name = "nv21"
        format.components.swapAt(1, 2)
        return format
    }()

    /// Returns a frame of waves as long as the frame, or of noise.
    ///
    /// - Parameters:
    ///   - chroma: the amplitude of chroma waves.
    ///   - attachments: nil for those of the case's colour.
    func picture(
        isSmooth: Bool, chroma: Double = 0.36, attachments: PixelBufferAttachments? = nil
    ) -> PixelBuffer {
        var random = Random(seed: seed)
        let codes = Double(1 << format.bitDepth)
        return PixelBuffer(
            format: format, width: width, height: height,
            attachments: attachments ?? PixelBufferAttachments(color: color)
        ) { plane, bytes, bytesPerRow in
            let size = format.planeSize(plane, width: width, height: height)
            for (index, component) in format.components.enumerated()
            where component.plane == plane {
                let phase = random.double(in: 0...6.28)
                let tilt = random.double(in: -1...1)
                for y in 0..<size.height {
                    for x in 0..<size.width {
                        let (u, v) = (
                            Double(x) / Double(size.width), Double(y) / Double(size.height)
                        )
                        // Within limited range: 16 to 235.
                        let wave =
                            0.49 + (index == 0 ? 0.36 : chroma)
                            * Self.sine(phase + 2.5 * u + 2.5 * tilt * v)
                        let value = isSmooth ? wave : random.double(in: 0.0625...0.92)
                        let code = UInt16(value * codes)
                        let place = y * bytesPerRow + x * component.step + component.offset
                        if component.step == 2 && format.bitDepth > 8 {
                            bytes.storeBytes(of: code, toByteOffset: place, as: UInt16.self)
                        } else {
                            bytes[place] = UInt8(truncatingIfNeeded: code)
                        }
                    }
                }
            }
        }
    }

    /// Returns an approximate sine: Bhaskara's, which is as smooth.
    private static func sine(_ angle: Double) -> Double {
        let turn = angle / (2 * .pi)
        let x = (turn - turn.rounded(.down)) * 2
        let half = x < 1 ? x : x - 1
        let value = 16 * half * (1 - half) / (5 - 4 * half * (1 - half))
        return x < 1 ? value : -value
    }
}

/// SplitMix64, so that every run uses the same cases.
struct Random: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    mutating func integer(in range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
    mutating func double(in range: ClosedRange<Double>) -> Double {
        Double.random(in: range, using: &self)
    }
}
