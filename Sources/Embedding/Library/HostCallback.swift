// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import PlayheadPlayback
import Synchronization

/// A function of the host's that is called to wake it, and can be exchanged.
///
/// - Concurrency: any thread. Exchanging it waits for a call that is just running. It is called on a thread
///   of its own: whoever has something to tell may hold what the host waits for in it, or be the host.
final class WakeupCallback: Sendable {
    private struct Function: @unchecked Sendable {
        // Unchecked: the host says that it may be called on any thread.
        var wakeup: playhead_wakeup?
        var user: UnsafeMutableRawPointer?
    }

    private let function = Mutex(Function())
    private let hasFunction = Atomic(false)

    /// Whether there is somebody to wake. Takes no lock.
    var isSet: Bool { hasFunction.load(ordering: .relaxed) }

    func set(_ wakeup: playhead_wakeup?, user: UnsafeMutableRawPointer?) {
        let new = Function(wakeup: wakeup, user: user)
        function.withLock { function in
            function = new
            hasFunction.store(wakeup != nil, ordering: .relaxed)
        }
    }

    /// Has it be called soon; returns at once.
    func call() {
        guard isSet else { return }
        ObservationQueue.background.async { [self] in
            function.withLock { function in
                guard let wakeup = function.wakeup else { return }
                Callback.run { wakeup(function.user) }
            }
        }
    }
}

/// Where lines for people go.
///
/// - Concurrency: any thread. Exchanging the callback waits for a call that is just running.
enum HostLog {
    private struct Function: @unchecked Sendable {
        // Unchecked: the host says that it may be called on any thread.
        var log: playhead_log?
        var user: UnsafeMutableRawPointer?
        var level: playhead_log_level = 0
    }

    private static let function = Mutex(Function())

    static func set(
        _ log: playhead_log?, user: UnsafeMutableRawPointer?, level: playhead_log_level
    ) {
        let new = Function(log: log, user: user, level: level)
        function.withLock { $0 = new }
    }

    /// Sends the lines of a text, one after another: what compilers say has several, and names of files may.
    static func write(_ level: Int, _ text: String) {
        guard !Callback.isRunning else { return }
        function.withLock { function in
            guard let log = function.log, level <= Int(function.level) else { return }
            for line in text.split(whereSeparator: \.isNewline) {
                String(line).withCString { line in
                    Callback.run { log(function.user, playhead_log_level(level), line) }
                }
            }
        }
    }
}
