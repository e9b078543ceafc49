// SPDX-License-Identifier: Apache-2.0

/// Between which two samples of a row (or of a column) each output pixel lies, and how near to the
/// second: linear filtering, worked out once for a size.
///
/// - Corresponds to: OpenGL 3.3, 3.8.11, `LINEAR` with `CLAMP_TO_EDGE`.
final class SampleAxis: @unchecked Sendable {
    // Unchecked: written in init only.

    /// Pixels, rounded up to `ConversionKernels.padding`; the entries beyond the last repeat it.
    let paddedCount: Int
    /// Index of the first sample of each pixel; the second is the next one, so it is always
    /// followed by another, if the row has two samples at all.
    let indices: UnsafeMutablePointer<Int32>
    /// Share of the second sample, from 0 to `unit`.
    let weights: UnsafeMutablePointer<UInt16>
    /// The weight that stands for 1.
    let unit: Int
    /// Pixels from the first on that are samples, one after the other, from `indices[0]` on.
    let runLength: Int
    /// For AVX2; nil where there is none, or where it is of no use for this axis.
    let groups: SampleGroups?

    /// - Parameters:
    ///   - count: pixels.
    ///   - sampleCount: samples in the row.
    ///   - start: texture coordinate of the part's first edge.
    ///   - length: texture coordinate of its last edge, less that of the first.
    ///   - fractionBits: of the weights. 8 is what Mesa's software rasteriser filters textures of
    ///     8 bits with, after rounding coordinates to as many (lp_bld_sample_aos.c).
    ///   - sampleSize: bytes of the samples that rows are filtered along; nil for what no row is filtered
    ///     along.
    init(
        count: Int, sampleCount: Int, start: Double, length: Double, fractionBits: Int,
        sampleSize: Int? = nil, hasAVX2: Bool = ConversionKernels.hasAVX2
    ) {
        let padded = ConversionKernels.padded(count)
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
            // The last sample is the second one of the pair before it.
            let index = min(clamped >> fractionBits, max(0, sampleCount - 2))
            indices[pixel] = Int32(index)
            weights[pixel] = UInt16(clamped - index << fractionBits)
        }
        var run = 0
        while run < count, weights[run] == 0, indices[run] == indices[0] + Int32(run) { run += 1 }
        runLength = run
        guard hasAVX2, let sampleSize else {
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
