// SPDX-License-Identifier: Apache-2.0

/// The samples of a row or a column that each pixel is made of, and their weights: the mean over
/// the pixel's width if the frame shrinks, linear interpolation otherwise.
struct ResamplingAxis: Sendable, Equatable {
    /// The first sample of each pixel.
    private(set) var first: [Int] = []
    /// The start of each pixel's weights in `weights`; one more than there are pixels.
    private(set) var starts: [Int] = [0]
    private(set) var weights: [Float] = []

    /// Creates the weights.
    ///
    /// - Parameters:
    ///   - count: the number of pixels.
    ///   - sampleCount: the number of samples; beyond them the outermost is repeated.
    ///   - scale: samples' texture coordinate = pixels' * `scale` + `offset`.
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
        // Edges within a millionth of a sample are whole: they come from rounding.
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
