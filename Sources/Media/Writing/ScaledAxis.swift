// SPDX-License-Identifier: Apache-2.0

/// The source samples, and their weights, from which each sample of a scaled row or column is
/// computed. The weights are those of a Catmull-Rom cubic. If the frame is made smaller, the cubic
/// is widened to the distance between two samples of the result.
struct ScaledAxis: Sendable {
    /// The number of weights for each sample.
    let tapCount: Int
    /// The index of the first source sample from which each sample is computed. Indices outside the
    /// source were moved to its nearest end.
    let first: [Int]
    /// The weights: `tapCount` for each sample, with a sum of 1.
    let weights: [Float]

    /// Creates the weights.
    ///
    /// - Parameters:
    ///   - places: The positions of the samples, in units of source samples; the first source
    ///     sample is at 0.
    ///   - count: The number of source samples. Beyond them, the outermost sample is repeated.
    ///   - scale: The number of source samples per sample of the result.
    init(places: [Double], count: Int, scale: Double) {
        let width = max(scale, 1)
        let reach = min(Int((2 * width).rounded(.up)) * 2, count)
        tapCount = reach
        var first: [Int] = []
        var weights: [Float] = []
        for place in places {
            let low = Int((place - 2 * width).rounded(.up))
            let high = Int((place + 2 * width).rounded(.down))
            let start = min(max(low, 0), count - reach)
            var row = [Double](repeating: 0, count: reach)
            for sample in low...max(low, high) {
                let index = min(max(sample, 0), count - 1) - start
                row[min(max(index, 0), reach - 1)] += Self.weight(
                    abs(Double(sample) - place) / width)
            }
            let sum = row.reduce(0, +)
            first.append(start)
            weights += row.map { Float($0 / sum) }
        }
        self.first = first
        self.weights = weights
    }

    /// Returns the weight at a distance, as in Keys, "Cubic Convolution Interpolation for Digital
    /// Image Processing" (1981), with a = −1/2.
    private static func weight(_ x: Double) -> Double {
        if x < 1 { return (1.5 * x - 2.5) * x * x + 1 }
        if x < 2 { return ((-0.5 * x + 2.5) * x - 4) * x + 2 }
        return 0
    }
}
