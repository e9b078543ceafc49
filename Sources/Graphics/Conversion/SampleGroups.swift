// SPDX-License-Identifier: Apache-2.0

/// An axis as AVX2 goes along it: the samples of some pixels beside each other are loaded at once and
/// picked out of the register, where they lie near enough to each other.
final class SampleGroups: @unchecked Sendable {
    // Unchecked: written in init only.

    /// First sample of each group.
    let bases: UnsafeMutablePointer<Int32>
    /// For each pixel its two samples' bytes, counted from the group's first.
    let places: UnsafeMutablePointer<UInt8>
    /// Shares of the first and of the second sample by turns.
    let weights: UnsafeMutablePointer<UInt16>

    /// Bytes that are loaded at once.
    private static let loadSize = 16

    /// - Parameters:
    ///   - indices: first sample of each pixel.
    ///   - axisWeights: share of each pixel's second sample, of `unit`.
    ///   - count: pixels, a multiple of `ConversionKernels.padding`.
    ///   - sampleCount: samples in the row.
    ///   - sampleSize: bytes of a sample; groups are of as many pixels as have two samples each in as many
    ///     bytes as a load, eight or four.
    /// - Returns: nil where a row is too short, or the picture comes out so much smaller that samples of
    ///   a group do not lie in one load.
    init?(
        indices: UnsafePointer<Int32>, weights axisWeights: UnsafePointer<UInt16>, unit: Int,
        count: Int, sampleCount: Int, sampleSize: Int
    ) {
        let pixelsPerGroup = Self.loadSize / (2 * sampleSize)
        let samplesPerLoad = Self.loadSize / sampleSize
        guard sampleCount >= samplesPerLoad else { return nil }
        let starts = stride(from: 0, to: count, by: pixelsPerGroup).map { first in
            // Nothing is loaded from beyond the row. A mirrored picture's samples come in falling order.
            let least = (first..<first + pixelsPerGroup).reduce(Int.max) {
                min($0, Int(indices[$1]))
            }
            return min(least, sampleCount - samplesPerLoad)
        }
        let isNear = (0..<count).allSatisfy {
            Int(indices[$0]) + 1 - starts[$0 / pixelsPerGroup] < samplesPerLoad
        }
        guard isNear else { return nil }
        bases = .allocate(capacity: starts.count)
        places = .allocate(capacity: count * 2 * sampleSize)
        weights = .allocate(capacity: count * 2)
        for (index, start) in starts.enumerated() {
            (bases + index).initialize(to: Int32(start))
        }
        for pixel in 0..<count {
            let place = (Int(indices[pixel]) - starts[pixel / pixelsPerGroup]) * sampleSize
            for byte in 0..<2 * sampleSize {
                (places + pixel * 2 * sampleSize + byte).initialize(to: UInt8(place + byte))
            }
            (weights + pixel * 2).initialize(to: UInt16(unit) - axisWeights[pixel])
            (weights + pixel * 2 + 1).initialize(to: axisWeights[pixel])
        }
    }

    deinit {
        bases.deallocate()
        places.deallocate()
        weights.deallocate()
    }
}
