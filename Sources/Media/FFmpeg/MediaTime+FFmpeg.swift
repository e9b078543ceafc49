// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadTime

// Where FFmpeg's times become ours, and back. `AV_NOPTS_VALUE`, which is `Int64.min` and traps in
// arithmetic, does not get past this file.

extension MediaTime {
    /// A timestamp in units of `timeBase`; `AV_NOPTS_VALUE` gives `invalid`.
    init(_ timestamp: Int64, timeBase: AVRational) {
        guard timestamp != ph_AV_NOPTS_VALUE(), timeBase.num > 0, timeBase.den > 0 else {
            self = .invalid
            return
        }
        self = MediaTime(value: timestamp, timescale: timeBase.den)
        if timeBase.num != 1 { self = multiplied(by: timeBase.num, over: 1) }
    }

    /// A duration in units of `timeBase`; FFmpeg says 0 where it does not know.
    init(duration: Int64, timeBase: AVRational) {
        self = duration > 0 ? MediaTime(duration, timeBase: timeBase) : .invalid
    }

    /// The time from one frame to the next at a rate; `invalid` for a rate of 0/0 or worse.
    init(periodOf rate: AVRational) {
        let isRate = rate.num > 0 && rate.den > 0
        self = isRate ? MediaTime(value: Int64(rate.den), timescale: rate.num) : .invalid
    }

    /// The last timestamp in units of `timeBase` that is not after this time; nil for a time that
    /// is no number or does not fit.
    func timestamp(in timeBase: AVRational) -> Int64? {
        guard isNumeric, timeBase.num > 0, timeBase.den > 0 else { return nil }
        let numerator = Int128(value) * Int128(timeBase.den)
        let denominator = Int128(timescale) * Int128(timeBase.num)
        var (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
        if remainder < 0 { quotient -= 1 }
        return Int64(exactly: quotient)
    }
}

/// FFmpeg's own unit of time, microseconds: `AV_TIME_BASE_Q`, a cast macro that Swift does not see.
let microseconds = AVRational(num: 1, den: AV_TIME_BASE)
