// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The objects that wait to notify the main thread. A single job on the main queue notifies all of
/// them.
///
/// A host without a Swift main loop never drains the main queue, so separate jobs for each object
/// would stay in it forever. Here, objects are referenced weakly, and the entries of deallocated
/// objects are removed.
///
/// - Concurrency: any thread. Notifications are on the main thread.
final class MainAnnouncements: Sendable {
    static let shared = MainAnnouncements(ObservationQueue.main)

    /// An object that exists as long as its owner. Checking the owner itself would retain the owner
    /// for a moment, so the owner might be deallocated while the lock is held.
    final class Life: Sendable {}

    /// An object with a pending notification.
    struct Entry: Sendable {
        /// Returns whether the object is alive. It retains nothing whose deallocation has side
        /// effects.
        let isAlive: @Sendable () -> Bool
        let announce: @Sendable () -> Void
    }

    private struct Pending {
        var entries: [Entry] = []
        /// The number of entries above which entries of deallocated objects are removed.
        var limit = 16
    }

    private let queue: ObservationQueue
    private let pending = Mutex(Pending())

    init(_ queue: ObservationQueue) { self.queue = queue }

    /// The number of waiting entries.
    var count: Int { pending.withLock { $0.entries.count } }

    /// Requests a notification on the main thread.
    func add(_ entry: Entry) {
        let isFirst = pending.withLock { pending in
            let isFirst = pending.entries.isEmpty
            if pending.entries.count >= pending.limit {
                pending.entries.removeAll { !$0.isAlive() }
                pending.limit = max(16, 2 * pending.entries.count)
            }
            pending.entries.append(entry)
            return isFirst
        }
        if isFirst { queue.async { [self] in announce() } }
    }

    private func announce() {
        let entries = pending.withLock { pending in
            defer { pending.entries = [] }
            return pending.entries
        }
        for entry in entries { entry.announce() }
    }
}
