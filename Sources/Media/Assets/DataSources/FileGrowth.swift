// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadTime

/// A watch of a file that another process may still be writing, such as a recording in progress.
///
/// A read lease shows whether a process has the file open for writing: the kernel refuses the lease
/// as long as there is one. If the file belongs to another user, or its file system has no leases,
/// this is unknown. Then a file that was written to recently counts as being written, until inotify
/// reports that its writer has closed it.
///
/// Some programs keep finished files open for writing, and some network file systems refuse all
/// leases. Therefore a file that has not changed for a while does not count as being written.
///
/// - Concurrency: one thread at a time.
/// - Corresponds to: `F_SETLEASE` of `fcntl`(2), `IN_CLOSE_WRITE` of `inotify`(7).
package final class FileGrowth {
    /// The result of `fcntl`: whether a process has the file open for writing; nil if unknown.
    typealias WriterCheck = (FileDescriptorDataSource) -> Bool?

    /// The time without a change after which a file does not count as being written although it is
    /// open for writing, in nanoseconds. Recorders write at least every few seconds.
    private static let idleLimit: Int64 = 30_000_000_000
    /// The value of `idleLimit` if it is unknown whether the file is open for writing.
    private static let unknownIdleLimit: Int64 = 5_000_000_000
    /// The interval between checks for a writer and for cancellation, in milliseconds.
    private static let pollMilliseconds: Int32 = 100

    private let file: FileDescriptorDataSource
    private let hasWriter: WriterCheck
    /// The queue of inotify; negative before the first wait, or if there are no more queues.
    private var queue: Int32 = -1
    /// A Boolean value that indicates whether a writer has closed the file.
    private var wasClosed = false

    package convenience init(_ file: FileDescriptorDataSource) {
        self.init(file) { $0.hasWriter }
    }

    /// - Parameter hasWriter: The check for writers; tests replace it.
    init(_ file: FileDescriptorDataSource, hasWriter: @escaping WriterCheck) {
        self.file = file
        self.hasWriter = hasWriter
    }

    deinit { if queue >= 0 { close(queue) } }

    /// A Boolean value that indicates whether the file is still being written.
    package var isBeingWritten: Bool {
        guard file.isSeekable else { return false }
        let writer = hasWriter(file)
        guard writer != false, !(writer == nil && wasClosed), let age = file.age else {
            return false
        }
        return age.magnitude <= (writer == true ? Self.idleLimit : Self.unknownIdleLimit)
    }

    /// Waits until the file has a byte at an offset.
    ///
    /// - Parameter isCancelled: A function that returns whether the reader was cancelled. It is
    ///   called a few times per second.
    /// - Returns: False if the file ends there because nothing is written to it any more.
    package func waitForData(
        at offset: Int64, isCancelled: () -> Bool
    ) throws(MediaError) -> Bool {
        var size = file.byteCount ?? 0
        var lastChange = HostClock.nanoseconds
        while true {
            // The check comes first, because a writer may write and close the file in between.
            let isBeingWritten = isBeingWritten
            let newSize = file.byteCount ?? 0
            if newSize > offset { return true }
            if newSize != size { (size, lastChange) = (newSize, HostClock.nanoseconds) }
            // A clock that differs from that of the file system could make a file look recent.
            let isIdle = HostClock.nanoseconds - lastChange > Self.idleLimit
            guard isBeingWritten, !isIdle else { return false }
            if isCancelled() {
                throw MediaError(.cancelled, subject: file.subject, cause: "reading was cancelled")
            }
            waitForEvent()
        }
    }

    /// Waits until the file changes or is closed, but not for long.
    private func waitForEvent() {
        if queue < 0 {
            queue = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
            let events = UInt32(IN_MODIFY) | UInt32(IN_CLOSE_WRITE)
            // What was written before this watch is found by the next check.
            if queue >= 0, inotify_add_watch(queue, file.link, events) >= 0 { return }
        }
        var request = pollfd(fd: queue, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, Self.pollMilliseconds) > 0 else { return }
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while case let count = read(queue, buffer.baseAddress, buffer.count), count > 0 {
                let header = MemoryLayout<inotify_event>.size
                var offset = 0
                while offset + header <= count {
                    let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    if event.mask & UInt32(IN_CLOSE_WRITE) != 0 { wasClosed = true }
                    offset += header + Int(event.len)
                }
            }
        }
    }
}

extension FileDescriptorDataSource {
    /// The values of `F_SETSIG` and `F_SETLEASE` in Linux's `fcntl.h`. glibc declares them only for
    /// GNU sources.
    private static let setSignal: Int32 = 10
    private static let setLease: Int32 = 1024

    /// A path that leads to the file even if the file has been renamed.
    fileprivate var link: String { "/proc/self/fd/\(descriptor)" }

    /// A Boolean value that indicates whether a process has the file open for writing; nil if that
    /// is unknown.
    fileprivate var hasWriter: Bool? {
        let probe = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard probe >= 0 else { return nil }
        defer { close(probe) }
        // A process that opens the file while the lease exists, for some microseconds, breaks the
        // lease. The kernel then sends a signal, and that of the default would end this process.
        guard fcntl(probe, Self.setSignal, SIGURG) == 0 else { return nil }
        guard fcntl(probe, Self.setLease, Int32(F_RDLCK)) == 0 else {
            return errno == EAGAIN ? true : nil
        }
        _ = fcntl(probe, Self.setLease, Int32(F_UNLCK))
        return false
    }

    /// The time since the last change of the file, in nanoseconds.
    fileprivate var age: Int64? {
        var (status, now) = (stat(), timespec())
        guard fstat(descriptor, &status) == 0, clock_gettime(CLOCK_REALTIME, &now) == 0 else {
            return nil
        }
        // A time that was set to a remote value counts as old.
        let (seconds, overflows) = Int64(now.tv_sec)
            .subtractingReportingOverflow(Int64(status.st_mtim.tv_sec))
        guard !overflows, seconds.magnitude < 1 << 32 else { return .max }
        return seconds * 1_000_000_000 + Int64(now.tv_nsec - status.st_mtim.tv_nsec)
    }
}
