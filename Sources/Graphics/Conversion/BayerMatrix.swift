// SPDX-License-Identifier: Apache-2.0

/// What pixels are dithered by where they lose bits: Bayer's 8 x 8 matrix, as `dither.glsl` has it.
enum BayerMatrix {
    /// Rows, and pixels in each, after which it begins again.
    static let rowCount = 8
    /// The part of a code value that pixels are dithered by: what is left keeps exact values exact, for all
    /// the error of fixed point.
    private static let range = 0.8

    /// What the pixels of a row are dithered by, in code values: from below half of one down to below half
    /// of one up.
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
