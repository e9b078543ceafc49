// SPDX-License-Identifier: Apache-2.0

/// The samples of a row or a column that each sample of a scaled one is made of, and their weights:
/// a cubic of Catmull and Rom, as wide as a sample of the result if the frame shrinks.
struct ScaledAxis: Sendable {
    /// The number of weights of each sample.
    let tapCount: Int
    /// The index of the first source sample of each sample. Those outside were folded inwards.
    let first: [Int]
    /// The weights, `tapCount` for each sample. They add up to 1.
    let weights: [Float]

    /// Creates the weights.
    ///
    /// - Parameters:
    ///   - places: The places of the samples, in samples of the source, whose first is at 0.
    ///   - count: The number of samples of the source; beyond them the outermost is repeated.
    ///   - scale: The number of source samples to a sample.
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

    /// Keys, "Cubic Convolution Interpolation for Digital Image Processing" (1981), with a = −1/2.
    private static func weight(_ x: Double) -> Double {
        if x < 1 { return (1.5 * x - 2.5) * x * x + 1 }
        if x < 2 { return ((-0.5 * x + 2.5) * x - 4) * x + 2 }
        return 0
    }
}
