// SPDX-License-Identifier: Apache-2.0

import CPlayheadV4L2
import Glibc
import PlayheadThreads
import Synchronization

/// A thread that waits for changes in a folder of device nodes.
///
/// - Concurrency: the handler is called on the thread.
final class V4L2Watch: Sendable {
    private let notices: Int32
    private let wakeup: Int32
    private let thread = Mutex<WorkerThread?>(nil)

    /// Starts watching. Returns nil if the system does not allow it, as in a sandbox.
    init?(_ folder: String, handler: @escaping @Sendable () -> Void) {
        notices = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        wakeup = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        let kinds = UInt32(IN_CREATE | IN_DELETE | IN_ATTRIB | IN_MOVED_TO | IN_MOVED_FROM)
        guard notices >= 0, wakeup >= 0, inotify_add_watch(notices, folder, kinds) >= 0 else {
            return nil
        }
        let (notices, wakeup) = (notices, wakeup)
        let thread = WorkerThread(name: "ph-devices") {
            while Self.wait(notices, wakeup) {
                if Self.takesVideo(notices) { handler() }
            }
        }
        self.thread.withLock { $0 = thread }
    }

    deinit {
        if notices >= 0 { close(notices) }
        if wakeup >= 0 { close(wakeup) }
    }

    private static func wait(_ notices: Int32, _ wakeup: Int32) -> Bool {
        var polled = [
            pollfd(fd: notices, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wakeup, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&polled, 2, -1) < 0 {
            guard errno == EINTR else { return false }
        }
        return polled[1].revents == 0
    }

    /// Reads all notifications. Returns whether one of them concerns a video device; most concern
    /// other devices.
    private static func takesVideo(_ notices: Int32) -> Bool {
        var isVideo = false
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(notices, &bytes, bytes.count)
            guard count > 0 else { return isVideo }
            bytes.withUnsafeBytes { buffer in
                var place = 0
                let header = MemoryLayout<inotify_event>.size
                while place + header <= count {
                    // The fields of inotify_event: wd, mask, cookie, len, and the name.
                    let length = Int(
                        buffer.loadUnaligned(fromByteOffset: place + 12, as: UInt32.self))
                    let end = min(place + header + length, count)
                    let name = buffer[(place + header)..<end].prefix { $0 != 0 }
                    if name.starts(with: "video".utf8) || length == 0 { isVideo = true }
                    place += header + length
                }
            }
        }
    }

    func stop() {
        var one: UInt64 = 1
        _ = write(wakeup, &one, MemoryLayout.size(ofValue: one))
        let thread = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        if let thread, !thread.isCurrent { thread.join() }
    }
}
