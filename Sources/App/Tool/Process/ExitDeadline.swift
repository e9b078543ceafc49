// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Ends the program shortly after it was asked to exit, even if a driver blocks the thread that
/// would do so.
///
/// A shader can block a thread in an OpenGL call for minutes. The program gets enough time for an
/// orderly exit, and is then ended by the signal itself.
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
        // Created here, because a signal handler must not create it.
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

    /// Cancels the deadline for good: for work that completes a file, however long that takes.
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
