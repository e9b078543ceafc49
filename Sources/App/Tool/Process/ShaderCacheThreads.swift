// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The threads in which Mesa writes compiled shaders to its disk cache.
///
/// These threads run at the lowest priority. A process exits only after its last thread, so on a
/// busy machine they can delay the exit by seconds.
enum ShaderCacheThreads {
    /// The last part of the threads' names, which is followed by a number: `disk_cache_init_queue`
    /// in Mesa's `src/util/disk_cache.c`.
    private static let name = ":disk$"

    /// Gives the threads the priority of the calling thread, if the system allows it.
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
