// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The metadata that a demuxer has read and that a player has not taken yet.
///
/// A demuxer puts metadata here only while it is wanted; otherwise it does not read it.
///
/// - Concurrency: any thread. Queries are atomic; a lock is held only to add and to take.
package final class TimedMetadataInbox: Sendable {
    /// The maximum number of groups that wait.
    package static let countLimit = 4096
    /// The maximum size of the groups that wait, in bytes.
    package static let byteLimit = 8 << 20

    private struct State {
        var groups: [TimedMetadata] = []
        var byteCount = 0
        var dateRanges: [DateRange]?
    }

    private let state = Mutex(State())
    private let isWantedFlag = Atomic(false)
    private let wantsDatesFlag = Atomic(false)
    private let hasNewsFlag = Atomic(false)

    package init() {}

    /// A Boolean value that indicates whether groups are wanted.
    package var isWanted: Bool {
        get { isWantedFlag.load(ordering: .relaxed) }
        set { isWantedFlag.store(newValue, ordering: .relaxed) }
    }

    /// A Boolean value that indicates whether ranges of dates are wanted.
    package var wantsDateRanges: Bool {
        get { wantsDatesFlag.load(ordering: .relaxed) }
        set { wantsDatesFlag.store(newValue, ordering: .relaxed) }
    }

    /// A Boolean value that indicates whether something was added since it was last taken.
    package var hasNews: Bool { hasNewsFlag.load(ordering: .acquiring) }

    /// Adds a group. It is dropped if too many wait.
    package func add(_ group: TimedMetadata) {
        guard isWanted else { return }
        let size = group.byteCount
        state.withLock { state in
            guard state.groups.count < Self.countLimit, state.byteCount + size <= Self.byteLimit
            else { return }
            state.groups.append(group)
            state.byteCount += size
        }
        hasNewsFlag.store(true, ordering: .releasing)
    }

    /// Sets all ranges of dates that the stream declares now.
    package func set(_ dateRanges: [DateRange]) {
        guard wantsDateRanges else { return }
        state.withLock { $0.dateRanges = dateRanges }
        hasNewsFlag.store(true, ordering: .releasing)
    }

    /// Removes and returns what was added. The ranges of dates are nil if they were not set since.
    package func take() -> (groups: [TimedMetadata], dateRanges: [DateRange]?) {
        hasNewsFlag.store(false, ordering: .sequentiallyConsistent)
        return state.withLock { state in
            defer { state = State() }
            return (state.groups, state.dateRanges)
        }
    }

    /// Discards the groups, because reading continues elsewhere.
    package func clear() {
        state.withLock { ($0.groups, $0.byteCount) = ([], 0) }
    }
}
