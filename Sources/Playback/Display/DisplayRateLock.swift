// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// Makes a film a little faster or slower, so that its pictures fall on the vsyncs of a display for as
/// long as it plays: 23.976 pictures a second on 24 Hz, which would slip once in 42 seconds, then do
/// not slip at all.
///
/// The rate is changed by half a percent at most, where that makes a few pictures last a whole number
/// of vsyncs; else not at all. What is left of drift, since no period is known exactly, is taken back
/// while it is a small part of a vsync.
///
///     lock.notePicture(dueAt: hostTime, in: tick)
///     if let factor = lock.update(frameDuration: track.frameDuration, rate: 1, tick: tick) {
///         item.rateAdjustment = factor
///     }
///
/// - Concurrency: a value; the render thread owns it. Neither allocates nor locks.
/// - Corresponds to: mpv's `--video-sync=display-resample`; `AVPlayer` has no such thing.
package struct DisplayRateLock: Sendable {
    /// By how much the rate is changed at most: 9 cents of pitch, which nobody hears.
    package static let limit = 0.005
    /// Pictures of the longest pattern: 25 on 60 Hz are five in twelve vsyncs.
    private static let longestPattern = 5
    /// Seconds between two changes.
    private static let interval = 1.0
    /// How much of a drift is taken back in a second.
    private static let gain = 0.1
    /// Changes of less are none.
    private static let least = 1e-6

    private var factor = 1.0
    private var pattern = 1
    private var lastUpdate: MediaTime?
    /// Where in a vsync pictures began at first, in vsyncs; nil before it is known.
    private var reference: Double?
    private var deviationSum = 0.0
    private var deviationCount = 0

    package init() {}

    /// Forgets where pictures began: another film, or another rate.
    package mutating func reset() { self = DisplayRateLock() }

    /// The factor by which a film's rate is to be multiplied; 1 where it is too far off, and how many
    /// pictures then last a whole number of vsyncs.
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

    /// Notes when a picture was due that is shown for the first time in a tick.
    package mutating func notePicture(dueAt hostTime: MediaTime, in tick: DisplayTick) {
        guard let due = hostTime.nanoseconds, let target = tick.targetTimestamp.nanoseconds,
            let period = tick.duration.nanoseconds, period > 0
        else { return }
        // Pictures of a pattern begin at as many places; all of them count as one.
        let place = Double(due - target) / Double(period) * Double(pattern)
        guard let reference else {
            self.reference = place
            return
        }
        let off = place - reference
        deviationSum += (off - off.rounded()) / Double(pattern)
        deviationCount += 1
    }

    /// The factor, once a second if it has changed.
    ///
    /// - Parameter rate: the film's, without the factor.
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
            // Pictures that are due later and later need a film that goes faster.
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
