// SPDX-License-Identifier: Apache-2.0

public import PlayheadAudio
import PlayheadThreads
public import PlayheadTime
import Synchronization

/// Plays items one after another, without a gap in picture or sound.
///
///     let player = QueuePlayer(items: [first, second], audioSink: sink)
///     player.play()
///
/// While one item plays, the next is opened and decoded ahead, and starts at the very sample and
/// frame at which the one before ends. An item ends where its longer track does: past the end of the
/// sound there is silence, past that of the pictures the last one stays. An item that has ended
/// leaves the queue; after the last there is no current item, and the rate stays, so that what is
/// inserted then plays. Show the pictures of a queue by a `PlayerVideoOutput`.
///
/// An item that cannot be opened is passed over: it leaves the queue as soon as that is known, its
/// `error` says why, and it is found among `skippedItems`. The last one stays as the current item,
/// failed, until another is inserted.
///
/// - Concurrency: any thread.
/// - Corresponds to: `AVQueuePlayer`.
public final class QueuePlayer: Player, @unchecked Sendable {
    // Unchecked as its superclass is.

    /// A queue of items, the first of which begins to be opened at once.
    ///
    /// - Parameters:
    ///   - items: those that are given twice, or have been given to a player before, are left out.
    ///   - audioSink: where sound goes, as for `Player`; without one there is none.
    ///   - masterClock: what the timeline runs on where there is no sound.
    public init(
        items: [PlayerItem] = [], audioSink: (any AudioSink)?,
        masterClock: any MediaClock = HostClock.shared
    ) {
        super.init(playerItem: nil, audioSink: audioSink, masterClock: masterClock)
        shared.withLock { $0.actionAtItemEnd = .advance }
        for item in items { insert(item, after: nil) }
    }

    /// The current item, and those that follow, in order.
    ///
    /// - Corresponds to: `AVQueuePlayer.items()`.
    public var items: [PlayerItem] {
        shared.withLock { [$0.item].compactMap { $0 } + $0.waiting }
    }

    /// The latest hundred items that could not be played, and were passed over.
    public var skippedItems: [PlayerItem] { shared.withLock { $0.skipped } }

    /// Whether an item may be inserted: it is not in the queue, and has not been given to a player
    /// before, since an item plays once; make another of the same asset.
    ///
    /// - Parameter afterItem: after which item; nil for after all.
    /// - Corresponds to: `AVQueuePlayer.canInsert(_:after:)`.
    public func canInsert(_ item: PlayerItem, after afterItem: PlayerItem?) -> Bool {
        item.pipeline.isIdle && shared.withLock { $0.place(for: item, after: afterItem) != nil }
    }

    /// Inserts an item after another, or after all where that is nil. The first of an empty queue
    /// becomes the current one.
    ///
    /// - Returns: false, and nothing is inserted, where `canInsert` says no, or another queue has the item.
    ///   That is no misuse: the item to insert after may have ended just now.
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

    /// Goes on to the next item now; without one, to none.
    ///
    /// - Corresponds to: `AVQueuePlayer.advanceToNextItem()`.
    public func advanceToNextItem() { advance(from: currentItem, hasEnded: false) }

    /// Takes an item out of the queue, which then is not to be inserted again. In place of the
    /// current one the next plays. One that takes turns with others in a loop does so no more; with the
    /// last of them the loop is over.
    ///
    /// - Corresponds to: `AVQueuePlayer.remove(_:)`.
    public func remove(_ item: PlayerItem) {
        let (wasWaiting, looper) = shared.withLock { state -> (Bool, PlayerLooper?) in
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

    /// Takes all items out of the queue.
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

    /// Makes the first item the current one where there is none, or one that failed.
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
    /// Where among the waiting an item would be inserted; nil where it may not be.
    fileprivate func place(for item: PlayerItem, after afterItem: PlayerItem?) -> Int? {
        guard self.item !== item, !waiting.contains(where: { $0 === item }) else {
            return nil
        }
        guard let afterItem else { return waiting.count }
        if self.item === afterItem { return 0 }
        return waiting.firstIndex { $0 === afterItem }.map { $0 + 1 }
    }
}
