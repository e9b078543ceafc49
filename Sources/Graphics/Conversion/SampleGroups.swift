// SPDX-License-Identifier: Apache-2.0

/// The groups of adjacent pixels whose samples the loops in C load at once and then pick out of the
/// register. Groups exist only if the samples of each group fit in one load.
final class SampleGroups: @unchecked Sendable {
    // Unchecked: written in init only.

    /// The index of the first sample that is loaded for each group.
    let bases: UnsafeMutablePointer<Int32>
    /// The positions of the bytes of each pixel's two samples, counted from the first byte that is
    /// loaded for the group.
    let places: UnsafeMutablePointer<UInt8>
    /// The weights of the first and of the second sample, alternating.
    let weights: UnsafeMutablePointer<UInt16>

    /// The number of bytes that are loaded at once.
    private static let loadSize = 16

    /// Creates the groups.
    ///
    /// - Parameters:
    ///   - indices: the index of the first sample of each pixel.
    ///   - axisWeights: the weight of each pixel's second sample; `unit` stands for 1.
    ///   - count: the number of pixels, a multiple of `ConversionVectors.padding`.
    ///   - sampleCount: the number of samples in the row.
    ///   - sampleSize: the size of a sample, in bytes. The sample pairs of a group have as many
    ///     bytes as a load. A group therefore has eight pixels if samples have one byte, and four
    ///     if they have two.
    /// - Returns: nil if a row is too short, or if the frame is shrunk so far that the samples of a
    ///   group do not fit in one load.
    init?(
        indices: UnsafePointer<Int32>, weights axisWeights: UnsafePointer<UInt16>, unit: Int,
        count: Int, sampleCount: Int, sampleSize: Int
    ) {
        let pixelsPerGroup = Self.loadSize / (2 * sampleSize)
        let samplesPerLoad = Self.loadSize / sampleSize
        guard sampleCount >= samplesPerLoad else { return nil }
        let starts = stride(from: 0, to: count, by: pixelsPerGroup).map { first in
            // A load never reads beyond the row. In a mirrored frame the indices decrease, so the
            // smallest one is searched for.
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
