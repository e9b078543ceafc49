// SPDX-License-Identifier: Apache-2.0

import PlayheadTime
import Synchronization

/// A monitor of a live stream. The demuxer updates it each time it loads the playlist, and a player
/// reads the window from it.
///
/// - Concurrency: any thread; holds a lock only for a copy.
package final class LiveMonitor: Sendable {
    private struct State {
        var window: LiveWindow?
        var dates = TimelineDates()
        var changeCount = 0
        var reloadTime = Int64.max
    }

    private let state = Mutex(State())
    private let interruptHandler: @Sendable () -> Void
    private let resumeHandler: @Sendable () -> Void

    /// Handlers are called on any thread, also with locks held, so they must not take locks.
    ///
    /// - Parameters:
    ///   - interruptHandler: Ends a read that waits for data, and all later calls of the demuxer.
    ///   - resumeHandler: Allows calls of the demuxer to wait for data again.
    package init(
        interruptHandler: @escaping @Sendable () -> Void = {},
        resumeHandler: @escaping @Sendable () -> Void = {}
    ) {
        self.interruptHandler = interruptHandler
        self.resumeHandler = resumeHandler
    }

    /// The window; nil if the asset is not a live stream.
    package var window: LiveWindow? { state.withLock { $0.window } }

    /// The dates of the stream's timeline; empty if the stream states none.
    package var dates: TimelineDates { state.withLock { $0.dates } }

    /// The number of times that the window has changed.
    package var changeCount: Int { state.withLock { $0.changeCount } }

    /// The time until the playlist should be loaded again, in nanoseconds; nil for a playlist that
    /// does not change any more.
    package var reloadDelay: Int64? {
        let time = state.withLock { $0.reloadTime }
        return time == .max ? nil : max(time - HostClock.nanoseconds, 0)
    }

    /// Records the window, and the dates of the timeline.
    package func note(_ window: LiveWindow, dates: TimelineDates = TimelineDates()) {
        state.withLock { state in
            state.dates = dates
            guard state.window != window else { return }
            state.window = window
            state.changeCount += 1
        }
    }

    /// Sets the time after which the playlist should be loaded again, in nanoseconds from now; nil
    /// if it does not change any more.
    package func setReload(after interval: Int64?) {
        let time = interval.map { HostClock.nanoseconds + $0 } ?? .max
        state.withLock { $0.reloadTime = time }
    }

    /// Ends a read that waits for data, because the demuxer has to seek.
    package func interruptReading() { interruptHandler() }

    /// Allows the demuxer to wait for data again. It is called before the demuxer seeks, or if it
    /// no longer has to seek, in order with the interruptions: a seek must not end the interruption
    /// for a newer seek.
    package func resumeReading() { resumeHandler() }
}
