// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// A controller that makes a video slightly faster or slower, so that its frames coincide with the
/// vsyncs of a display. Without it, for example, video at 23.976 frames per second on a 24 Hz
/// display slips by a frame every 42 seconds.
///
/// If a change of less than half a percent makes a few frames last a whole number of vsyncs, the
/// rate is changed by that amount. A drift remains, because neither the duration of a frame nor the
/// vsync period is known exactly. Further tiny changes of the rate correct this drift.
///
///     lock.notePicture(dueAt: hostTime, in: tick)
///     if let factor = lock.update(frameDuration: track.frameDuration, rate: 1, tick: tick) {
///         item.rateAdjustment = factor
///     }
///
/// - Concurrency: a value that the render thread owns. It does not allocate or lock.
/// - Corresponds to: mpv's `--video-sync=display-resample`; `AVPlayer` has no counterpart.
package struct DisplayRateLock: Sendable {
    /// The maximum change of the rate: 9 cents of pitch, which is inaudible.
    package static let limit = 0.005
    /// The number of frames in the longest pattern. For example, at 25 frames per second on 60 Hz,
    /// five frames last twelve vsyncs.
    private static let longestPattern = 5
    /// The minimum time between two changes, in seconds.
    private static let interval = 1.0
    /// The fraction of a drift that is corrected per second.
    private static let gain = 0.1
    /// The minimum change of the factor.
    private static let least = 1e-6

    private var factor = 1.0
    private var pattern = 1
    private var lastUpdate: MediaTime?
    /// The phase of the first recorded frame, to which later frames are compared; nil until a frame
    /// has been recorded.
    private var reference: Double?
    private var deviationSum = 0.0
    private var deviationCount = 0

    package init() {}

    /// Discards the phase. Call this method when the video or the rate has changed.
    package mutating func reset() { self = DisplayRateLock() }

    /// Returns a factor to apply to a video's rate, and the number of frames that then last a whole
    /// number of vsyncs. Both are 1 if the rate would change by `limit` or more.
    package static func factor(
        frameDuration: Double, period: Double, rate: Double = 1
    ) -> (factor: Double, pictures: Int) {
        guard frameDuration > 0, period > 0, rate != 0 else { return (1, 1) }
        let vsyncs = frameDuration / rate.magnitude / period
        for count in 1...longestPattern {
            let all = vsyncs * Double(count)
            let whole = max(1, all.rounded())
            let factor = all / whole
            if abs(factor - 1) < limit { return (factor, count) }
        }
        return (1, 1)
    }

    /// Records the due time of a frame. `tick` is the tick in which the frame is first shown.
    package mutating func notePicture(dueAt hostTime: MediaTime, in tick: DisplayTick) {
        guard let due = hostTime.nanoseconds, let target = tick.targetTimestamp.nanoseconds,
            let period = tick.duration.nanoseconds, period > 0
        else { return }
        // The frames of a pattern begin at different phases. They are mapped to a single phase.
        let place = Double(due - target) / Double(period) * Double(pattern)
        guard let reference else {
            self.reference = place
            return
        }
        let off = place - reference
        deviationSum += (off - off.rounded()) / Double(pattern)
        deviationCount += 1
    }

    /// Returns the new factor, at most once per second; nil if it has not changed.
    ///
    /// - Parameter rate: The video's rate without the factor.
    package mutating func update(
        frameDuration: MediaTime, rate: Double, tick: DisplayTick
    ) -> Double? {
        if let lastUpdate, (tick.timestamp - lastUpdate).seconds < Self.interval { return nil }
        let (nominal, pictures) = Self.factor(
            frameDuration: frameDuration.seconds, period: tick.duration.seconds, rate: rate)
        var new = nominal
        if pictures != pattern || lastUpdate == nil {
            pattern = pictures
            reference = nil
        } else if nominal != 1, deviationCount > 0 {
            // If frames are due later and later, the video has to be faster.
            let drift = deviationSum / Double(deviationCount) * tick.duration.seconds
            new *= 1 + drift * Self.gain
        }
        (deviationSum, deviationCount) = (0, 0)
        lastUpdate = tick.timestamp
        new = min(max(new, 1 - Self.limit), 1 + Self.limit)
        guard abs(new - factor) > Self.least else { return nil }
        factor = new
        return new
    }
}
