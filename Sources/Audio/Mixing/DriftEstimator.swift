// SPDX-License-Identifier: Apache-2.0

/// An estimator of a device clock's phase and rate from readings with jitter.
///
/// It is a second-order delay-locked loop with the gains of a Kalman filter whose two states are
/// phase and drift. The loop is wide at the start of a run, when the phase is unknown, and then
/// becomes as narrow as jitter and drift require. It is also correct for readings at irregular
/// intervals. The loop follows Adriaensen, "Using a DLL to filter time" (Linux Audio Conference
/// 2005), and the filter follows Bar-Shalom, Li and Kirubarajan, "Estimation with Applications to
/// Tracking and Navigation" (2001), 6.3. Times are in nanoseconds.
struct DriftEstimator: Sendable {
    /// A clock that reads `time` at `hostTime` and gains `drift` nanoseconds per nanosecond of host
    /// time.
    struct Estimate {
        var hostTime: Int64
        var time: Int64
        /// The fraction of a nanosecond to add to `time`.
        var fraction: Double
        var drift: Double

        func time(atHostTime host: Int64) -> Double {
            Double(time + (host - hostTime)) + fraction + Double(host - hostTime) * drift
        }
    }

    /// The standard deviation of the error of a reading. Audio servers wake up within about a
    /// millisecond.
    static let readingDeviation = 0.5e6
    /// The standard deviation of the drift of devices. Consumer crystals stay within 100 to 300
    /// ppm.
    static let driftDeviation = 300e-6
    /// The increase of the variance of the drift per nanosecond: in a second, the drift changes by
    /// about 1 ppm. With 10 readings per second, the time constant is 13 s and the rate is known to
    /// 4 ppm, or 70 ns per vsync interval.
    static let wanderVariance = 1e-12 / 1e9
    /// The largest drift. No device reaches it; the limit keeps the slope positive.
    static let maximumDrift = 0.005

    private var estimate = Estimate(hostTime: 0, time: 0, fraction: 0, drift: 0)
    // The covariance of phase and drift.
    private var phaseVariance = 0.0
    private var covariance = 0.0
    private var driftVariance = Self.driftDeviation * Self.driftDeviation

    /// Begins a run with a reading. The error of that reading becomes part of the unknown phase.
    /// The drift is kept.
    mutating func begin(hostTime: Int64, time: Int64) {
        let elapsed = Double(max(0, hostTime - estimate.hostTime))
        let limit = Self.driftDeviation * Self.driftDeviation
        driftVariance = min(limit, driftVariance + Self.wanderVariance * elapsed)
        estimate = Estimate(hostTime: hostTime, time: time, fraction: 0, drift: estimate.drift)
        phaseVariance = Self.readingDeviation * Self.readingDeviation
        covariance = 0
    }

    /// Resets the uncertainty of the drift to its initial value. The drift itself is kept.
    mutating func forgetRate() { driftVariance = Self.driftDeviation * Self.driftDeviation }

    /// Returns the difference between a reading and the estimate.
    func error(hostTime: Int64, time: Int64) -> Double {
        let elapsed = hostTime - estimate.hostTime
        return Double(time - estimate.time - elapsed) - estimate.fraction
            - Double(elapsed) * estimate.drift
    }

    /// Updates the estimate with a reading.
    mutating func update(hostTime: Int64, time: Int64) -> Estimate {
        let error = error(hostTime: hostTime, time: time)
        // Jitter may change the order of readings, but the filter's time must not go back.
        let now = max(hostTime, estimate.hostTime)
        let elapsed = Double(now - estimate.hostTime)
        phaseVariance += elapsed * (2 * covariance + elapsed * driftVariance)
        covariance += elapsed * driftVariance
        driftVariance += elapsed * Self.wanderVariance
        let innovation = phaseVariance + Self.readingDeviation * Self.readingDeviation
        let (phaseGain, driftGain) = (phaseVariance / innovation, covariance / innovation)
        let phase = estimate.fraction + elapsed * estimate.drift + phaseGain * error
        let whole = phase.rounded()
        estimate.time += now - estimate.hostTime + Int64(whole)
        estimate.fraction = phase - whole
        estimate.hostTime = now
        estimate.drift = max(
            -Self.maximumDrift, min(Self.maximumDrift, estimate.drift + driftGain * error))
        driftVariance -= driftGain * covariance
        covariance *= 1 - phaseGain
        phaseVariance *= 1 - phaseGain
        return estimate
    }
}
