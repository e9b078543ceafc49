// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The threads by which Mesa writes what it has compiled into its cache, where other contexts find
/// it.
///
/// There is no call that waits for them. They run at the lowest priority: on a busy machine what
/// they were given a moment ago may be written many frames later, and until then every other
/// context compiles anew. But whether they have anything to do shows: the kernel tells of every
/// thread whether it sleeps.
///
/// - Concurrency: one thread.
struct ShaderCacheWriters {
    /// How Mesa names them, but for a number: its queue's name after the program's,
    /// `util_queue_init` in `src/util/u_queue.c` and `disk_cache_init_queue` in
    /// `src/util/disk_cache.c`.
    private static let name = ":disk$"
    /// How long they are waited for at most: later is better than a frame that waits for a
    /// compiler.
    private static let limitMicroseconds = 1_000_000
    private static let stepMicroseconds = 250
    /// How long writing takes where they are not found, several times over.
    private static let settlingMicroseconds: UInt32 = 8000

    /// Waits until they have written what they were given before, as if they were the calling
    /// thread: with its priority, where the system lets a program raise that of its threads.
    func wait() {
        let threads = Self.threads()
        guard !threads.isEmpty else {
            usleep(Self.settlingMicroseconds)
            return
        }
        let priority = getpriority(Int32(PRIO_PROCESS.rawValue), 0)
        for thread in threads { setpriority(Int32(PRIO_PROCESS.rawValue), thread, priority) }
        // Twice: a thread may sleep for a moment while a disk takes what it writes.
        var idleCount = 0
        for _ in 0..<Self.limitMicroseconds / Self.stepMicroseconds {
            idleCount = threads.allSatisfy(Self.isAsleep) ? idleCount + 1 : 0
            if idleCount == 2 { return }
            usleep(UInt32(Self.stepMicroseconds))
        }
    }

    /// Their identifiers: proc(5), /proc/self/task.
    private static func threads() -> [id_t] {
        guard let folder = opendir("/proc/self/task") else { return [] }
        defer { closedir(folder) }
        var threads: [id_t] = []
        while let entry = readdir(folder) {
            let identifier = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let number = id_t(identifier),
                // The number and a line's end come after it.
                text("/proc/self/task/\(number)/comm")?.dropLast(2).hasSuffix(name) == true
            else { continue }
            threads.append(number)
        }
        return threads
    }

    /// Whether a thread has nothing to do, or is gone: proc(5), /proc/pid/stat, the third field,
    /// which follows the name in parentheses.
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
