// SPDX-License-Identifier: Apache-2.0

/// A timer on a timebase's timeline. It calls its handler when the timebase reaches a time.
///
/// The timer follows the timebase through changes of rate, jumps, and changes of master. It fires
/// as soon as the timebase, running forwards or backwards, has reached or passed the time. It does
/// not fire while the timebase is stopped or held for a future start. After firing, the timer is
/// idle until `fireTime` is set again; the handler may set it.
///
/// - Concurrency: any thread.
/// - Ownership: the timebase keeps the timer until it has fired or is cancelled, even if this
///   object is released. The timer does not keep the timebase alive.
/// - Corresponds to: a `CFRunLoopTimer` or dispatch source that is added to a `CMTimebase`.
public final class TimebaseTimer: Sendable {
    private weak let timebase: (any TimerOwner)?
    private let number: Int
    private let handler: CancellableHandler<MediaTime>

    init(_ timebase: any TimerOwner, number: Int, handler: CancellableHandler<MediaTime>) {
        self.timebase = timebase
        self.number = number
        self.handler = handler
    }

    deinit {
        timebase?.timerWasDropped(number)
    }

    /// The time at which the timer fires next, on the timebase's timeline. If the time is not
    /// numeric, the timer does not fire. After the timer has fired, the time is `invalid`.
    ///
    /// - Corresponds to: `CMTimebaseSetTimerNextFireTime`.
    public var fireTime: MediaTime {
        get { timebase?.fireTime(ofTimer: number) ?? .invalid }
        set { timebase?.setFireTime(newValue, ofTimer: number) }
    }

    /// Cancels the timer. After this call returns, the handler is not called again. The call waits
    /// for the handler if it is running on another thread, so do not hold a lock that the handler
    /// takes.
    ///
    /// - Corresponds to: `CMTimebaseRemoveTimer`.
    public func cancel() {
        timebase?.removeTimer(number)
        handler.cancel()
    }
}
