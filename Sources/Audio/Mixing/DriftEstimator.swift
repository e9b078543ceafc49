// SPDX-License-Identifier: Apache-2.0

/// An estimator of a device clock's phase and rate from readings with jitter.
///
/// It is a delay-locked loop of second order with the gains of a Kalman filter of the two states
/// phase and drift: wide at the start of a run, when the phase is unknown, then as narrow as jitter
/// and drift require, and correct for readings at irregular intervals. See Adriaensen, "Using a DLL
/// to filter time" (Linux Audio Conference 2005), for the loop, and Bar-Shalom, Li and Kirubarajan,
/// "Estimation with Applications to Tracking and Navigation" (2001), 6.3, for the filter. Times are
/// in nanoseconds.
struct DriftEstimator: Sendable {
    /// A clock that reads `time` at `hostTime` and gains `drift` nanoseconds per nanosecond.
    struct Estimate {
        var hostTime: Int64
        var time: Int64
        /// The fraction of a nanosecond that `time` lacks.
        var fraction: Double
        var drift: Double

        func time(atHostTime host: Int64) -> Double {
            Double(time + (host - hostTime)) + fraction + Double(host - hostTime) * drift
        }
    }

    /// The standard deviation of a reading's error: audio servers wake up within a millisecond or
    /// so.
    static let readingDeviation = 0.5e6
    /// The standard deviation of the drift of devices: consumer crystals stay within 100 to 300
    /// ppm.
    static let driftDeviation = 300e-6
    /// The variance of the drift's change: 1 ppm in a second. It gives a time constant of 13 s at
    /// 10 readings a second, and a rate that is known to 4 ppm, or 70 ns from vsync to vsync.
    static let wanderVariance = 1e-12 / 1e9
    /// The largest drift, which no device reaches; it keeps the slope positive.
    static let maximumDrift = 0.005

    private var estimate = Estimate(hostTime: 0, time: 0, fraction: 0, drift: 0)
    // The covariance of phase and drift.
    private var phaseVariance = 0.0
    private var covariance = 0.0
    private var driftVariance = Self.driftDeviation * Self.driftDeviation

    /// Begins a run with a reading, whose own error becomes part of the unknown phase. The drift is
    /// kept.
    mutating func begin(hostTime: Int64, time: Int64) {
        let elapsed = Double(max(0, hostTime - estimate.hostTime))
        let limit = Self.driftDeviation * Self.driftDeviation
        driftVariance = min(limit, driftVariance + Self.wanderVariance * elapsed)
        estimate = Estimate(hostTime: hostTime, time: time, fraction: 0, drift: estimate.drift)
        phaseVariance = Self.readingDeviation * Self.readingDeviation
        covariance = 0
    }

    /// Keeps the drift, but with the initial uncertainty.
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
        // Readings may arrive out of order because of jitter; the filter's time does not go back.
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
