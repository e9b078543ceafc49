// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
public import PlayheadPlayback
import Synchronization

/// A collector of the date ranges in the playlists of an item.
///
/// The delegate receives all ranges that the playlist states, as soon as it has been read and each
/// time they change. A live playlist is read again and again.
///
///     let collector = PlayerItemMetadataCollector(classifyingLabels: ["com.example.advert"])
///     collector.setDelegate(adverts)
///     item.add(collector)
///
/// Add a collector before the item is given to a player.
///
/// - Concurrency: any thread.
/// - Ownership: an item retains its collectors.
/// - Corresponds to: `AVPlayerItemMetadataCollector`.
public final class PlayerItemMetadataCollector: Sendable {
    private struct State {
        weak var delegate: (any PlayerItemMetadataCollectorPushDelegate)?
        var queue = ObservationQueue.background
        var tap: MetadataTap?
        var last: DateRangeCollection.Change?
    }

    private let state = Mutex(State())
    private let identifiers: [String]?
    private let labels: Set<String>?

    /// Creates a collector that does not belong to an item yet.
    ///
    /// - Parameters:
    ///   - identifiers: The identifiers of the items that the groups contain, such as
    ///     `lsdr/X-ASSET-URI`; nil for all.
    ///   - classifyingLabels: The classes of the groups that are collected; nil for all.
    /// - Corresponds to: `AVPlayerItemMetadataCollector(identifiers:classifyingLabels:)`.
    public init(identifiers: [String]? = nil, classifyingLabels: [String]? = nil) {
        self.identifiers = identifiers
        labels = classifyingLabels.map { Set($0) }
        let tap = MetadataTap(.init(dateRanges: { [weak self] in self?.collect($0) }))
        state.withLock { $0.tap = tap }
    }

    /// Sets the delegate that receives groups, and the queue on which it is called. The delegate is
    /// not retained. If groups have been collected already, it receives them.
    ///
    /// - Corresponds to: `AVPlayerItemMetadataCollector.setDelegate(_:queue:)`.
    public func setDelegate(
        _ delegate: (any PlayerItemMetadataCollectorPushDelegate)?,
        queue: ObservationQueue = .background
    ) {
        let (collected, former) = state.withLock { state in
            defer { (state.delegate, state.queue) = (delegate, queue) }
            return (state.last, state.queue)
        }
        // What the queue retains is released without the lock.
        withExtendedLifetime(former) {}
        guard var last = collected, !last.ranges.isEmpty, delegate != nil else { return }
        (last.new, last.modified) = (Array(last.ranges.indices), [])
        pass(last)
    }

    // MARK: - Interface of the item

    var tap: MetadataTap? { state.withLock { $0.tap } }

    private func collect(_ change: DateRangeCollection.Change) {
        let change = selected(change)
        let isNews = state.withLock { state in
            defer { state.last = change }
            // Without new and with as many ranges, none is gone.
            return !change.new.isEmpty || !change.modified.isEmpty
                || change.ranges.count != state.last?.ranges.count ?? 0
        }
        if isNews { pass(change) }
    }

    private func pass(_ change: DateRangeCollection.Change) {
        let (delegate, queue) = state.withLock { ($0.delegate, $0.queue) }
        guard delegate != nil else { return }
        let groups = change.ranges.map { DateRangeMetadataGroup($0, identifiers: identifiers) }
        queue.async { [weak self, weak delegate] in
            guard let self else { return }
            delegate?.metadataCollector(
                self, didCollect: groups, indexesOfNewGroups: change.new,
                indexesOfModifiedGroups: change.modified)
        }
    }

    /// Returns the groups with the classes that were asked for.
    private func selected(_ change: DateRangeCollection.Change) -> DateRangeCollection.Change {
        guard let labels else { return change }
        var result = change
        (result.ranges, result.new, result.modified) = ([], [], [])
        let (new, modified) = (Set(change.new), Set(change.modified))
        for (index, range) in change.ranges.enumerated() {
            guard let label = range.classifyingLabel, labels.contains(label) else { continue }
            if new.contains(index) { result.new.append(result.ranges.count) }
            if modified.contains(index) { result.modified.append(result.ranges.count) }
            result.ranges.append(range)
        }
        return result
    }
}
