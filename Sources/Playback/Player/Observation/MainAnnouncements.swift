// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What the main thread is to be told of, with one job on its queue however much it is.
///
/// A host without a Swift main loop never drains the main queue: jobs of each object's own would lie
/// there for ever. Here the objects wait, weakly, and those that are gone are forgotten.
///
/// - Concurrency: any thread; announces on the main thread.
final class MainAnnouncements: Sendable {
    static let shared = MainAnnouncements(ObservationQueue.main)

    /// Lives as long as its owner. Looking at the owner itself would hold it for a moment, and it
    /// might end within the lock.
    final class Life: Sendable {}

    /// Somebody who has something to announce, as long as it lives.
    struct Entry: Sendable {
        /// Holds nothing that does anything when it ends.
        let isAlive: @Sendable () -> Bool
        let announce: @Sendable () -> Void
    }

    private struct Pending {
        var entries: [Entry] = []
        /// How many there may be before those that are gone are looked for.
        var limit = 16
    }

    private let queue: ObservationQueue
    private let pending = Mutex(Pending())

    init(_ queue: ObservationQueue) { self.queue = queue }

    /// How many wait.
    var count: Int { pending.withLock { $0.entries.count } }

    /// Has an announcement made.
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
