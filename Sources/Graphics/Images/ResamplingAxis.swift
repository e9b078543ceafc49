// SPDX-License-Identifier: Apache-2.0

/// The samples of a row or a column from which each pixel is computed, and their weights. If the
/// frame shrinks, a pixel is the mean over its width; otherwise samples are interpolated linearly.
struct ResamplingAxis: Sendable, Equatable {
    /// The index of the first sample of each pixel.
    private(set) var first: [Int] = []
    /// The index in `weights` of each pixel's first weight, followed by the number of all weights.
    private(set) var starts: [Int] = [0]
    private(set) var weights: [Float] = []

    /// Creates the weights.
    ///
    /// - Parameters:
    ///   - count: the number of pixels.
    ///   - sampleCount: the number of samples. Beyond the edges, the outermost sample is repeated.
    ///   - scale: the factor from texture coordinates of pixels to those of samples, before
    ///     `offset` is added.
    init(count: Int, sampleCount: Int, scale: Double = 1, offset: Double = 0) {
        let width = scale * Double(sampleCount) / Double(count)
        let origin = offset * Double(sampleCount)
        for pixel in 0..<count {
            let start = origin + width * Double(pixel)
            if width > 1 {
                addMean(from: start, to: start + width, sampleCount)
            } else {
                addLine(at: start + width / 2 - 0.5, sampleCount)
            }
        }
    }

    private mutating func addMean(from start: Double, to end: Double, _ sampleCount: Int) {
        // An edge within a millionth of a whole sample is treated as whole: the difference is a
        // rounding error.
        let low = min(max(0, Int((start + 1e-6).rounded(.down))), sampleCount - 1)
        let high = min(max(low + 1, Int((end - 1e-6).rounded(.up))), sampleCount)
        let shares = (low..<high).map {
            max(0, min(end, Double($0 + 1)) - max(start, Double($0)))
        }
        let sum = shares.reduce(0, +)
        add(low, sum > 0 ? shares.map { Float($0 / sum) } : [1])
    }

    private mutating func addLine(at place: Double, _ sampleCount: Int) {
        let clamped = min(max(0, place), Double(sampleCount - 1))
        let low = Int(clamped.rounded(.down))
        let share = clamped - Double(low)
        let isBetween = share > 1e-6 && low + 1 < sampleCount
        add(low, isBetween ? [Float(1 - share), Float(share)] : [1])
    }

    private mutating func add(_ sample: Int, _ shares: [Float]) {
        first.append(sample)
        weights += shares
        starts.append(weights.count)
    }
}
