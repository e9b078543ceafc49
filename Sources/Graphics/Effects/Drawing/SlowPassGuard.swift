// SPDX-License-Identifier: Apache-2.0

/// Decides when an effect takes too long to be drawn and when it is tried again.
///
/// An effect whose pass exceeds the limit in two measured frames is bypassed. It is tried again
/// after a pause, which doubles with each failed attempt. The cause may be temporary, such as a
/// busy GPU or a large window.
///
/// - Concurrency: a value; render thread.
struct SlowPassGuard {
    /// The number of slow frames before an effect is bypassed. The first slow frame may have waited
    /// for a compiler.
    private static let frameLimit = 2
    /// The first and the longest pause, in nanoseconds: 10 seconds and 5 minutes.
    static let firstPause: Int64 = 10_000_000_000
    private static let longestPause: Int64 = 300_000_000_000

    private var slowFrameCount = 0
    private var pause = firstPause
    private var retryTime: Int64?
    /// A Boolean value that indicates whether the effect is being tried again.
    private(set) var isTrial = false

    /// Records the time of the slowest pass of a frame.
    ///
    /// - Returns: A Boolean value that indicates whether the effect is bypassed from now on.
    mutating func note(nanoseconds: Int64, limit: Int64, now: Int64) -> Bool {
        guard nanoseconds > limit else {
            slowFrameCount = 0
            if isTrial { (isTrial, pause) = (false, Self.firstPause) }
            return false
        }
        slowFrameCount += 1
        guard isTrial || slowFrameCount >= Self.frameLimit else { return false }
        if isTrial { pause = min(2 * pause, Self.longestPause) }
        (isTrial, slowFrameCount, retryTime) = (false, 0, now + pause)
        return true
    }

    /// Returns whether the effect is bypassed in the next frame. After the pause, the effect is
    /// drawn in one frame as a trial.
    mutating func isBypassed(now: Int64) -> Bool {
        guard let retryTime else { return false }
        guard now >= retryTime else { return true }
        (self.retryTime, isTrial) = (nil, true)
        return false
    }

    /// The pause before the next attempt, in seconds.
    var pauseSeconds: Int { Int(pause / 1_000_000_000) }
}
