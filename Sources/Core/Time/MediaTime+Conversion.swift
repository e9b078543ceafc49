// SPDX-License-Identifier: Apache-2.0

extension MediaTime {
    /// The rounding rule for a value that lies between two units of the new timescale.
    ///
    /// - Corresponds to: `CMTimeRoundingMethod`.
    public enum RoundingMethod: Sendable, CaseIterable {
        /// Rounds to the nearest unit. A value halfway between two units is rounded away from zero.
        /// This is the default.
        case roundHalfAwayFromZero
        /// Rounds to the unit nearer to zero.
        case roundTowardZero
        /// Rounds to the unit farther from zero.
        case roundAwayFromZero
        /// Rounds towards zero if the new timescale is coarser, and away from zero if it is finer.
        /// A negative time never becomes zero.
        case quickTime
        /// Rounds to the later unit.
        case roundTowardPositiveInfinity
        /// Rounds to the earlier unit.
        case roundTowardNegativeInfinity
    }

    /// The time in seconds; NaN for `invalid` and `indefinite`. Use it for display and approximate
    /// arithmetic. To compare times, compare the `MediaTime` values.
    public var seconds: Double {
        if isNumeric { return Double(value) / Double(timescale) }
        if isPositiveInfinity { return .infinity }
        if isNegativeInfinity { return -.infinity }
        return .nan
    }

    /// The time in whole nanoseconds, rounded down; nil if the time is not numeric or is beyond
    /// ±292 years.
    public var nanoseconds: Int64? {
        guard isNumeric else { return nil }
        if timescale == 1_000_000_000 { return value }
        return Int64(
            exactly: Self.divide(
                Int128(value) * 1_000_000_000, by: Int128(timescale),
                .roundTowardNegativeInfinity
            ).quotient)
    }

    /// Creates a time of whole nanoseconds, the unit of host time.
    public init(nanoseconds: Int64) {
        self.init(value: nanoseconds, timescale: 1_000_000_000)
    }

    /// Creates the time nearest to `seconds` in units of 1/`preferredTimescale`. The time is marked
    /// as rounded unless its `seconds` property equals the argument. NaN gives `invalid`;
    /// infinities give infinities. If the value does not fit, the timescale is halved until it
    /// does.
    ///
    /// - Corresponds to: `CMTimeMakeWithSeconds`.
    public init(seconds: Double, preferredTimescale: Int32 = 1_000_000_000) {
        guard preferredTimescale > 0, !seconds.isNaN else {
            self = .invalid
            return
        }
        guard seconds.isFinite,
            let exact = ExactSeconds(value: 1, timescale: 1, times: seconds)
        else {
            self = seconds > 0 ? .positiveInfinity : .negativeInfinity
            return
        }
        self.init(
            rounding: exact, toTimescale: preferredTimescale, flags: .valid, epoch: 0)
        guard isNumeric else { return }
        flags = self.seconds == seconds ? .valid : .validAndRounded
    }

    /// Returns the time in units of 1/`timescale`, marked as rounded if the result is not exact. A
    /// value that does not fit gives an infinity; a timescale that is not positive gives `invalid`.
    /// Times that are not numeric stay unchanged.
    ///
    /// - Corresponds to: `CMTimeConvertScale`.
    public func converted(
        toTimescale newTimescale: Int32, method: RoundingMethod = .roundHalfAwayFromZero
    ) -> MediaTime {
        guard isNumeric else { return self }
        guard newTimescale > 0 else { return .invalid }
        if newTimescale == timescale { return self }
        var method = method
        let isQuickTime = method == .quickTime
        if isQuickTime {
            method = newTimescale < timescale ? .roundTowardZero : .roundAwayFromZero
        }
        var (quotient, isExact) = Self.divide(
            Int128(value) * Int128(newTimescale), by: Int128(timescale), method)
        if isQuickTime, quotient == 0, value < 0 { quotient = -1 }
        guard let value = Int64(exactly: quotient) else {
            return quotient > 0 ? .positiveInfinity : .negativeInfinity
        }
        var result = self
        result.value = value
        result.timescale = newTimescale
        if !isExact { result.flags.insert(.hasBeenRounded) }
        return result
    }

    /// Returns `numerator / denominator`, rounded. The denominator must be positive.
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
