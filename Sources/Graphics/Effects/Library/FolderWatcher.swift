// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Reports the files that are written or moved into place in a set of folders.
///
/// Folders are watched instead of files, because editors write a new file and rename it over the
/// old one, which ends a watch on the file. Deleted files are not reported, because some editors
/// move a file away before they write it again. A folder that does not exist is looked up again
/// twice a second.
///
/// - Concurrency: `next` on one thread; the rest on any.
/// - Corresponds to: `inotify_init1`, `inotify_add_watch`; `FSEventStream`.
final class FolderWatcher: Sendable {
    /// The time without an event after which changes are reported. A save often consists of several
    /// events for several files.
    private static let quietMilliseconds: Int32 = 4
    /// The maximum time for which changes are gathered.
    private static let gatherNanoseconds: UInt64 = 60_000_000
    private static let retryNanoseconds: UInt64 = 500_000_000

    /// The events that are watched: the end of a write, and a move into place. Single writes are
    /// ignored, because a shader that is only half written would cause errors.
    private static let events = UInt32(
        IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

    private let queue: Int32
    /// A pipe. A write to its second end wakes `next`.
    private let wakeUp: (read: Int32, write: Int32)
    private let state = Mutex(State())

    private struct State {
        /// The names of folders by watch descriptor. A folder may have several names.
        var names: [Int32: Set<String>] = [:]
        var missing: Set<String> = []
        /// The time at which missing folders were last looked up, or at which the first folder
        /// disappeared.
        var looked: UInt64 = 0
        var isStopped = false
    }

    /// Creates a watcher.
    ///
    /// - Throws: `EffectError.unreadable` if the system has no watches left.
    init() throws(EffectError) {
        queue = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        var ends: [Int32] = [-1, -1]
        let status = pipe(&ends)
        for end in ends where end >= 0 {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        wakeUp = (ends[0], ends[1])
        guard queue >= 0, status == 0 else {
            throw .unreadable(
                path: "inotify", reason: String(cString: strerror(errno)))
        }
    }

    deinit {
        for descriptor in [queue, wakeUp.read, wakeUp.write] where descriptor >= 0 {
            close(descriptor)
        }
    }

    /// Sets the watched folders.
    func watch(_ folders: Set<String>) {
        state.withLock { state in
            let known = state.names.values.reduce(into: Set<String>()) { $0.formUnion($1) }
            for (watch, names) in state.names where names.isDisjoint(with: folders) {
                inotify_rm_watch(queue, watch)
                state.names[watch] = nil
            }
            for watch in state.names.keys { state.names[watch]?.formIntersection(folders) }
            // A missing folder may exist again. That has to be reported, so the folder is still
            // treated as missing until it is looked up.
            state.missing.formIntersection(folders)
            for folder in folders.subtracting(known).subtracting(state.missing) {
                add(folder, &state)
            }
        }
        wake()
    }

    private func add(_ folder: String, _ state: inout State) {
        let watch = inotify_add_watch(queue, folder, Self.events)
        if watch >= 0 {
            state.names[watch, default: []].insert(folder)
        } else {
            miss([folder], &state)
        }
    }

    /// Records that folders are missing. They are not looked up at once, because a folder that is
    /// being replaced does not exist for a moment.
    private func miss(_ folders: Set<String>, _ state: inout State) {
        if state.missing.isEmpty { state.looked = Self.now }
        state.missing.formUnion(folders)
    }

    /// Makes `next` return nil from now on, even if it is waiting.
    func stop() {
        state.withLock { $0.isStopped = true }
        wake()
    }

    private func wake() {
        var byte: UInt8 = 1
        _ = write(wakeUp.write, &byte, 1)
    }

    /// Waits for changes.
    ///
    /// - Returns: The changed paths as `folder/name`, or nil after `stop()`.
    func next() -> Set<String>? {
        var changed: Set<String> = []
        var began: UInt64 = 0
        while true {
            if state.withLock({ $0.isStopped }) { return nil }
            let isGathering = !changed.isEmpty
            // Missing folders are looked up even if other folders change all the time.
            let retryMilliseconds = lookForMissing(&changed)
            if !isGathering, !changed.isEmpty {
                began = Self.now
                continue
            }
            if isGathering, Self.now - began > Self.gatherNanoseconds { return changed }
            var polled = [
                pollfd(fd: queue, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wakeUp.read, events: Int16(POLLIN), revents: 0),
            ]
            let limit = isGathering ? Self.quietMilliseconds : retryMilliseconds ?? -1
            let count = poll(&polled, 2, limit)
            if count == 0, isGathering { return changed }
            if polled[1].revents != 0 {
                var bytes: (UInt64, UInt64) = (0, 0)
                _ = read(wakeUp.read, &bytes, 16)
            }
            if polled[0].revents != 0 { changed.formUnion(readEvents()) }
            if !isGathering, !changed.isEmpty { began = Self.now }
        }
    }

    /// Watches missing folders that exist again, if a lookup is due. All files in such a folder may
    /// have changed.
    ///
    /// - Returns: The time until the next lookup in milliseconds, or nil if no folder is missing.
    private func lookForMissing(_ changed: inout Set<String>) -> Int32? {
        state.withLock { state in
            guard !state.missing.isEmpty else { return nil }
            let elapsed = Self.now - state.looked
            guard elapsed >= Self.retryNanoseconds else {
                return Int32((Self.retryNanoseconds - elapsed) / 1_000_000) + 1
            }
            state.looked = Self.now
            let missing = state.missing
            state.missing = []
            for folder in missing { add(folder, &state) }
            changed.formUnion(missing.subtracting(state.missing).map { $0 + "/" })
            return state.missing.isEmpty ? nil : Int32(Self.retryNanoseconds / 1_000_000)
        }
    }

    private func readEvents() -> Set<String> {
        var changed: Set<String> = []
        withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 8) { buffer in
            while true {
                let count = read(queue, buffer.baseAddress, buffer.count)
                guard count > 0 else { return }
                var offset = 0
                let header = MemoryLayout<inotify_event>.size
                while offset + header <= count {
                    let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    let start = offset + header
                    let name = buffer[start..<min(count, start + Int(event.len))]
                        .prefix { $0 != 0 }
                    note(event, String(decoding: name, as: UTF8.self), &changed)
                    offset = start + Int(event.len)
                }
            }
        }
        return changed
    }

    private func note(_ event: inotify_event, _ name: String, _ changed: inout Set<String>) {
        state.withLock { state in
            // The kernel's queue has overflowed, so any file may have changed.
            if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
                for folder in state.names.values.joined() { changed.insert(folder + "/") }
                return
            }
            let folders = state.names[event.wd] ?? []
            if event.mask & UInt32(IN_IGNORED) != 0 {
                state.names[event.wd] = nil
                miss(folders, &state)
                return
            }
            if event.mask & UInt32(IN_MOVE_SELF) != 0 {
                // The watched folder was renamed, so the watch no longer belongs to its name.
                inotify_rm_watch(queue, event.wd)
                return
            }
            guard !name.isEmpty else { return }
            for folder in folders { changed.insert(folder + "/" + name) }
        }
    }

    private static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
