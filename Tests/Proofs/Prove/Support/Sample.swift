// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Measured values in milliseconds, and their distribution.
struct Sample: CustomStringConvertible {
    private let values: [Double]
    private let magnitudes: [Double]

    init(_ values: [Double]) {
        self.values = values
        magnitudes = values.map(abs).sorted()
    }

    init(nanoseconds: [Int64]) { self.init(nanoseconds.map { Double($0) / 1e6 }) }

    var count: Int { values.count }
    var smallest: Double { values.min() ?? .nan }
    var largest: Double { values.max() ?? .nan }
    /// The signed mean.
    var mean: Double { values.isEmpty ? .nan : values.reduce(0, +) / Double(values.count) }

    /// Returns the magnitude that the given share of all values does not exceed (nearest rank).
    func magnitude(ofShare share: Double) -> Double {
        guard !magnitudes.isEmpty else { return .nan }
        let rank = Int((share * Double(magnitudes.count)).rounded(.up))
        return magnitudes[min(max(rank, 1), magnitudes.count) - 1]
    }

    var description: String {
        String(
            format: "mean %+.2f, p50 %.2f, p99 %.2f, max %.2f ms (n = %d)", mean,
            magnitude(ofShare: 0.5), magnitude(ofShare: 0.99), magnitude(ofShare: 1), count)
    }

    /// The range of the values, for values that all have the same sign.
    var range: String {
        String(format: "%+.2f ... %+.2f ms, mean %+.2f", smallest, largest, mean)
    }
}
