// SPDX-License-Identifier: Apache-2.0

/// A clock's time as a function of host time that consists of three straight pieces: before, during
/// and after the last correction. It is continuous and always rising. Times are in nanoseconds. A
/// *drift* is a slope minus 1. This small number is more precise than the slope.
struct ClockLine: Sendable {
    /// The host time at which the second piece begins.
    var hostTime: Int64 = 0
    /// The clock's time at `hostTime`.
    var time: Int64 = 0
    /// The host time at which the correction is complete.
    var slewEnd: Int64 = 0
    var driftBefore = 0.0
    var driftDuring = 0.0
    var driftAfter = 0.0

    func time(atHostTime host: Int64) -> Int64 {
        let elapsed = host - hostTime
        if elapsed < 0 { return time + elapsed + rounded(Double(elapsed) * driftBefore) }
        let slewing = min(host, slewEnd) - hostTime
        let after = elapsed - slewing
        return time + elapsed + rounded(Double(slewing) * driftDuring + Double(after) * driftAfter)
    }

    func hostTime(at time: Int64) -> Int64 {
        let elapsed = time - self.time
        if elapsed < 0 { return hostTime + divide(elapsed, by: driftBefore) }
        let slewing = slewEnd - hostTime
        let slewed = slewing + rounded(Double(slewing) * driftDuring)
        if elapsed <= slewed { return hostTime + divide(elapsed, by: driftDuring) }
        return slewEnd + divide(elapsed - slewed, by: driftAfter)
    }

    /// Bends the line at host time `host`, so that it later joins `estimate`.
    mutating func steer(towards estimate: DriftEstimator.Estimate, atHostTime host: Int64) {
        // A reading older than the last correction affects only the part after that correction.
        let host = max(host, hostTime)
        let now = time(atHostTime: host)
        let before = host < slewEnd ? driftDuring : driftAfter
        let target = estimate.time(atHostTime: host)
        let error = target - Double(now)
        let slew = max(
            -AudioClock.maximumSlew, min(AudioClock.maximumSlew, error / AudioClock.slewDuration))
        let duration = slew == 0 ? 0 : error / slew
        self = ClockLine(
            hostTime: host, time: now, slewEnd: host + rounded(duration), driftBefore: before,
            driftDuring: estimate.drift + slew, driftAfter: estimate.drift)
    }

    /// Ends a correction in progress whose cause no longer applies.
    mutating func settle(atHostTime host: Int64) {
        let host = max(host, hostTime)
        let now = time(atHostTime: host)
        let before = host < slewEnd ? driftDuring : driftAfter
        self = ClockLine(
            hostTime: host, time: now, slewEnd: host, driftBefore: before,
            driftDuring: driftAfter, driftAfter: driftAfter)
    }

    private func rounded(_ value: Double) -> Int64 { Int64(value.rounded()) }

    /// Returns `elapsed / (1 + drift)` without losing the precision of `drift`, which is a small
    /// number.
    private func divide(_ elapsed: Int64, by drift: Double) -> Int64 {
        elapsed - rounded(Double(elapsed) * (drift / (1 + drift)))
    }
}
