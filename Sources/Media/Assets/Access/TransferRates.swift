// SPDX-License-Identifier: Apache-2.0

/// The bit rates at which the segments of a stream arrived, and how many arrived too slowly.
///
/// - Concurrency: a value.
package struct TransferRates: Sendable, Hashable {
    /// The number of segments.
    package private(set) var count = 0
    /// The number of segments that took longer to arrive than they last.
    package private(set) var overdueCount = 0
    private var mean = 0.0
    /// The sum of the squares of the differences from the mean (Welford's method).
    private var squares = 0.0

    package init() {}

    /// Adds a segment.
    ///
    /// - Parameters:
    ///   - waited: The time that reading has waited for it, in nanoseconds.
    ///   - duration: The duration that the playlist states, in nanoseconds; nil if it is not known.
    package mutating func add(byteCount: Int64, waited: Int64, duration: Int64?) {
        guard byteCount > 0, waited > 0 else { return }
        count += 1
        if let duration, waited > duration { overdueCount += 1 }
        let rate = Double(byteCount) * 8e9 / Double(waited)
        let step = rate - mean
        mean += step / Double(count)
        squares += step * (rate - mean)
    }

    /// The standard deviation of the bit rates, in bits per second; nil for fewer than two
    /// segments.
    package var standardDeviation: Double? {
        count > 1 ? max(squares / Double(count - 1), 0).squareRoot() : nil
    }
}
