// SPDX-License-Identifier: Apache-2.0

import PlayheadUI
import Synchronization

/// The start times of files, for a `--start` that is relative to the end of the file. Each start
/// time is determined once.
///
/// - Concurrency: any thread.
final class StartTimes: Sendable {
    private let times = Mutex<[String: MediaTime?]>([:])

    /// Returns the start time of a file.
    ///
    /// - Parameter find: Determines the start time of a file when it is first needed. It returns
    ///   nil if that is not possible.
    func time(of file: String, find: (String) -> MediaTime?) -> MediaTime? {
        if let known = times.withLock({ $0[file] }) { return known }
        let time = find(file)
        times.withLock { $0[file] = .some(time) }
        return time
    }
}
