// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime
import Synchronization

/// A client of an item's timed metadata, as the item sees it.
///
/// - Concurrency: any thread. No lock is held during calls.
protocol MetadataClient: AnyObject, Sendable {
    var wantsGroups: Bool { get }
    var wantsDateRanges: Bool { get }
    /// Handles the beginning of a seek, or a turn of the direction.
    func sequenceWasFlushed()
    /// Delivers what is due, because something was read or the timeline has changed.
    func reconsider()
    /// Takes all ranges of dates that the stream of an item declares now.
    ///
    /// - Parameter number: The number of the set, which increases with every set of the feed.
    func take(_ dateRanges: [DateRange], number: Int, of feed: TimedMetadataFeed)
    /// Handles the end of the item.
    func detach(from feed: TimedMetadataFeed)
}

/// The timed metadata of an item: what its demuxer has read, and who wants it.
///
/// - Concurrency: any thread; the demuxing thread fills it.
/// - Ownership: retains its clients, and what they belong to, until they are removed or the item is
///   released.
final class TimedMetadataFeed: Sendable {
    private struct Entry {
        let client: any MetadataClient
        let owner: any AnyObject & Sendable
    }

    private struct State {
        var entries: [Entry] = []
        var timeline = MetadataTimeline()
        var dateRanges: [DateRange] = []
        /// The number of sets of ranges so far.
        var dateNumber = 0
    }

    let inbox = TimedMetadataInbox()
    private let state = Mutex(State())

    var clients: [any MetadataClient] { state.withLock { $0.entries.map(\.client) } }
    var timeline: MetadataTimeline { state.withLock { $0.timeline } }

    func add(_ client: any MetadataClient, owner: any AnyObject & Sendable) {
        let (ranges, number) = state.withLock { state in
            if !state.entries.contains(where: { $0.client === client }) {
                state.entries.append(Entry(client: client, owner: owner))
            }
            noteWishes(state)
            return (state.dateRanges, state.dateNumber)
        }
        if client.wantsDateRanges, number > 0 { client.take(ranges, number: number, of: self) }
    }

    func remove(_ client: any MetadataClient) {
        let removed = state.withLock { state in
            let removed = state.entries.filter { $0.client === client }
            state.entries.removeAll { $0.client === client }
            noteWishes(state)
            return removed
        }
        // The clients are released without the lock.
        withExtendedLifetime(removed) {}
    }

    /// Records what the clients want. The lock is held, so that the newest wishes are recorded
    /// last.
    private func noteWishes(_ state: State) {
        inbox.isWanted = state.entries.contains { $0.client.wantsGroups }
        inbox.wantsDateRanges = state.entries.contains { $0.client.wantsDateRanges }
    }

    /// Forgets the groups, because the demuxer moves.
    func clear() {
        inbox.clear()
        state.withLock { $0.timeline.clear() }
    }

    /// Takes what the demuxer has put into the inbox.
    ///
    /// - Parameter time: The time of the playhead.
    func takeNews(at time: MediaTime) {
        let (groups, dateRanges) = inbox.take()
        let number = state.withLock { state in
            state.timeline.forget(before: time)
            for group in groups { state.timeline.add(group) }
            if let dateRanges {
                state.dateRanges = dateRanges
                state.dateNumber += 1
            }
            return state.dateNumber
        }
        for client in clients {
            if !groups.isEmpty, client.wantsGroups { client.reconsider() }
            if let dateRanges, client.wantsDateRanges {
                client.take(dateRanges, number: number, of: self)
            }
        }
    }

    /// Releases the clients. They and the item retain each other until then.
    func close() {
        let entries = state.withLock { state in
            defer { state.entries = [] }
            return state.entries
        }
        for entry in entries { entry.client.detach(from: self) }
    }
}
