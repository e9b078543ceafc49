// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import Synchronization

/// The log callback of the process.
///
/// - Concurrency: any thread. `set` waits for a running call.
enum HostLog {
    private struct Function: @unchecked Sendable {
        // Unchecked: the host guarantees that the function may be called on any thread.
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

    /// Sends a text to the callback line by line. Compiler messages and some file names have
    /// several lines.
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
