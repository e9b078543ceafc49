// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
package import PlayheadTime

/// The timed metadata around the playhead that has been read, in the order of their times.
///
/// Groups that are far behind the playhead are forgotten. If there are still too many, further
/// groups are refused.
///
/// - Concurrency: a value.
package struct MetadataTimeline: Sendable {
    /// A group, with a number that it alone has.
    package struct Entry: Sendable, Hashable {
        package let number: Int
        package var group: TimedMetadata

        package var start: MediaTime { group.timeRange.start }
        package var end: MediaTime { group.timeRange.end }
    }

    /// The distance behind the playhead at which groups are forgotten. Seeks that go back less far
    /// may continue with the packets that were read.
    package static let keptDuration = MediaTime(value: 10, timescale: 1)
    /// The latest time that is believed, in either direction: a century.
    private static let farthest = MediaTime(value: 3_155_760_000, timescale: 1)

    package private(set) var entries: [Entry] = []
    private var lastNumber = 0
    private var byteCount = 0
    private let countLimit: Int
    private let byteLimit: Int

    package init(
        countLimit: Int = TimedMetadataInbox.countLimit,
        byteLimit: Int = TimedMetadataInbox.byteLimit
    ) {
        self.countLimit = countLimit
        self.byteLimit = byteLimit
    }

    /// Adds a group that was read. A group that is known already is ignored, because parts of a
    /// file may be read twice.
    ///
    /// - Returns: A Boolean value that indicates whether the group was added.
    @discardableResult
    package mutating func add(_ group: TimedMetadata) -> Bool {
        var group = group
        let start = group.timeRange.start
        guard start.isNumeric, start.magnitude <= Self.farthest, !group.items.isEmpty,
            entries.count < countLimit, byteCount + group.byteCount <= byteLimit
        else { return false }
        if !group.timeRange.isValid || group.timeRange.isIndefinite {
            group.timeRange = MediaTimeRange(start: start, duration: .zero)
        }
        let place = firstIndex(after: start)
        var index = place
        while index > 0, entries[index - 1].start == start {
            index -= 1
            if entries[index].group.trackID == group.trackID,
                entries[index].group.items == group.items
            {
                return false
            }
        }
        endOpenGroups(of: group.trackID, at: start)
        if group.timeRange.duration.isPositiveInfinity,
            let next = entries[place...].first(where: { $0.isOpen(of: group.trackID) })
        {
            group.timeRange = MediaTimeRange(start: start, end: next.start)
        }
        lastNumber += 1
        byteCount += group.byteCount
        entries.insert(Entry(number: lastNumber, group: group), at: place)
        return true
    }

    /// Ends the groups of a track that apply until the next one.
    private mutating func endOpenGroups(of track: Int?, at time: MediaTime) {
        for index in entries.indices where entries[index].isOpen(of: track) {
            let start = entries[index].start
            guard start < time else { continue }
            entries[index].group.timeRange = MediaTimeRange(start: start, end: time)
        }
    }

    /// Returns the index of the first group whose beginning, less a lead, is after a time.
    package func firstIndex(after time: MediaTime, lead: MediaTime = .zero) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].start - lead > time { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Forgets the groups that are far behind a time.
    package mutating func forget(before time: MediaTime) {
        guard time.isNumeric else { return }
        let limit = time - Self.keptDuration
        guard let first = entries.first, first.start < limit else { return }
        entries.removeAll { entry in
            guard entry.start < limit, entry.end < limit else { return false }
            byteCount -= entry.group.byteCount
            return true
        }
    }

    /// Forgets all groups, because reading continues elsewhere.
    package mutating func clear() {
        entries = []
        byteCount = 0
    }
}

extension MetadataTimeline.Entry {
    /// Returns whether the group belongs to a track, and applies until the next one.
    fileprivate func isOpen(of track: Int?) -> Bool {
        group.trackID == track && group.timeRange.duration.isPositiveInfinity
    }
}
