// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The identity and modification time of a file. If the content changes, so does the stamp.
struct FileStamp: Equatable, Sendable {
    private let device: UInt64
    private let file: UInt64
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// The age from which a file's time is final, in nanoseconds. The resolution of file times is 4
    /// to 10 ms, so a younger file may be written again without a new time.
    private static let settledNanoseconds = 20_000_000

    /// Reads the stamp of a file. Returns nil if there is no file.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(status.st_dev)
        file = UInt64(status.st_ino)
        size = Int64(status.st_size)
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
    }

    /// A Boolean value that indicates whether every later write will change the stamp.
    var isSettled: Bool {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        // The time may be in the future, because clocks can be set back and files can come from
        // other machines.
        let (elapsed, isOver) = now.tv_sec.subtractingReportingOverflow(seconds)
        guard !isOver, elapsed >= 0 else { return false }
        return elapsed > 1
            || elapsed * 1_000_000_000 + now.tv_nsec - nanoseconds >= Self.settledNanoseconds
    }
}
