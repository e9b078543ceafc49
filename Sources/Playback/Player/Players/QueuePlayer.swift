// SPDX-License-Identifier: Apache-2.0

public import PlayheadAudio
import PlayheadThreads
public import PlayheadTime
import Synchronization

/// A player that plays items one after another, without a gap in video or audio.
///
///     let player = QueuePlayer(items: [first, second], audioSink: sink)
///     player.play()
///
/// While one item plays, the next is opened and decoded ahead, and starts at exactly the sample and
/// frame at which the previous one ends. An item ends with its longer track: after the end of audio
/// there is silence, after that of video the last frame stays. An item that has ended leaves the
/// queue; after the last there is no current item, and the rate stays, so that an item inserted
/// then plays. Show the frames of a queue with a `PlayerVideoOutput`.
///
/// An item that cannot be opened is skipped: it leaves the queue as soon as that is known, its
/// `error` states the reason, and it is in `skippedItems`. The last one stays as the current item,
/// failed, until another is inserted.
///
/// - Concurrency: any thread.
/// - Corresponds to: `AVQueuePlayer`.
public final class QueuePlayer: Player, @unchecked Sendable {
    // Unchecked like its superclass.

    /// Creates a queue of items, the first of which begins to open at once.
    ///
    /// - Parameters:
    ///   - items: The items; repeated ones, and those given to a player before, are ignored.
    ///   - audioSink: The audio output, as for `Player`; nil for no audio.
    ///   - masterClock: The clock of the timeline if there is no audio.
    public init(
        items: [PlayerItem] = [], audioSink: (any AudioSink)?,
        masterClock: any MediaClock = HostClock.shared
    ) {
        super.init(playerItem: nil, audioSink: audioSink, masterClock: masterClock)
        shared.withLock { $0.actionAtItemEnd = .advance }
        for item in items { insert(item, after: nil) }
    }

    override var advancesAtEnd: Bool { true }

    /// The current item and those that follow, in order.
    ///
    /// - Corresponds to: `AVQueuePlayer.items()`.
    public var items: [PlayerItem] {
        shared.withLock { [$0.item].compactMap { $0 } + $0.waiting }
    }

    /// The latest hundred items that could not be played and were skipped.
    public var skippedItems: [PlayerItem] { shared.withLock { $0.skipped } }

    /// Returns whether an item may be inserted: it is not in the queue, and has not been given to a
    /// player before, because an item plays once; create another for the same asset.
    ///
    /// - Parameter afterItem: The preceding item; nil for the end.
    /// - Corresponds to: `AVQueuePlayer.canInsert(_:after:)`.
    public func canInsert(_ item: PlayerItem, after afterItem: PlayerItem?) -> Bool {
        item.pipeline.isIdle && shared.withLock { $0.place(for: item, after: afterItem) != nil }
    }

    /// Inserts an item after another, or at the end if that is nil. The first item of an empty
    /// queue becomes the current one.
    ///
    /// - Returns: false, without an insertion, if `canInsert` returns false or another queue has
    ///   the item. This is not misuse: the item to insert after may have just ended.
    /// - Corresponds to: `AVQueuePlayer.insert(_:after:)`, which traps.
    @discardableResult
    public func insert(_ item: PlayerItem, after afterItem: PlayerItem?) -> Bool {
        guard item.pipeline.isIdle else { return false }
        let isInserted = shared.withLock { state -> Bool in
            guard let place = state.place(for: item, after: afterItem),
                item.pipeline.claim.take(for: self)
            else { return false }
            state.waiting.insert(item, at: place)
            return true
        }
        if isInserted { fill() }
        return isInserted
    }

    /// Advances to the next item now; without one, to none.
    ///
    /// - Corresponds to: `AVQueuePlayer.advanceToNextItem()`.
    public func advanceToNextItem() { advance(from: currentItem, hasEnded: false) }

    /// Removes an item from the queue; it cannot be inserted again. If it is the current one, the
    /// next plays. One that alternates with others in a loop leaves it; after the last of them the
    /// loop is over.
    ///
    /// - Corresponds to: `AVQueuePlayer.remove(_:)`.
    public func remove(_ item: PlayerItem) {
        let (wasWaiting, looper) = shared.withLock { state -> (Bool, (any ItemLoop)?) in
            let count = state.waiting.count
            state.waiting.removeAll { $0 === item }
            return (state.waiting.count < count, state.leaveLoop(item))
        }
        looper?.wasRemoved()
        if wasWaiting {
            item.pipeline.close()
            arrange()
        } else {
            advance(from: item, hasEnded: false)
        }
    }

    /// Removes all items from the queue.
    ///
    /// - Corresponds to: `AVQueuePlayer.removeAllItems()`.
    public func removeAllItems() {
        let (waiting, loop) = shared.withLock { state in
            defer {
                state.waiting = []
                state.loop = nil
            }
            return (state.waiting, state.loop)
        }
        for item in waiting { item.pipeline.close() }
        loop?.looper?.wasRemoved()
        replaceCurrentItem(with: nil)
    }

    /// Makes the first item the current one if there is no current one, or if that failed.
    func fill() {
        if let item = currentItem {
            skip(item)
            arrange()
        } else {
            advance(from: nil, hasEnded: false)
        }
    }
}

extension Player.Shared {
    /// Returns the index among the waiting items for an insertion; nil if it is not allowed.
    fileprivate func place(for item: PlayerItem, after afterItem: PlayerItem?) -> Int? {
        guard self.item !== item, !waiting.contains(where: { $0 === item }) else {
            return nil
        }
        guard let afterItem else { return waiting.count }
        if self.item === afterItem { return 0 }
        return waiting.firstIndex { $0 === afterItem }.map { $0 + 1 }
    }
}
