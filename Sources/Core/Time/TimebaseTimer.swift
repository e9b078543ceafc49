// SPDX-License-Identifier: Apache-2.0

/// A timer on a timebase's timeline: calls its handler when the timebase gets to a time.
///
/// It follows the timebase through changes of rate, jumps, and changes of master. It fires as soon
/// as the timebase, moving, has reached or passed the time in the direction in which it moves;
/// while the timebase stands still, or is held for a start to come, it does not. After firing it
/// rests until `fireTime` is set anew, which its handler may do.
///
/// - Concurrency: any thread.
/// - Ownership: the timebase keeps the timer until it has fired or is cancelled, whether or not
///   this is dropped. This does not keep the timebase.
/// - Corresponds to: a `CFRunLoopTimer` or dispatch source that is added to a `CMTimebase`.
public final class TimebaseTimer: Sendable {
    private let timebase: WeakTimebase
    private let number: Int
    private let handler: CancellableHandler<MediaTime>

    init(_ timebase: Timebase, number: Int, handler: CancellableHandler<MediaTime>) {
        self.timebase = WeakTimebase(timebase)
        self.number = number
        self.handler = handler
    }

    deinit {
        timebase.value?.timerWasDropped(number)
    }

    /// When the timer fires next, in the timebase's time. One that is no number means never, and is
    /// what this reads after firing.
    ///
    /// - Corresponds to: `CMTimebaseSetTimerNextFireTime`.
    public var fireTime: MediaTime {
        get { timebase.value?.fireTime(ofTimer: number) ?? .invalid }
        set { timebase.value?.setFireTime(newValue, ofTimer: number) }
    }

    /// Ends the timer: the handler is not called any more once this has returned. Waits for a call
    /// that is under way on another thread, so hold no lock that the handler takes.
    ///
    /// - Corresponds to: `CMTimebaseRemoveTimer`.
    public func cancel() {
        timebase.value?.removeTimer(number)
        handler.cancel()
    }
}

/// A weak reference that can be shared, for it is set once.
private final class WeakTimebase: @unchecked Sendable {
    // Unchecked: written in init only; the runtime makes reading weak references safe.
    private(set) weak var value: Timebase?
    init(_ value: Timebase) { self.value = value }
}
