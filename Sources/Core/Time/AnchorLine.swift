// SPDX-License-Identifier: Apache-2.0

/// The line on which a timebase's time moves, without what keeps its master alive: a real-time thread
/// reads it without counting a reference.
struct AnchorLine {
    var time: MediaTime
    var masterTime: MediaTime
    var rate: Double
    /// Whether the time stands still until the master has reached the anchor.
    var holds = false
    /// Which clock the master is; nil where it is a timebase.
    var clock: ObjectIdentifier?

    /// What the line reads when the master reads `masterTime`.
    func time(atMasterTime masterTime: MediaTime, heeding hold: Bool = true) -> MediaTime {
        if rate == 0 { return time }
        let elapsed = masterTime - self.masterTime
        if hold, holds, elapsed < .zero { return time }
        return time + (rate == 1 ? elapsed : elapsed * rate)
    }

    /// When, in the master's time, the line reads `time`; nil while it stands still.
    func masterTime(at time: MediaTime) -> MediaTime? {
        guard rate != 0, time.isNumeric, self.time.isNumeric else { return nil }
        let distance = time - self.time
        return masterTime + (rate == 1 ? distance : distance.divided(by: rate))
    }
}
