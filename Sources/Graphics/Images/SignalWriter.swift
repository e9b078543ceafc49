// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadConversion

/// Computes planes of Y'CbCr 4:2:0, or of luma alone, from R'G'B': H.273 equations 38 to 43.
struct SignalWriter {
    private let format: PixelFormat
    private let luma: SIMD3<Float>
    private let chromaScale: SIMD2<Float>
    /// The code value for a luma of 0 and the step to a luma of 1, and the same for chroma.
    private let lumaCodes: SIMD2<Float>
    private let chromaCodes: SIMD2<Float>

    /// Returns whether Y'CbCr is a linear map of R'G'B', and can therefore be computed with a
    /// matrix.
    static func hasLinearMatrix(_ color: ColorAttachments) -> Bool {
        ![.rgb, .yCgCo, .bt2020ConstantLuminance, .iCtCp].contains(color.matrix)
    }

    /// Creates a writer.
    ///
    /// - Parameter color: The colour of the frame, none of it unspecified.
    init(format: PixelFormat, color: ColorAttachments) {
        self.format = format
        let weights = YCbCrConversion(format: format, color: color).lumaCoefficients
        luma = SIMD3(Float(weights.red), Float(weights.green), Float(weights.blue))
        chromaScale = SIMD2(
            Float(0.5 / (1 - weights.blue)), Float(0.5 / (1 - weights.red)))
        let depth = format.bitDepth
        let step = Float(1 << (depth - 8))
        let maximum = Float((1 << depth) - 1)
        if color.range == .limited {
            lumaCodes = SIMD2(16 * step, 219 * step)
            chromaCodes = SIMD2(128 * step, 224 * step)
        } else {
            lumaCodes = SIMD2(0, maximum)
            chromaCodes = SIMD2(128 * step, maximum)
        }
    }

    func write(
        plane: Int, from rows: inout ColorRows, width: Int, height: Int,
        into base: UnsafeMutableRawPointer, bytesPerRow: Int
    ) {
        guard format.isChroma(plane: plane) else {
            for row in 0..<height {
                rows.makeRow(row)
                for (index, color) in rows.row.enumerated() {
                    store(
                        (color * luma).sum(), lumaCodes, at: base + row * bytesPerRow, index,
                        format.components[0])
                }
            }
            return
        }
        var chroma = [SIMD2<Float>](repeating: SIMD2(), count: width)
        let size = format.planeSize(plane, width: width, height: height)
        for row in 0..<size.height {
            for index in chroma.indices { chroma[index] = SIMD2() }
            // Chroma is sited between two rows and at the left of two columns, the usual position.
            for source in [2 * row, min(2 * row + 1, height - 1)] {
                rows.makeRow(source)
                for (index, color) in rows.row.enumerated() {
                    let luma = (color * luma).sum()
                    chroma[index] += SIMD2(color.z - luma, color.x - luma) * 0.5
                }
            }
            for index in 0..<size.width {
                let (left, right) = (max(2 * index - 1, 0), min(2 * index + 1, width - 1))
                let value =
                    (chroma[left] + chroma[2 * index] * 2 + chroma[right]) * 0.25 * chromaScale
                for number in 1...2 where format.components[number].plane == plane {
                    store(
                        value[number - 1], chromaCodes, at: base + row * bytesPerRow, index,
                        format.components[number])
                }
            }
        }
    }

    private func store(
        _ value: Float, _ codes: SIMD2<Float>, at row: UnsafeMutableRawPointer, _ index: Int,
        _ component: PixelFormat.Component
    ) {
        let maximum = Float((1 << component.depth) - 1)
        let code = min(max(0, (codes.x + codes.y * value).rounded()), maximum)
        let place = row + component.offset + index * component.step
        if component.depth > 8 {
            place.storeBytes(of: UInt16(code).littleEndian, as: UInt16.self)
        } else {
            place.storeBytes(of: UInt8(code), as: UInt8.self)
        }
    }
}
