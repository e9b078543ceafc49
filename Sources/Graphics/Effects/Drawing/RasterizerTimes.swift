// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The processor times of the threads of Mesa's software rasterizer. They give the cost of a frame
/// without the influence of other processes.
///
/// On the software rasterizer, OpenGL's timers measure wall-clock time, which on a busy machine
/// includes other processes.
struct RasterizerTimes {
    /// The processor time of each thread, in nanoseconds.
    private let times: [Int32: UInt64]

    /// Reads the times of the calling thread and of the rasterizer's threads. Several files must be
    /// read for this, so it is only done for frames after a slow one.
    init() {
        // The calling thread is stored under the number 0.
        var times: [Int32: UInt64] = [0: Self.time(of: CLOCK_THREAD_CPUTIME_ID)]
        if let folder = opendir("/proc/self/task") {
            defer { closedir(folder) }
            while let entry = readdir(folder) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                guard let thread = Int32(name), Self.isRasterizer(thread) else { continue }
                // The clock of a thread on Linux: `MAKE_THREAD_CPUCLOCK` with `CPUCLOCK_SCHED`.
                times[thread] = Self.time(of: (~thread) << 3 | 6)
            }
        }
        self.times = times
    }

    /// Returns the longest time that one of the threads worked since an earlier reading. The
    /// threads run in parallel, so on an idle machine this is the duration of the work.
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
