// SPDX-License-Identifier: Apache-2.0

extension MediaTime: Comparable {
    /// The rank of the time's kind in the order −∞, numbers, indefinite, +∞, invalid.
    private var rank: Int {
        if isNumeric { return 1 }
        if !isValid { return 4 }
        if isNegativeInfinity { return 0 }
        return isPositiveInfinity ? 3 : 2
    }

    /// Returns whether both values are the same time. 1/2 equals 2/4, and a rounded time equals an
    /// exact time of the same value.
    public static func == (left: MediaTime, right: MediaTime) -> Bool {
        order(left, right) == 0
    }

    /// Returns whether the left time precedes the right one in an exact total order. Times are
    /// ordered by epoch, then by value; `MediaTime` describes the order of times that are not
    /// numeric. `min` and `max` use this order.
    ///
    /// - Corresponds to: `CMTimeCompare`, `CMTimeMinimum`, `CMTimeMaximum`.
    public static func < (left: MediaTime, right: MediaTime) -> Bool {
        order(left, right) < 0
    }

    private static func order(_ left: MediaTime, _ right: MediaTime) -> Int {
        let ranks = (left.rank, right.rank)
        if ranks != (1, 1) { return ranks.0 == ranks.1 ? 0 : (ranks.0 < ranks.1 ? -1 : 1) }
        if left.epoch != right.epoch { return left.epoch < right.epoch ? -1 : 1 }
        if left.timescale == right.timescale {
            return left.value == right.value ? 0 : (left.value < right.value ? -1 : 1)
        }
        let a = Int128(left.value) * Int128(right.timescale)
        let b = Int128(right.value) * Int128(left.timescale)
        return a == b ? 0 : (a < b ? -1 : 1)
    }

    /// Hashes the value, not its representation, so that equal times have equal hashes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(rank)
        guard isNumeric else { return }
        hasher.combine(epoch)
        let divisor = greatestCommonDivisor(value.magnitude, UInt64(timescale))
        hasher.combine(value / Int64(divisor))
        hasher.combine(Int64(timescale) / Int64(divisor))
    }
}
