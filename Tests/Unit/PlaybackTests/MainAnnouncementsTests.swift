// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import PlayheadPlayback

@Suite struct MainAnnouncementsTests {
    /// A main queue that is drained on request, or never.
    private final class Jobs: Sendable {
        let waiting = Mutex<[@Sendable () -> Void]>([])
        /// The number of announcements.
        let reported = Mutex(0)
        var queue: ObservationQueue {
            ObservationQueue { job in self.waiting.withLock { $0.append(job) } }
        }

        func drain() {
            let jobs = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            for job in jobs { job() }
        }
    }

    @Test func `a main queue that is never drained holds one job`() {
        let jobs = Jobs()
        let announcements = MainAnnouncements(jobs.queue)
        let survivor = MainAnnouncements.Life()
        announcements.add(
            .init(isAlive: { [weak survivor] in survivor != nil }) {
                jobs.reported.withLock { $0 += 1 }
            })
        for _ in 0..<1000 {
            let life = MainAnnouncements.Life()
            announcements.add(.init(isAlive: { [weak life] in life != nil }) {})
        }
        #expect(jobs.waiting.withLock { $0.count } == 1)
        #expect(announcements.count <= 16)
        withExtendedLifetime(survivor) { jobs.drain() }
        #expect(jobs.reported.withLock { $0 } == 1)
        #expect(announcements.count == 0)
        announcements.add(.init(isAlive: { true }) { jobs.reported.withLock { $0 += 1 } })
        jobs.drain()
        #expect(jobs.reported.withLock { $0 } == 2)
    }
}
