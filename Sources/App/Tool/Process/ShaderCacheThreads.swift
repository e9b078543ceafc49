// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The threads in which Mesa writes compiled programs to its disk cache.
///
/// They run at the lowest priority. A process ends with its last thread, so on a busy machine they
/// delay its end by seconds.
enum ShaderCacheThreads {
    /// The end of the threads' names, before a number: `disk_cache_init_queue` in Mesa's
    /// `src/util/disk_cache.c`.
    private static let name = ":disk$"

    /// Gives the threads the priority of the calling thread, where the system allows it.
    static func raisePriority() {
        let processes = __priority_which_t(PRIO_PROCESS.rawValue)
        let priority = getpriority(processes, 0)
        let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
        for identifier in (names ?? []).compactMap({ id_t($0) }) {
            let path = "/proc/self/task/\(identifier)/comm"
            // The name is followed by a digit and a line feed.
            guard let text = try? String(contentsOfFile: path, encoding: .utf8),
                text.dropLast(2).hasSuffix(name)
            else { continue }
            setpriority(processes, identifier, priority)
        }
    }
}
