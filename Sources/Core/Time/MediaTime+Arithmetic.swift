// SPDX-License-Identifier: Apache-2.0

extension MediaTime {
    /// The sum, in the least common multiple of both timescales. Where that multiple, or the value
    /// in it, does not fit, the result is rounded and says so.
    ///
    /// Invalid with anything is invalid; indefinite with anything valid is indefinite; +∞ and −∞
    /// together are invalid; times of different epochs do not add (invalid).
    public static func + (left: MediaTime, right: MediaTime) -> MediaTime {
        guard left.isNumeric, right.isNumeric else { return addSpecial(left, right) }
        guard left.epoch == right.epoch || left.epoch == 0 || right.epoch == 0 else {
            return .invalid
        }
        let rounded = left.flags.union(right.flags).intersection(.hasBeenRounded)
        let epoch = left.epoch == 0 ? right.epoch : left.epoch
        if left.timescale == right.timescale {
            let sum = Int128(left.value) + Int128(right.value)
            return fit(
                sum, over: Int128(left.timescale), preferring: left.timescale,
                flags: rounded, epoch: epoch)
        }
        let divisor = Int128(
            greatestCommonDivisor(UInt64(left.timescale), UInt64(right.timescale)))
        let leftFactor = Int128(right.timescale) / divisor
        let rightFactor = Int128(left.timescale) / divisor
        return fit(
            Int128(left.value) * leftFactor + Int128(right.value) * rightFactor,
            over: Int128(left.timescale) * leftFactor,
            preferring: max(left.timescale, right.timescale), flags: rounded, epoch: epoch)
    }

    public static func - (left: MediaTime, right: MediaTime) -> MediaTime { left + -right }

    public static prefix func - (time: MediaTime) -> MediaTime {
        if time.isPositiveInfinity { return .negativeInfinity }
        if time.isNegativeInfinity { return .positiveInfinity }
        guard time.isNumeric else { return time }
        return fit(
            -Int128(time.value), over: Int128(time.timescale), preferring: time.timescale,
            flags: time.flags.intersection(.hasBeenRounded), epoch: time.epoch)
    }

    public static func += (left: inout MediaTime, right: MediaTime) { left = left + right }
    public static func -= (left: inout MediaTime, right: MediaTime) { left = left - right }

    /// The time taken `multiplier` times, exactly where it fits.
    public static func * (time: MediaTime, multiplier: Int32) -> MediaTime {
        time.multiplied(by: multiplier, over: 1)
    }

    public static func * (multiplier: Int32, time: MediaTime) -> MediaTime { time * multiplier }

    /// The time scaled by a `Double`, rounded to nanoseconds or to the time's own scale if finer.
    public static func * (time: MediaTime, multiplier: Double) -> MediaTime {
        guard time.isNumeric else { return scaleSpecial(time, by: multiplier) }
        guard !multiplier.isNaN else { return .invalid }
        if multiplier == 1 { return time }
        guard multiplier.isFinite else {
            if time.value == 0 { return .invalid }
            return (time.value > 0) == (multiplier > 0) ? .positiveInfinity : .negativeInfinity
        }
        if let whole = Int32(exactly: multiplier) { return time * whole }
        let scale = max(time.timescale, 1_000_000_000)
        var result = MediaTime(seconds: time.seconds * multiplier, timescale: scale)
        if result.isNumeric {
            result.flags.insert(.hasBeenRounded)
            result.epoch = time.epoch
        }
        return result
    }

    /// The time scaled by `multiplier / divisor`; a divisor of zero gives `invalid`.
    public func multiplied(by multiplier: Int32, over divisor: Int32) -> MediaTime {
        guard divisor != 0 else { return .invalid }
        guard isNumeric else {
            return Self.scaleSpecial(self, by: Double(multiplier) / Double(divisor))
        }
        let sign: Int128 = divisor < 0 ? -1 : 1
        return Self.fit(
            Int128(value) * Int128(multiplier) * sign,
            over: Int128(timescale) * Int128(divisor) * sign, preferring: timescale,
            flags: flags.intersection(.hasBeenRounded), epoch: epoch)
    }

    /// The distance from zero.
    public var magnitude: MediaTime {
        self < .zero && (isNumeric || isNegativeInfinity) ? -self : self
    }

    /// `numerator / denominator` seconds: exactly if it fits, else rounded into `preferring`, else
    /// into the finest timescale in which it fits, else an infinity. `denominator` is positive.
    private static func fit(
        _ numerator: Int128, over denominator: Int128, preferring timescale: Int32,
        flags: Flags, epoch: Int64
    ) -> MediaTime {
        if let value = Int64(exactly: numerator), let scale = Int32(exactly: denominator) {
            return MediaTime(
                value: value, timescale: scale, flags: flags.union(.valid), epoch: epoch)
        }
        var scale = timescale
        while scale > 0 {
            // |numerator| < 2^96 and scale < 2^31, so the product fits in 128 bits.
            let (quotient, isExact) = divide(
                numerator * Int128(scale), by: denominator, .roundHalfAwayFromZero)
            if let value = Int64(exactly: quotient) {
                return MediaTime(
                    value: value, timescale: scale,
                    flags: flags.union(isExact ? .valid : [.valid, .hasBeenRounded]), epoch: epoch)
            }
            scale /= 2
        }
        return numerator > 0 ? .positiveInfinity : .negativeInfinity
    }

    private static func addSpecial(_ left: MediaTime, _ right: MediaTime) -> MediaTime {
        guard left.isValid, right.isValid else { return .invalid }
        if left.isIndefinite || right.isIndefinite { return .indefinite }
        if left.isNumeric { return right }
        if right.isNumeric { return left }
        return left == right ? left : .invalid
    }

    private static func scaleSpecial(_ time: MediaTime, by factor: Double) -> MediaTime {
        guard time.isValid, !factor.isNaN else { return .invalid }
        if time.isIndefinite { return .indefinite }
        if factor == 0 { return .invalid }
        return factor > 0 ? time : -time
    }
}
