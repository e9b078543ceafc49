// SPDX-License-Identifier: Apache-2.0

import PlayheadUI
import Synchronization

/// The start times of files whose `--start` depends on their end, each determined once.
///
/// - Concurrency: any thread.
final class StartTimes: Sendable {
    private let times = Mutex<[String: MediaTime?]>([:])

    /// Returns the time of a file.
    ///
    /// - Parameter find: Called for a file without a time; returns nil if it finds none either.
    func time(of file: String, find: (String) -> MediaTime?) -> MediaTime? {
        if let known = times.withLock({ $0[file] }) { return known }
        let time = find(file)
        times.withLock { $0[file] = .some(time) }
        return time
    }
}
