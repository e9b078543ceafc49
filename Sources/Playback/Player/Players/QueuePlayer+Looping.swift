// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads
import Synchronization

/// The part of the queue that a loop uses.
extension QueuePlayer {
    /// Inserts a looper's items before or after all other items. They replace the items of a
    /// previous looper.
    func startLoop(_ looper: any ItemLoop, precedesExistingItems: Bool) {
        shared.withLock { $0.loop?.looper }?.disableLooping()
        let items = looper.loopingPlayerItems
        let loop = Player.Loop(
            looper: looper, identifier: ObjectIdentifier(looper),
            items: Set(items.map(ObjectIdentifier.init)))
        let displaced = arranging { arrangement in
            let displaced = shared.withLock { state -> PlayerItem? in
                state.loop = loop
                guard precedesExistingItems, let current = state.item else {
                    state.waiting += items
                    return nil
                }
                state.waiting = items.dropFirst() + [current] + state.waiting
                state.item = items.first
                return current
            }
            if let displaced {
                makeCurrent(
                    items.first, replacing: displaced, keepingStart: false, &arrangement)
            }
            return displaced
        }
        guard let displaced, let first = items.first else {
            fill()
            return
        }
        // The item keeps its position, so that it can follow later.
        displaced.pipeline.post(.setRate(0, isImmediate: false))
        begin(first)
        publish()
        arrange()
    }

    /// Adds an item to those that take turns in the loop.
    func insertLooping(_ item: PlayerItem, of looper: any ItemLoop) {
        shared.withLock { state in
            guard state.loop?.identifier == ObjectIdentifier(looper) else { return }
            state.loop?.items.insert(ObjectIdentifier(item))
            state.waiting.insert(item, at: state.endOfLoop)
        }
        arrange()
    }

    /// Removes a looper's items. The current item is removed only if `leavingCurrentItem` is true.
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
        weak var looper: (any ItemLoop)?
        var identifier: ObjectIdentifier
        var items: Set<ObjectIdentifier>
    }
}

extension Player.Shared {
    /// The index, in the waiting items, at which the next item of the loop is inserted.
    var endOfLoop: Int {
        guard let loop else { return 0 }
        let last = waiting.lastIndex { loop.items.contains(ObjectIdentifier($0)) }
        return (last ?? -1) + 1
    }

    /// Removes an item from the loop. If it was the last item of the loop, returns the looper.
    mutating func leaveLoop(_ item: PlayerItem) -> (any ItemLoop)? {
        guard loop?.items.remove(ObjectIdentifier(item)) != nil, loop?.items.isEmpty == true else {
            return nil
        }
        defer { loop = nil }
        return loop?.looper
    }

    /// Appends an item of the loop once more. Returns nil if the item is not in the loop.
    mutating func requeue(_ item: PlayerItem) -> (any ItemLoop)? {
        // The looper is returned even if this is the last reference, because it must not be
        // deallocated while the lock is held.
        guard let loop, loop.items.contains(ObjectIdentifier(item)), let looper = loop.looper else {
            return nil
        }
        waiting.insert(item, at: endOfLoop)
        return looper
    }
}
