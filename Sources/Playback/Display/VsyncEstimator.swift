// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// Finds the steady beat behind jittery reports of vsyncs, and predicts the next ones.
///
/// Reported times wander by anything from microseconds (a kernel's vblank stamp) to a millisecond
/// (a virtual display's timer), and some reports are missing or far off. A film shown by raw times
/// would judder; shown by the estimate, its time advances by one period from vsync to vsync.
///
/// The model is a line, time = phase + count × period, fitted by a Kalman filter whose gains
/// depend on nothing but how many vsyncs it has seen: a running least-squares fit at first, then
/// one that forgets over some hundred vsyncs, so that it follows the slow drift of two quartz
/// clocks. Residuals beyond four standard deviations are clipped; when many in a row are, the
/// display has changed its mode, and the fit starts anew from the latest reports.
///
/// - Concurrency: a value; the display link's thread owns it. Neither allocates nor locks after
///   `init`.
package struct VsyncEstimator: Sendable {
    /// How many reports in a row have to contradict the line before it is given up.
    private static let patience = 8
    /// How far the nominal period may be wrong: window systems report whole hertz, so that
    /// 23.976 Hz may be called 23.
    private static let nominalDeviation = 0.05
    /// The jitter expected before any was measured, in periods.
    private static let initialJitter = 0.03
    /// Process noise of the period over measurement noise, both as variances. In the steady state
    /// the phase's gain is the fourth root of 4 × this: 1/256 of a residual goes into the phase.
    private static let periodNoise = 5.8e-11

    /// The vsync last reported; nil before the first.
    package private(set) var lastCount: Int64?
    /// How many reports the present fit rests on.
    package private(set) var observations = 0

    // The fitted time of `lastCount` is origin + phase, in nanoseconds. The origin follows the
    // vsyncs, so that `phase` stays small and keeps its precision.
    private var origin: Int64 = 0
    private var phase = 0.0
    private var estimatedPeriod: Double
    private let nominal: Double

    // Covariance of phase and period, in units of the measurement's variance.
    private var phaseVariance = 1.0
    private var covariance = 0.0
    private var periodVariance = 0.0

    private var residualVariance: Double
    private var contradictions = 0
    /// The latest reports that contradict the line.
    private var latest: [(count: Int64, nanoseconds: Int64)]
    /// What was predicted before the fit started anew; predictions do not go back behind it.
    private var floor = Int64.min

    /// - Parameter nominalPeriod: the period that the display is said to have.
    package init(nominalPeriod: MediaTime) {
        nominal = max(nominalPeriod.seconds * 1e9, 1)
        estimatedPeriod = nominal
        let jitter = nominal * Self.initialJitter
        residualVariance = jitter * jitter
        latest = []
        latest.reserveCapacity(Self.patience)
    }

    /// The estimated period in nanoseconds.
    package var period: Double { estimatedPeriod }

    /// The standard deviation of the reports about the line, in nanoseconds.
    package var jitter: Double { residualVariance.squareRoot() }

    /// Takes in that vsync `count` was reported to have been at `nanoseconds` of host time.
    /// A count that has been reported already is ignored.
    package mutating func add(count: Int64, nanoseconds: Int64) {
        guard let last = lastCount, count >= last else {
            restart(count: count, nanoseconds: nanoseconds, period: estimatedPeriod)
            return
        }
        guard count > last else { return }
        let ahead = self.nanoseconds(of: last + 1)

        // Predict: move along the line, and grow less sure.
        let steps = Double(count - last)
        phase += steps * estimatedPeriod
        let shift = Int64(phase.rounded())
        origin += shift
        phase -= Double(shift)
        phaseVariance += steps * (2 * covariance + steps * periodVariance)
        covariance += steps * periodVariance
        periodVariance += steps * Self.periodNoise
        lastCount = count

        // Correct: part of the residual goes into the phase, part into the period.
        let residual = Double(nanoseconds - origin) - phase
        let spread = phaseVariance + 1
        let gate = max(4 * (residualVariance * spread).squareRoot(), estimatedPeriod / 50)
        if abs(residual) <= gate {
            contradictions = 0
            latest.removeAll(keepingCapacity: true)
        } else if contradicts(count: count, nanoseconds: nanoseconds, predicted: ahead) {
            return
        }
        let clipped = min(max(residual, -gate), gate)
        let phaseGain = phaseVariance / spread
        let periodGain = covariance / spread
        phase += phaseGain * clipped
        estimatedPeriod += periodGain * clipped
        periodVariance -= periodGain * covariance
        covariance -= phaseGain * covariance
        phaseVariance -= phaseGain * phaseVariance
        observations += 1
        let weight = 1 / Double(min(observations, 128))
        residualVariance += (clipped * clipped / spread - residualVariance) * weight
    }

    /// The estimated host time of vsync `count`, in nanoseconds: past ones as the line has them,
    /// future ones as it foretells them. A vsync after the last one is never predicted earlier
    /// than that last one's own prediction was.
    ///
    /// - Precondition: at least one vsync has been added.
    package func nanoseconds(of count: Int64) -> Int64 {
        guard let lastCount else { preconditionFailure("no vsync has been added yet") }
        let onLine = origin + Int64((phase + Double(count - lastCount) * period).rounded())
        return count > lastCount ? max(onLine, floor) : onLine
    }

    /// Counts a report that does not fit; starts anew once there were too many in a row.
    private mutating func contradicts(
        count: Int64, nanoseconds: Int64, predicted: Int64
    ) -> Bool {
        contradictions += 1
        latest.append((count, nanoseconds))
        guard contradictions >= Self.patience else { return false }
        let first = latest[0]
        var span = Double(nanoseconds - first.nanoseconds) / Double(count - first.count)
        // The same period with another phase is likelier than a new one.
        if abs(span - estimatedPeriod) < estimatedPeriod / 100 {
            span = estimatedPeriod
        }
        restart(count: count, nanoseconds: nanoseconds, period: max(span, nominal / 100))
        floor = predicted
        return true
    }

    private mutating func restart(count: Int64, nanoseconds: Int64, period: Double) {
        lastCount = count
        observations = 1
        origin = nanoseconds
        phase = 0
        estimatedPeriod = period
        let jitter = period * Self.initialJitter
        residualVariance = jitter * jitter
        phaseVariance = 1
        covariance = 0
        let deviation = Self.nominalDeviation / Self.initialJitter
        periodVariance = deviation * deviation
        contradictions = 0
        latest.removeAll(keepingCapacity: true)
        floor = .min
    }
}
