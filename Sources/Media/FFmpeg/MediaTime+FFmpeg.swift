// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadTime

// Conversions between FFmpeg's times and `MediaTime`. `AV_NOPTS_VALUE` is used only in this file.
// It is `Int64.min`, which traps in arithmetic.

extension MediaTime {
    /// Creates a time from a timestamp. `AV_NOPTS_VALUE` becomes `invalid`.
    init(_ timestamp: Int64, timeBase: AVRational) {
        guard timestamp != ph_AV_NOPTS_VALUE(), timeBase.num > 0, timeBase.den > 0 else {
            self = .invalid
            return
        }
        self = MediaTime(value: timestamp, timescale: timeBase.den)
        if timeBase.num != 1 { self = multiplied(by: timeBase.num, over: 1) }
    }

    /// Creates a time from a duration. FFmpeg's unknown duration, 0, becomes `invalid`.
    init(duration: Int64, timeBase: AVRational) {
        self = duration > 0 ? MediaTime(duration, timeBase: timeBase) : .invalid
    }

    /// Creates the duration of a frame at a rate. An invalid rate, such as 0/0, becomes `invalid`.
    init(periodOf rate: AVRational) {
        let isRate = rate.num > 0 && rate.den > 0
        self = isRate ? MediaTime(value: Int64(rate.den), timescale: rate.num) : .invalid
    }

    /// Returns the last timestamp, in units of `timeBase`, that is not after this time. Returns nil
    /// if the time is not numeric or does not fit.
    func timestamp(in timeBase: AVRational) -> Int64? {
        guard isNumeric, timeBase.num > 0, timeBase.den > 0 else { return nil }
        let numerator = Int128(value) * Int128(timeBase.den)
        let denominator = Int128(timescale) * Int128(timeBase.num)
        var (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
        if remainder < 0 { quotient -= 1 }
        return Int64(exactly: quotient)
    }
}

/// FFmpeg's internal time base, microseconds. It is the macro `AV_TIME_BASE_Q`, which Swift cannot
/// import.
let microseconds = AVRational(num: 1, den: AV_TIME_BASE)
