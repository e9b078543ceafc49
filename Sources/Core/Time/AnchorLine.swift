// SPDX-License-Identifier: Apache-2.0

/// A timebase's time as a linear function of the time of its master. The line has no reference to
/// the master, so that a real-time thread can read it without reference counting.
struct AnchorLine {
    var time: MediaTime
    var masterTime: MediaTime
    var rate: Double
    /// A Boolean value that indicates whether the time is held until the master reaches the anchor.
    var holds = false
    /// The identity of the clock that is the master; nil if the master is a timebase.
    var clock: ObjectIdentifier?

    /// Returns the time of the line when the master reads `masterTime`.
    ///
    /// - Parameter hold: false to compute the time as if it were not held.
    func time(atMasterTime masterTime: MediaTime, heeding hold: Bool = true) -> MediaTime {
        if rate == 0 { return time }
        let elapsed = masterTime - self.masterTime
        if hold, holds, elapsed < .zero { return time }
        return time + (rate == 1 ? elapsed : elapsed * rate)
    }

    /// Returns the master's time at which the line reads `time`; nil at rate 0.
    func masterTime(at time: MediaTime) -> MediaTime? {
        guard rate != 0, time.isNumeric, self.time.isNumeric else { return nil }
        let distance = time - self.time
        return masterTime + (rate == 1 ? distance : distance.divided(by: rate))
    }
}
