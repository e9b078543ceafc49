// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The processor time of the threads with which Mesa's software OpenGL draws: what a frame cost by
/// itself, however busy the machine is.
///
/// OpenGL's timers measure wall-clock time there. On a busy machine that is the time of everyone.
struct RasterizerTimes {
    /// Nanoseconds by thread.
    private let times: [Int32: UInt64]

    /// Reads the times of the calling thread and of the rasterizer's threads. Takes some file
    /// accesses, so it is for frames that are under suspicion.
    init() {
        // The calling thread is number 0.
        var times: [Int32: UInt64] = [0: Self.time(of: CLOCK_THREAD_CPUTIME_ID)]
        if let folder = opendir("/proc/self/task") {
            defer { closedir(folder) }
            while let entry = readdir(folder) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                guard let thread = Int32(name), Self.isRasterizer(thread) else { continue }
                // Linux's clock of a thread: `MAKE_THREAD_CPUCLOCK` with `CPUCLOCK_SCHED`.
                times[thread] = Self.time(of: (~thread) << 3 | 6)
            }
        }
        self.times = times
    }

    /// Returns the longest time that one of the threads worked since then. Threads work side by
    /// side, so on an idle machine this is how long the work took.
    func longest(since earlier: RasterizerTimes) -> Int64 {
        var longest: UInt64 = 0
        for (thread, time) in times {
            longest = max(longest, time &- (earlier.times[thread] ?? time))
        }
        return Int64(clamping: longest)
    }

    private static func time(of clock: clockid_t) -> UInt64 {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { return 0 }
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    private static func isRasterizer(_ thread: Int32) -> Bool {
        let file = open("/proc/self/task/\(thread)/comm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = read(file, &bytes, bytes.count)
        return count > 0 && bytes[..<count].starts(with: "llvmpipe".utf8)
    }
}
