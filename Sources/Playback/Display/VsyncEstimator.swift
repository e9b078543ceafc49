// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// An estimator that determines the steady period of vsyncs from reports with jitter, and predicts
/// vsyncs.
///
/// Reported times vary by microseconds (a kernel's vblank timestamp) up to a millisecond (a virtual
/// display's timer), and some reports are missing or far off. A video that used these times
/// directly would judder. With the estimate, its time advances by one period from vsync to vsync.
///
/// The model is a line, time = phase + count × period. It is fitted by a Kalman filter whose gains
/// depend only on the number of vsyncs received. At first this is a running least-squares fit.
/// Later, a report loses its influence over several hundred vsyncs, so that the line follows the
/// slow drift between two quartz clocks. Residuals beyond four standard deviations are clipped. If
/// there are many such residuals in a row, the display has changed its mode, and the fit restarts
/// from the latest reports.
///
/// - Concurrency: a value that the display link's thread owns. After `init`, it does not allocate
///   or lock.
package struct VsyncEstimator: Sendable {
    /// The number of consecutive reports that must contradict the line before the fit is restarted.
    private static let patience = 8
    /// The possible relative error of the nominal period. Window systems report whole hertz, so
    /// 23.976 Hz may be reported as 23.
    private static let nominalDeviation = 0.05
    /// The jitter that is assumed before it has been measured, in periods.
    private static let initialJitter = 0.03
    /// The variance of the period's process noise, divided by the variance of the measurement
    /// noise. In the steady state, the gain of the phase is the fourth root of 4 × this value:
    /// 1/256 of a residual goes into the phase.
    private static let periodNoise = 5.8e-11

    /// The last vsync that was reported; nil before the first one.
    package private(set) var lastCount: Int64?
    /// The number of reports in the current fit.
    package private(set) var observations = 0

    // The fitted time of `lastCount` is origin + phase, in nanoseconds. The origin moves along with
    // the vsyncs, so that `phase` stays small and precise.
    private var origin: Int64 = 0
    private var phase = 0.0
    private var estimatedPeriod: Double
    private let nominal: Double

    // The covariance of the phase and the period, in units of the measurement's variance.
    private var phaseVariance = 1.0
    private var covariance = 0.0
    private var periodVariance = 0.0

    private var residualVariance: Double
    private var contradictions = 0
    /// The latest reports that contradict the line.
    private var latest: [(count: Int64, nanoseconds: Int64)]
    /// The last prediction before the fit was restarted. Later predictions are not earlier than
    /// this.
    private var floor = Int64.min

    /// Creates an estimator.
    ///
    /// - Parameter nominalPeriod: The period that the display reports.
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

    /// The standard deviation of the reports from the line, in nanoseconds.
    package var jitter: Double { residualVariance.squareRoot() }

    /// Adds a report that vsync `count` was at `nanoseconds` of host time. A count equal to the
    /// last one is ignored. A lower count begins a new line, with the estimated period.
    package mutating func add(count: Int64, nanoseconds: Int64) {
        guard let last = lastCount, count >= last else {
            restart(count: count, nanoseconds: nanoseconds, period: estimatedPeriod)
            return
        }
        guard count > last else { return }
        let ahead = self.nanoseconds(of: last + 1)

        // Prediction step: move along the line, with growing uncertainty.
        let steps = Double(count - last)
        phase += steps * estimatedPeriod
        let shift = Int64(phase.rounded())
        origin += shift
        phase -= Double(shift)
        phaseVariance += steps * (2 * covariance + steps * periodVariance)
        covariance += steps * periodVariance
        periodVariance += steps * Self.periodNoise
        lastCount = count

        // Correction step: a part of the residual goes into the phase, and a part into the period.
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

    /// Returns the estimated host time of vsync `count`, in nanoseconds. For past vsyncs it is on
    /// the fitted line; for future ones it is predicted. After a restart of the fit, predictions
    /// are never earlier than the last prediction before the restart.
    ///
    /// - Precondition: at least one vsync has been added.
    package func nanoseconds(of count: Int64) -> Int64 {
        guard let lastCount else { preconditionFailure("no vsync has been added yet") }
        let onLine = origin + Int64((phase + Double(count - lastCount) * period).rounded())
        return count > lastCount ? max(onLine, floor) : onLine
    }

    /// Counts a report that does not fit the line. After too many such reports in a row, restarts
    /// the fit.
    private mutating func contradicts(
        count: Int64, nanoseconds: Int64, predicted: Int64
    ) -> Bool {
        contradictions += 1
        latest.append((count, nanoseconds))
        guard contradictions >= Self.patience else { return false }
        let first = latest[0]
        var span = Double(nanoseconds - first.nanoseconds) / Double(count - first.count)
        // A new phase with the same period is more likely than a new period.
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
