// SPDX-License-Identifier: Apache-2.0

/// An object that owns timers and identifies them by number. A timer refers to its timebase through
/// this type.
protocol TimerOwner: AnyObject, Sendable {
    /// Returns the time at which a timer fires next; `invalid` if it does not fire.
    func fireTime(ofTimer number: Int) -> MediaTime
    /// Sets the time at which a timer fires next.
    func setFireTime(_ time: MediaTime, ofTimer number: Int)
    /// Removes a timer.
    func removeTimer(_ number: Int)
    /// Removes a timer whose object was deallocated: at once if it is idle, otherwise after it has
    /// fired.
    func timerWasDropped(_ number: Int)
}
