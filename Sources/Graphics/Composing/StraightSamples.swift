// SPDX-License-Identifier: Apache-2.0

/// Converts premultiplied 16-bit samples to 8-bit samples with straight alpha, rounded to the
/// nearest level.
enum StraightSamples {
    /// The lanes of SIMD that hold alpha.
    private static let alphaLanes = SIMD16<UInt16>(
        0, 0, 0, .max, 0, 0, 0, .max, 0, 0, 0, .max, 0, 0, 0, .max)

    /// Converts a row of pixels.
    ///
    /// - Parameters:
    ///   - samples: Four samples a pixel.
    ///   - count: The number of pixels.
    ///   - bytes: The memory for four bytes a pixel.
    static func round(
        _ samples: UnsafePointer<UInt16>, count: Int, to bytes: UnsafeMutableRawPointer
    ) {
        let source = UnsafeRawPointer(samples)
        var column = 0
        while column + 4 <= count {
            let group = source.loadUnaligned(
                fromByteOffset: column * 8, as: SIMD16<UInt16>.self)
            // Most frames are opaque, and divisions take longer than everything else.
            if group | ~alphaLanes == SIMD16(repeating: .max) {
                bytes.storeBytes(
                    of: opaque(group), toByteOffset: column * 4, as: SIMD16<UInt8>.self)
            } else {
                for column in column..<column + 4 { round(source, column, to: bytes) }
            }
            column += 4
        }
        for column in column..<count { round(source, column, to: bytes) }
    }

    /// Returns four opaque pixels: the nearest of 256 levels of each sample.
    private static func opaque(_ samples: SIMD16<UInt16>) -> SIMD16<UInt8> {
        let wide = SIMD16<UInt32>(truncatingIfNeeded: samples)
        let scaled = (wide &<< 8) &- wide &+ 0x7fff
        // The quotient of a division by 65,535, which is exact for these values.
        return SIMD16<UInt8>(truncatingIfNeeded: (scaled &+ (scaled &>> 16) &+ 1) &>> 16)
    }

    private static func round(
        _ source: UnsafeRawPointer, _ column: Int, to bytes: UnsafeMutableRawPointer
    ) {
        let color = SIMD4<UInt32>(
            truncatingIfNeeded: source.loadUnaligned(
                fromByteOffset: column * 8, as: SIMD4<UInt16>.self))
        var result = SIMD4<UInt32>.zero
        if color.w > 0 {
            result = (color &* 255 &+ color.w / 2) / color.w
            result.w = (color.w * 255 + 0x7fff) / 0xffff
        }
        bytes.storeBytes(
            of: SIMD4<UInt8>(clamping: result), toByteOffset: column * 4, as: SIMD4<UInt8>.self)
    }
}
