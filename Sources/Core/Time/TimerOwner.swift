// SPDX-License-Identifier: Apache-2.0

/// An object that keeps timers, by number: a timebase, to its timers.
protocol TimerOwner: AnyObject, Sendable {
    /// Returns the time at which a timer fires next; `invalid` for never.
    func fireTime(ofTimer number: Int) -> MediaTime
    /// Sets the time at which a timer fires next.
    func setFireTime(_ time: MediaTime, ofTimer number: Int)
    /// Removes a timer.
    func removeTimer(_ number: Int)
    /// Removes a timer after it has fired, because its object is deallocated.
    func timerWasDropped(_ number: Int)
}
