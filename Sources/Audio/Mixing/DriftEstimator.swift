// SPDX-License-Identifier: Apache-2.0

/// Estimates a device clock's phase and rate from jittery readings.
///
/// A delay-locked loop of second order whose gains are those of a Kalman filter with the two states
/// phase and drift: wide at the start of a run, when the phase is unknown, then as narrow as jitter
/// and drift warrant, and right for readings at irregular intervals. See Adriaensen, "Using a DLL to
/// filter time" (Linux Audio Conference 2005), for the loop, and Bar-Shalom, Li and Kirubarajan,
/// "Estimation with Applications to Tracking and Navigation" (2001), 6.3, for the filter. Times in
/// nanoseconds.
struct DriftEstimator: Sendable {
    /// A clock that reads `time` at `hostTime` and gains `drift` nanoseconds per nanosecond.
    struct Estimate {
        var hostTime: Int64
        var time: Int64
        /// What `time` leaves out: the fraction.
        var fraction: Double
        var drift: Double

        func time(atHostTime host: Int64) -> Double {
            Double(time + (host - hostTime)) + fraction + Double(host - hostTime) * drift
        }
    }

    /// Standard deviation of a reading's error: sound servers wake up within a millisecond or so.
    static let readingDeviation = 0.5e6
    /// Standard deviation of devices' drift: consumer crystals stay within 100 to 300 ppm.
    static let driftDeviation = 300e-6
    /// How fast the drift may wander: 1 ppm in a second. It makes for a time constant of 13 s at 10
    /// readings a second, and for a rate that is known to 4 ppm, or 70 ns from vsync to vsync.
    static let wanderVariance = 1e-12 / 1e9
    /// No device is this far off; the slope stays safely positive.
    static let maximumDrift = 0.005

    private var estimate = Estimate(hostTime: 0, time: 0, fraction: 0, drift: 0)
    // The covariance of phase and drift.
    private var phaseVariance = 0.0
    private var covariance = 0.0
    private var driftVariance = Self.driftDeviation * Self.driftDeviation

    /// Starts a run at a reading, whose own error becomes part of the unknown phase. The drift is
    /// carried over.
    mutating func begin(hostTime: Int64, time: Int64) {
        let elapsed = Double(max(0, hostTime - estimate.hostTime))
        let limit = Self.driftDeviation * Self.driftDeviation
        driftVariance = min(limit, driftVariance + Self.wanderVariance * elapsed)
        estimate = Estimate(hostTime: hostTime, time: time, fraction: 0, drift: estimate.drift)
        phaseVariance = Self.readingDeviation * Self.readingDeviation
        covariance = 0
    }

    /// Keeps the drift, but no longer trusts it.
    mutating func forgetRate() { driftVariance = Self.driftDeviation * Self.driftDeviation }

    /// By how much a reading is ahead of the estimate.
    func error(hostTime: Int64, time: Int64) -> Double {
        let elapsed = hostTime - estimate.hostTime
        return Double(time - estimate.time - elapsed) - estimate.fraction
            - Double(elapsed) * estimate.drift
    }

    /// Takes a reading into the estimate.
    mutating func update(hostTime: Int64, time: Int64) -> Estimate {
        let error = error(hostTime: hostTime, time: time)
        // Readings may arrive out of order by their jitter; the filter's time does not go back.
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
