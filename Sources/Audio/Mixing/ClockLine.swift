// SPDX-License-Identifier: Apache-2.0

/// A clock's reading as a line of three pieces over host time: before the last correction, while it
/// is being made, and after. Continuous, and rising everywhere. Times in nanoseconds; a *drift* is a
/// slope minus 1, which keeps the small number's precision.
struct ClockLine: Sendable {
    /// Where the second piece begins.
    var hostTime: Int64 = 0
    /// What the clock reads there.
    var time: Int64 = 0
    /// Host time at which the correction is complete.
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

    /// Bends the line, from host time `host` on, so that it joins `estimate`.
    mutating func steer(towards estimate: DriftEstimator.Estimate, atHostTime host: Int64) {
        // A reading older than the last correction changes what comes after that correction.
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

    /// Ends a correction that is under way: what it was to correct no longer counts.
    mutating func settle(atHostTime host: Int64) {
        let host = max(host, hostTime)
        let now = time(atHostTime: host)
        let before = host < slewEnd ? driftDuring : driftAfter
        self = ClockLine(
            hostTime: host, time: now, slewEnd: host, driftBefore: before,
            driftDuring: driftAfter, driftAfter: driftAfter)
    }

    private func rounded(_ value: Double) -> Int64 { Int64(value.rounded()) }

    /// `elapsed / (1 + drift)`, without losing the small number's precision.
    private func divide(_ elapsed: Int64, by drift: Double) -> Int64 {
        elapsed - rounded(Double(elapsed) * (drift / (1 + drift)))
    }
}
