// SPDX-License-Identifier: Apache-2.0

extension MediaTime {
    /// How a value that does not fall on a unit of the wanted timescale is rounded.
    ///
    /// - Corresponds to: `CMTimeRoundingMethod`.
    public enum RoundingMethod: Sendable, CaseIterable {
        /// To the nearest unit, halves away from zero. The default.
        case roundHalfAwayFromZero
        case roundTowardZero
        case roundAwayFromZero
        /// Towards zero when the new timescale is finer, away from zero when it is coarser.
        case quickTime
        case roundTowardPositiveInfinity
        case roundTowardNegativeInfinity
    }

    /// Seconds as `Double`: NaN for `invalid` and `indefinite`. For display and for arithmetic
    /// that is approximate anyway; comparisons belong to `MediaTime` itself.
    public var seconds: Double {
        if isNumeric { return Double(value) / Double(timescale) }
        if isPositiveInfinity { return .infinity }
        if isNegativeInfinity { return -.infinity }
        return .nan
    }

    /// The time in whole nanoseconds, rounded down; nil unless numeric and within ±292 years.
    public var nanoseconds: Int64? {
        guard isNumeric else { return nil }
        if timescale == 1_000_000_000 { return value }
        return Int64(
            exactly: Self.divide(
                Int128(value) * 1_000_000_000, by: Int128(timescale),
                .roundTowardNegativeInfinity
            ).quotient)
    }

    /// A time of whole nanoseconds, the unit of host time.
    public init(nanoseconds: Int64) {
        self.init(value: nanoseconds, timescale: 1_000_000_000)
    }

    init(seconds: Double, timescale: Int32) {
        guard timescale > 0, !seconds.isNaN else {
            self = .invalid
            return
        }
        guard seconds.isFinite else {
            self = seconds > 0 ? .positiveInfinity : .negativeInfinity
            return
        }
        var scale = timescale
        while true {
            let exact = seconds * Double(scale)
            if let value = Int64(exactly: exact.rounded(.toNearestOrAwayFromZero)) {
                let isExact = Double(value) / Double(scale) == seconds
                self.init(
                    value: value, timescale: scale,
                    flags: isExact ? .valid : [.valid, .hasBeenRounded], epoch: 0)
                return
            }
            guard scale > 1 else {
                self = seconds > 0 ? .positiveInfinity : .negativeInfinity
                return
            }
            scale /= 2
        }
    }

    /// The same time in units of 1/`timescale`, marked as rounded unless exact. A value that does
    /// not fit gives an infinity; a timescale that is not positive gives `invalid`.
    public func converted(
        toTimescale newTimescale: Int32, method: RoundingMethod = .roundHalfAwayFromZero
    ) -> MediaTime {
        guard isNumeric else { return self }
        guard newTimescale > 0 else { return .invalid }
        if newTimescale == timescale { return self }
        var method = method
        if method == .quickTime {
            method = newTimescale > timescale ? .roundTowardZero : .roundAwayFromZero
        }
        let (quotient, isExact) = Self.divide(
            Int128(value) * Int128(newTimescale), by: Int128(timescale), method)
        guard let value = Int64(exactly: quotient) else {
            return quotient > 0 ? .positiveInfinity : .negativeInfinity
        }
        var result = self
        result.value = value
        result.timescale = newTimescale
        if !isExact { result.flags.insert(.hasBeenRounded) }
        return result
    }

    /// `numerator / denominator` (which is positive), rounded.
    static func divide(
        _ numerator: Int128, by denominator: Int128, _ method: RoundingMethod
    ) -> (quotient: Int128, isExact: Bool) {
        let (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
        if remainder == 0 { return (quotient, true) }
        let away = numerator < 0 ? quotient - 1 : quotient + 1
        switch method {
        case .roundTowardZero, .quickTime: return (quotient, false)
        case .roundAwayFromZero: return (away, false)
        case .roundTowardPositiveInfinity: return (numerator < 0 ? quotient : away, false)
        case .roundTowardNegativeInfinity: return (numerator < 0 ? away : quotient, false)
        case .roundHalfAwayFromZero:
            return (remainder.magnitude * 2 >= denominator.magnitude ? away : quotient, false)
        }
    }
}
