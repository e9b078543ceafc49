// SPDX-License-Identifier: Apache-2.0

/// The parameters of linear filtering along a row or a column: the two samples of each output
/// pixel, and the weight of the second. They are computed once for a size.
///
/// - Corresponds to: OpenGL 3.3, 3.8.11, `LINEAR` with `CLAMP_TO_EDGE`.
final class SampleAxis: @unchecked Sendable {
    // Unchecked: written in init only.

    /// The number of pixels, rounded up to `ConversionVectors.padding`. The additional entries are
    /// copies of the last one.
    let paddedCount: Int
    /// The index of the first sample of each pixel. The second sample is the next one, which always
    /// exists if the row has two or more samples.
    let indices: UnsafeMutablePointer<Int32>
    /// The weight of the second sample, from 0 to `unit`.
    let weights: UnsafeMutablePointer<UInt16>
    /// The weight that stands for 1.
    let unit: Int
    /// The number of pixels at the start of the row that are copies of consecutive samples, from
    /// `indices[0]` on.
    let runLength: Int
    /// The groups for the loops in C; nil if those loops are not available, or are not faster for
    /// this axis.
    let groups: SampleGroups?

    /// Creates the filter.
    ///
    /// - Parameters:
    ///   - count: the number of pixels.
    ///   - sampleCount: the number of samples in the row.
    ///   - start: the texture coordinate of the part's first edge.
    ///   - length: the texture coordinate of the part's last edge, less `start`.
    ///   - fractionBits: the number of bits of the weights. Mesa's software rasteriser filters
    ///     textures of 8 bits with 8-bit weights, after rounding the coordinates to 8 fraction bits
    ///     (lp_bld_sample_aos.c).
    ///   - sampleSize: the size of a sample, in bytes, if rows are filtered along this axis;
    ///     otherwise nil.
    init(
        count: Int, sampleCount: Int, start: Double, length: Double, fractionBits: Int,
        sampleSize: Int? = nil, usesKernels: Bool = ConversionVectors.haveKernels
    ) {
        let padded = ConversionVectors.padded(count)
        paddedCount = padded
        unit = 1 << fractionBits
        indices = .allocate(capacity: padded)
        weights = .allocate(capacity: padded)
        indices.initialize(repeating: 0, count: padded)
        weights.initialize(repeating: 0, count: padded)
        let size = Double(sampleCount)
        for pixel in 0..<padded {
            let coordinate = start + (Double(min(pixel, count - 1)) + 0.5) / Double(count) * length
            let place = ((coordinate * size - 0.5) * Double(unit)).rounded()
            let last = Double((sampleCount - 1) * unit)
            let clamped = Int(min(max(place, 0), last))
            // The last sample has no next one, so it is addressed as the second sample of the
            // previous pair.
            let index = min(clamped >> fractionBits, max(0, sampleCount - 2))
            indices[pixel] = Int32(index)
            weights[pixel] = UInt16(clamped - index << fractionBits)
        }
        var run = 0
        while run < count, weights[run] == 0, indices[run] == indices[0] + Int32(run) { run += 1 }
        runLength = run
        guard usesKernels, let sampleSize else {
            groups = nil
            return
        }
        groups = SampleGroups(
            indices: indices, weights: weights, unit: unit, count: padded,
            sampleCount: sampleCount, sampleSize: sampleSize)
    }

    deinit {
        indices.deallocate()
        weights.deallocate()
    }
}
