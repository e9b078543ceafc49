// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The threads in which Mesa writes compiled programs to its disk cache, where other contexts find
/// them.
///
/// OpenGL has no call that waits for these threads. They run at the lowest priority, so on a busy
/// machine a program may be written many frames later, and until then other contexts compile it
/// again. The kernel reports whether a thread sleeps, which shows whether it is idle.
///
/// - Concurrency: one thread.
struct ShaderCacheWriters {
    /// The text before the number at the end of a thread's name. The name consists of the program's
    /// name, the name of Mesa's queue and the number: `util_queue_init` in `src/util/u_queue.c` and
    /// `disk_cache_init_queue` in `src/util/disk_cache.c`.
    private static let name = ":disk$"
    /// The maximum wait, in microseconds. A new version that is shown late is better than a frame
    /// that waits for a compiler.
    private static let limitMicroseconds = 1_000_000
    private static let stepMicroseconds = 250
    /// The wait if no threads are found: several times as long as a write takes.
    private static let settlingMicroseconds: UInt32 = 8000

    /// Waits until the threads have written all programs. If the system permits it, raises their
    /// priority to that of the calling thread.
    func wait() {
        let threads = Self.threads()
        guard !threads.isEmpty else {
            usleep(Self.settlingMicroseconds)
            return
        }
        let priority = getpriority(Int32(PRIO_PROCESS.rawValue), 0)
        for thread in threads { setpriority(Int32(PRIO_PROCESS.rawValue), thread, priority) }
        // The threads must be idle twice in a row, because a thread also sleeps briefly while it
        // waits for the disk.
        var idleCount = 0
        for _ in 0..<Self.limitMicroseconds / Self.stepMicroseconds {
            idleCount = threads.allSatisfy(Self.isAsleep) ? idleCount + 1 : 0
            if idleCount == 2 { return }
            usleep(UInt32(Self.stepMicroseconds))
        }
    }

    /// Returns the identifiers of the threads: proc(5), /proc/self/task.
    private static func threads() -> [id_t] {
        guard let folder = opendir("/proc/self/task") else { return [] }
        defer { closedir(folder) }
        var threads: [id_t] = []
        while let entry = readdir(folder) {
            let identifier = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let number = id_t(identifier),
                // The name is followed by a digit and a line feed.
                text("/proc/self/task/\(number)/comm")?.dropLast(2).hasSuffix(name) == true
            else { continue }
            threads.append(number)
        }
        return threads
    }

    /// Returns whether a thread sleeps or no longer exists: proc(5), /proc/pid/stat, the third
    /// field, which follows the name in parentheses.
    private static func isAsleep(_ identifier: id_t) -> Bool {
        guard let line = text("/proc/self/task/\(identifier)/stat"),
            let end = line.lastIndex(of: ")")
        else { return true }
        return line[end...].dropFirst(2).first == "S"
    }

    private static func text(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(byteCount: 512, alignment: 1) { buffer in
            let count = read(file, buffer.baseAddress, buffer.count)
            return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
        }
    }
}
