// SPDX-License-Identifier: Apache-2.0

extension MediaTime: CustomStringConvertible {
    /// The seconds with six decimals, followed by the rational in brackets:
    /// `1.001000 s (1001/1000)`. A leading `~` marks a rounded time.
    public var description: String {
        guard isNumeric else {
            if isPositiveInfinity { return "+infinity" }
            if isNegativeInfinity { return "-infinity" }
            return isIndefinite ? "indefinite" : "invalid"
        }
        let microseconds = Self.divide(
            Int128(value) * 1_000_000, by: Int128(timescale), .roundHalfAwayFromZero
        ).quotient
        let whole = microseconds.magnitude / 1_000_000
        let fraction = String(microseconds.magnitude % 1_000_000)
        let sign = value < 0 ? "-" : ""
        let zeros = String(repeating: "0", count: 6 - fraction.count)
        let mark = hasBeenRounded ? "~" : ""
        let pass = epoch == 0 ? "" : ", epoch \(epoch)"
        return "\(mark)\(sign)\(whole).\(zeros)\(fraction) s (\(value)/\(timescale)\(pass))"
    }

    /// The time as `h:mm:ss.mmm`, for window titles and lists. The hours are omitted below one
    /// hour. `--:--` if the time is not numeric.
    public var clockDescription: String {
        guard isNumeric else { return "--:--" }
        let milliseconds = Self.divide(
            Int128(value) * 1000, by: Int128(timescale), .roundTowardZero
        ).quotient
        let total = milliseconds.magnitude
        func padded(_ number: UInt128, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let (hours, minutes) = (total / 3_600_000, total / 60000 % 60)
        let clock = "\(padded(total / 1000 % 60, 2)).\(padded(total % 1000, 3))"
        let sign = value < 0 ? "-" : ""
        return hours > 0
            ? "\(sign)\(hours):\(padded(minutes, 2)):\(clock)" : "\(sign)\(minutes):\(clock)"
    }
}
