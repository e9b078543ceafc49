// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads
import Synchronization

/// The queue's side of a `PlayerLooper`.
extension QueuePlayer {
    /// Puts a looper's items before all others or after them, in place of another looper's.
    func startLoop(_ looper: PlayerLooper, _ ordering: PlayerLooper.ItemOrdering) {
        shared.withLock { $0.loop?.looper }?.disableLooping()
        let items = looper.loopingPlayerItems
        let loop = Player.Loop(
            looper: looper, identifier: ObjectIdentifier(looper),
            items: Set(items.map(ObjectIdentifier.init)))
        let displaced = arranging { arrangement in
            let displaced = shared.withLock { state -> PlayerItem? in
                state.loop = loop
                guard ordering == .loopingItemsPrecedeExistingItems, let current = state.item else {
                    state.waiting += items
                    return nil
                }
                state.waiting = items.dropFirst() + [current] + state.waiting
                state.item = items.first
                return current
            }
            if displaced != nil {
                makeCurrent(items.first, keepingStart: false, &arrangement)
            }
            return displaced
        }
        guard let displaced, let first = items.first else {
            fill()
            return
        }
        displaced.pipeline.leave()
        begin(first)
        publish()
        arrange()
    }

    /// Adds one to the items that take turns.
    func insertLooping(_ item: PlayerItem, of looper: PlayerLooper) {
        shared.withLock { state in
            guard state.loop?.identifier == ObjectIdentifier(looper) else { return }
            state.loop?.items.insert(ObjectIdentifier(item))
            state.waiting.insert(item, at: state.endOfLoop)
        }
        arrange()
    }

    /// Takes a looper's items out, but for the current one unless it is to be left as well.
    func endLoop(_ identifier: ObjectIdentifier, leavingCurrentItem: Bool) {
        let (removed, current) = shared.withLock { state -> ([PlayerItem], PlayerItem?) in
            guard let loop = state.loop, loop.identifier == identifier else { return ([], nil) }
            let removed = state.waiting.filter { loop.items.contains(ObjectIdentifier($0)) }
            state.waiting.removeAll { loop.items.contains(ObjectIdentifier($0)) }
            state.loop = nil
            let isCurrent = state.item.map { loop.items.contains(ObjectIdentifier($0)) } ?? false
            return (removed, isCurrent ? state.item : nil)
        }
        for item in removed { item.pipeline.close() }
        if leavingCurrentItem, let current, current.error == nil {
            advance(from: current, hasEnded: false)
        } else {
            arrange()
        }
    }
}

extension Player {
    /// The items that take turns in a loop.
    struct Loop {
        weak var looper: PlayerLooper?
        var identifier: ObjectIdentifier
        var items: Set<ObjectIdentifier>
    }
}

extension Player.Shared {
    /// Where among the waiting the next of the items goes that take turns.
    var endOfLoop: Int {
        guard let loop else { return 0 }
        let last = waiting.lastIndex { loop.items.contains(ObjectIdentifier($0)) }
        return (last ?? -1) + 1
    }

    /// Has an item take turns no more; gives the looper where that was the last one.
    mutating func leaveLoop(_ item: PlayerItem) -> PlayerLooper? {
        guard loop?.items.remove(ObjectIdentifier(item)) != nil, loop?.items.isEmpty == true else {
            return nil
        }
        defer { loop = nil }
        return loop?.looper
    }

    /// Has an item that takes turns follow once more; nil for another.
    mutating func requeue(_ item: PlayerItem) -> PlayerLooper? {
        // The looper is handed out even when it is the last reference: what happens when it goes must
        // not happen under the lock.
        guard let loop, loop.items.contains(ObjectIdentifier(item)), let looper = loop.looper else {
            return nil
        }
        waiting.insert(item, at: endOfLoop)
        return looper
    }
}
