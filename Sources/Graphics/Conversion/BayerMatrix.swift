// SPDX-License-Identifier: Apache-2.0

/// The dither pattern for conversions to fewer bits: Bayer's 8 x 8 matrix, as in `dither.glsl`.
enum BayerMatrix {
    /// The number of rows of the matrix, which is also the number of values in each row.
    static let rowCount = 8
    /// The range of the dither, in code values. It is less than 1, so that exact values stay exact
    /// despite the rounding errors of fixed point.
    private static let range = 0.8

    /// Returns the dither of eight pixels in a row, in code values: from just above -0.5 to just
    /// below 0.5.
    static func row(_ y: Int) -> SIMD8<Double> {
        var dither = SIMD8<Double>()
        for x in 0..<8 {
            var level = 0
            for bit in 0..<3 {
                let (across, up) = ((x ^ y) >> bit & 1, y >> bit & 1)
                level |= (across << 1 | up) << (2 * (2 - bit))
            }
            dither[x] = ((Double(level) + 0.5) / 64 - 0.5) * range
        }
        return dither
    }
}
