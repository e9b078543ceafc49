// SPDX-License-Identifier: Apache-2.0

public import PlayheadAudio
import PlayheadThreads
public import PlayheadTime
import Synchronization

/// A player that plays items one after another, without gaps in video or audio.
///
///     let player = QueuePlayer(items: [first, second], audioSink: sink)
///     player.play()
///
/// While an item plays, the next item is opened and decoded ahead. It starts at exactly the sample
/// and the frame at which the previous item ends. An item ends when its longer track ends: after
/// the end of the audio there is silence, and after the end of the video the last frame stays. An
/// item that has ended leaves the queue. After the last item there is no current item, but the rate
/// is kept, so an item that is inserted later plays at once. To show the frames of a queue, use a
/// `PlayerVideoOutput`.
///
/// An item that cannot be opened is skipped: it leaves the queue as soon as that is known, its
/// `error` is the reason, and it is added to `skippedItems`. The last item is not skipped. It stays
/// as the current item, with the status failed, until another item is inserted.
///
/// - Concurrency: any thread.
/// - Corresponds to: `AVQueuePlayer`.
public final class QueuePlayer: Player, @unchecked Sendable {
    // Unchecked, like the superclass.

    /// Creates a queue of items. The first item begins to open at once.
    ///
    /// - Parameters:
    ///   - items: The items. Repeated items are ignored, and so are items that were given to a
    ///     player before.
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

    /// The current item and the items that follow it, in order.
    ///
    /// - Corresponds to: `AVQueuePlayer.items()`.
    public var items: [PlayerItem] {
        shared.withLock { [$0.item].compactMap { $0 } + $0.waiting }
    }

    /// The latest hundred items that could not be played and were skipped.
    public var skippedItems: [PlayerItem] { shared.withLock { $0.skipped } }

    /// Returns whether an item can be inserted. It must not be in the queue, and must not have been
    /// given to a player before, because an item plays once. To play an asset again, create another
    /// item for it.
    ///
    /// - Parameter afterItem: The item that should precede `item`; nil for the end of the queue.
    /// - Corresponds to: `AVQueuePlayer.canInsert(_:after:)`.
    package func canInsert(_ item: PlayerItem, after afterItem: PlayerItem?) -> Bool {
        item.pipeline.isIdle && shared.withLock { $0.place(for: item, after: afterItem) != nil }
    }

    /// Inserts an item after `afterItem`, or at the end of the queue if `afterItem` is nil. In an
    /// empty queue, the item becomes the current one.
    ///
    /// - Returns: false, without inserting the item, if it was given to a player before, because an
    ///   item plays once, or if `afterItem` is not in the queue. This is not an error of the
    ///   caller, because `afterItem` may have just ended.
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

    /// Advances to the next item immediately. If there is no next item, the queue has no current
    /// item afterwards.
    ///
    /// - Corresponds to: `AVQueuePlayer.advanceToNextItem()`.
    public func advanceToNextItem() { advance(from: currentItem, hasEnded: false) }

    /// Removes an item from the queue. The item cannot be inserted again. If it is the current
    /// item, the next item plays. If it belongs to a loop, it leaves the loop; the loop ends when
    /// its last item has left.
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

    /// Makes the first item the current one if there is no current item, or if the current item has
    /// failed.
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
    /// Returns the index at which to insert `item` into the waiting items; nil if it cannot be
    /// inserted.
    fileprivate func place(for item: PlayerItem, after afterItem: PlayerItem?) -> Int? {
        guard self.item !== item, !waiting.contains(where: { $0 === item }) else {
            return nil
        }
        guard let afterItem else { return waiting.count }
        if self.item === afterItem { return 0 }
        return waiting.firstIndex { $0 === afterItem }.map { $0 + 1 }
    }
}
