// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadConversion

/// The conversion of a frame's samples to R'G'B' and alpha.
struct StillColor {
    private let first: SIMD3<Float>
    private let second: SIMD3<Float>
    private let third: SIMD3<Float>
    private let offset: SIMD3<Float>
    private let alphaScale: Float
    private let stage: YCbCrConversion.Stage
    private let transfer: ColorAttachments.Transfer
    private let transform: ColorTransform
    /// The indices of the three colour components and of alpha. Grey has the same index three
    /// times.
    private let indices: (Int, Int, Int)
    private let alphaIndex: Int?

    init(of buffer: PixelBuffer, in colorSpace: ColorSpace) {
        let format = buffer.format
        let conversion = YCbCrConversion(format: format, color: buffer.color)
        first = SIMD3<Float>(conversion.first)
        second = SIMD3<Float>(conversion.second)
        third = SIMD3<Float>(conversion.third)
        offset = SIMD3<Float>(conversion.offset)
        alphaScale = Float(conversion.alphaScale)
        stage = conversion.stage
        transfer = buffer.color.transfer
        transform = ColorTransform(
            from: buffer.color, peakLuminance: buffer.attachments.peakLuminance, to: colorSpace)
        indices = format.model == .gray ? (0, 0, 0) : (0, 1, 2)
        alphaIndex = format.hasAlpha ? format.components.count - 1 : nil
    }

    /// Writes the pixels of a row as RGBA of 8 bits.
    ///
    /// - Parameter step: the distance from one pixel to the next, in bytes.
    func write(
        _ components: [ResampledComponent], to destination: UnsafeMutableRawPointer, step: Int,
        count: Int
    ) {
        let one = components[indices.0].row
        let two = components[indices.1].row
        let three = components[indices.2].row
        let alpha = alphaIndex.map { components[$0].row }
        var pixel = destination
        for index in 0..<count {
            let color = color(one[index], two[index], three[index])
            let codes = (color * 255).clamped(
                lowerBound: SIMD3(repeating: 0), upperBound: SIMD3(repeating: 255)
            ).rounded(.toNearestOrAwayFromZero)
            let opacity = alpha.map { min(max(0, $0[index] * alphaScale), 1) } ?? 1
            let bytes = SIMD4<UInt8>(
                UInt8(codes.x), UInt8(codes.y), UInt8(codes.z), UInt8((opacity * 255).rounded()))
            pixel.storeBytes(of: bytes, as: SIMD4<UInt8>.self)
            pixel += step
        }
    }

    /// Writes the R'G'B' of a row. Values are not limited to 0 to 1.
    func write(_ components: [ResampledComponent], to row: inout [SIMD3<Float>]) {
        let one = components[indices.0].row
        let two = components[indices.1].row
        let three = components[indices.2].row
        for index in row.indices { row[index] = color(one[index], two[index], three[index]) }
    }

    @inline(__always)
    private func color(_ one: Float, _ two: Float, _ three: Float) -> SIMD3<Float> {
        var color = first * one + offset
        color += second * two
        color += third * three
        if stage != .none {
            color = SIMD3<Float>(stage(SIMD3<Double>(color), transfer: transfer))
        }
        if !transform.isIdentity { color = SIMD3<Float>(transform(SIMD3<Double>(color))) }
        return color
    }
}
