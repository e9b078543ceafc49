// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Ends the program shortly after it was asked to end, even if a driver keeps the thread that would
/// do so.
///
/// A shader can hold a thread in a call of OpenGL for minutes. Programs that were asked to end get
/// the time that an orderly end takes, and are then ended by the signal itself.
///
/// - Concurrency: `start` may be called in signal handlers.
enum ExitDeadline {
    /// The time for an orderly end, in microseconds: two seconds, less what the system needs.
    private static let microseconds = 1_800_000
    /// The timer that counts wall-clock time.
    private static let timer = __itimer_which_t(ITIMER_REAL.rawValue)
    /// The signal that the program ends by. Set before the timer is, and read by its handler.
    nonisolated(unsafe) private static var number: Int32 = SIGTERM
    /// A Boolean value that indicates whether the deadline was cancelled for good. It is written by
    /// one thread. A handler that reads the old value starts a timer, which `cancel` then stops.
    nonisolated(unsafe) private static var isCancelled = false

    /// Installs the timer's handler: before the handlers of signals that start it.
    static func prepare() {
        // Made here, because a handler must not make it.
        number = SIGTERM
        _ = timer
        signal(SIGALRM) { _ in
            signal(ExitDeadline.number, SIG_DFL)
            // Of the whole process: the signal may be blocked in the thread that runs this.
            kill(getpid(), ExitDeadline.number)
        }
    }

    /// Starts the time, at the first call.
    static func start(for signal: Int32) {
        var current = itimerval()
        getitimer(timer, &current)
        guard !isCancelled, current.it_value.tv_sec == 0, current.it_value.tv_usec == 0 else {
            return
        }
        number = signal
        set(microseconds)
    }

    /// Stops the time for good: for work that leaves a file behind, however long that takes.
    static func cancel() {
        isCancelled = true
        set(0)
    }

    private static func set(_ microseconds: Int) {
        var value = itimerval()
        value.it_value.tv_sec = microseconds / 1_000_000
        value.it_value.tv_usec = microseconds % 1_000_000
        setitimer(timer, &value, nil)
    }
}
