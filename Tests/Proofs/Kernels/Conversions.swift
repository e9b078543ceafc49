// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers

/// Converts frames with the loops in C and with those in Swift, and compares the bits.
///
/// `Scripts/prove/arm64` compiles it together with the converter's own sources, in embedded Swift,
/// because Swift's toolchain for x86-64 contains no other standard library for 64-bit ARM.
@main enum Conversions {
    private static let matrix = ColorAttachments.Matrix.bt2020NonConstantLuminance

    /// Colours that are converted through linear light.
    private static let transforms: [ColorTransform] = [
        ColorTransform(
            from: color(.pq), peakLuminance: 4000, to: ColorSpace.bt709),
        ColorTransform(from: color(.hlg), to: ColorSpace.displayP3),
    ]

    private static func color(_ transfer: ColorAttachments.Transfer) -> ColorAttachments {
        ColorAttachments(matrix: matrix, range: .limited, primaries: .bt2020, transfer: transfer)
    }

    static func main() {
        guard ConversionVectors.haveKernels else { return print("no loops in C") }
        var (frames, differences) = (0, 0)
        func run(_ name: String, _ examples: [ConversionCase], _ transform: ColorTransform?) {
            var plans: [ConversionPlan] = []
            for example in examples {
                for isMirrored in [false, true] {
                    frames += 1
                    let isEqual = converts(
                        example, transform, isMirrored: isMirrored, plans: &plans)
                    guard !isEqual else { continue }
                    differences += 1
                    if differences <= 10 { print("\(name): different: \(example)") }
                }
            }
        }
        run("matrix", ConversionCase.all(count: 126) + widths(to: 130), nil)
        for transform in transforms {
            run("light", widths(to: 66), transform)
        }
        print("\(frames) frames, \(differences) different")
    }

    /// Returns conversions of frames of every width to smaller, equal and larger sizes.
    private static func widths(to most: Int) -> [ConversionCase] {
        (2...most).flatMap { width in
            ConversionCase.formats.enumerated().flatMap { index, format in
                [width, max(1, width * 3 / 5), width * 5 / 3].map { outputWidth in
                    ConversionCase(
                        format: format,
                        color: ColorAttachments(
                            matrix: matrix, range: .limited, primaries: .bt709,
                            chromaLocation: .left),
                        width: max(width, 2 << format.log2ChromaWidth), height: 8,
                        outputWidth: outputWidth, outputHeight: 5,
                        seed: UInt64(width * 16 + index))
                }
            }
        }
    }

    /// Converts a frame both ways, and returns whether the bits are equal.
    private static func converts(
        _ example: ConversionCase, _ transform: ColorTransform?, isMirrored: Bool,
        plans: inout [ConversionPlan]
    ) -> Bool {
        let buffer = example.picture(isSmooth: false)
        let key = ConversionPlan.Key(
            format: example.format, width: example.width, height: example.height,
            color: example.color,
            part: ConversionPart(
                x: isMirrored ? 0.9 : 0, width: isMirrored ? -0.8 : 1,
                outputWidth: example.outputWidth, outputHeight: example.outputHeight),
            byteOrder: isMirrored ? .bgra : .rgba, transform: transform)
        let results = [true, false].map { usesKernels in
            // Plans are reused, because making their tables takes longer than converting a frame.
            let former = plans.first {
                $0.key.hasColors(of: key) && $0.usesKernels == usesKernels
            }
            let plan = ConversionPlan(key, former: former, usesKernels: usesKernels)
            if former == nil, transform != nil { plans.append(plan) }
            return pixels(of: buffer, plan)
        }
        return results[0] == results[1]
    }

    private static func pixels(of buffer: PixelBuffer, _ plan: ConversionPlan) -> [UInt8] {
        let lines = ConversionLines()
        lines.prepare(for: plan)
        let width = plan.key.part.outputWidth
        let row = UnsafeMutableRawBufferPointer.allocate(
            byteCount: ConversionVectors.padded(width) * 4, alignment: 16)
        defer { row.deallocate() }
        var result: [UInt8] = []
        for index in 0..<plan.key.part.outputHeight {
            lines.makeRow(index, of: buffer, plan, into: row.baseAddress!)
            result.append(contentsOf: row[0..<width * 4])
        }
        return result
    }
}

extension ConversionPlan {
    /// A Boolean value that indicates whether the loops in C perform the last step.
    fileprivate var usesKernels: Bool {
        switch finish {
        case .matrix(let coefficients): coefficients.usesKernels
        case .tables(let tables): tables.usesKernels
        }
    }
}
