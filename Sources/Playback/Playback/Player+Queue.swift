// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import PlayheadThreads
import PlayheadTime
import Synchronization

/// What plays after the current item, and how one makes room for the next.
///
/// The next item is opened and decoded ahead while the current one plays. As soon as the end of the
/// current one is known as a time of its clock, the next one's timeline is declared to start at that
/// very time: neither sound nor picture waits for a thread to notice the end. What happens at the
/// end itself is bookkeeping.
extension Player {
    /// Which items have been made ready to follow, and who is about it: one thread at a time, without
    /// a lock, for others may be told of what it does.
    struct Arrangement {
        var upcoming: [PlayerItem] = []
        var isUnderWay = false
        /// Whether something has changed meanwhile.
        var isOutdated = false
    }

    /// At most so many items are made ready ahead. It is one, but where items are shorter than what
    /// a sound device takes ahead: then those that begin within `horizon`.
    private static let upcomingLimit = 8
    private static let horizon = MediaTime(value: 1, timescale: 2)

    /// Opens an item, unless that has been done, and gives it what the player knows. Announces
    /// nothing.
    func open(_ item: PlayerItem) {
        let (state, volume) = shared.withLock { ($0, $0.isMuted ? 0 : $0.volume) }
        let pipeline = item.pipeline
        guard pipeline.isIdle else { return }
        pipeline.eventHandler.withLock { handler in
            handler = { [weak self, weak item] event in
                if let self, let item { self.handle(event, of: item) }
            }
        }
        pipeline.observers.observeAtOnce { [weak self] _, _ in self?.publish() }
        pipeline.control.change { $0.ending.action = state.actionAtItemEnd }
        pipeline.setVolume(volume)
        pipeline.start(
            ItemPipeline.Configuration(
                audioSink: mixer?.makeInput(), masterClock: fallbackClock,
                chosenClock: state.masterClock, audioTrackIndex: item.audioTrackIndex))
    }

    private func handle(_ event: PipelineEvent, of item: PlayerItem) {
        let (current, action) = shared.withLock { ($0.item, $0.actionAtItemEnd) }
        switch event {
        case .advanced: arrange()
        case .ended where item === current:
            switch action {
            // Backwards there is nothing to go on to.
            case .advance where !item.pipeline.control.withLock({ $0.endedInReverse }):
                advance(from: item, hasEnded: true)
            case .pause, .advance: shared.withLock { if $0.item === item { $0.rate = 0 } }
            case .none: break
            }
        case .ended: break
        case .failed: skip(item)
        }
    }

    /// Makes the next item ready, and declares its start once it is known when the current one ends.
    /// Where another thread is at it, that one looks again.
    func arrange() {
        let begins = arrangement.withLock { arrangement -> Bool in
            arrangement.isOutdated = true
            if arrangement.isUnderWay { return false }
            arrangement.isUnderWay = true
            return true
        }
        guard begins else { return }
        while let before = beginArranging() {
            let (current, upcoming) = arrangeItems()
            // One that has become the current one goes on.
            for item in before
            where item !== current && !upcoming.contains(where: { $0 === item }) {
                item.pipeline.follow(nil)
            }
            arrangement.withLock { $0.upcoming = upcoming }
        }
    }

    /// The items that were arranged last, if there is something to do.
    private func beginArranging() -> [PlayerItem]? {
        arrangement.withLock { arrangement in
            guard arrangement.isOutdated else {
                arrangement.isUnderWay = false
                return nil
            }
            arrangement.isOutdated = false
            return arrangement.upcoming
        }
    }

    private func arrangeItems() -> (current: PlayerItem?, upcoming: [PlayerItem]) {
        let (current, waiting) = shared.withLock { state in
            (
                state.item,
                state.actionAtItemEnd == .advance
                    ? Array(state.waiting.prefix(Self.upcomingLimit)) : []
            )
        }
        var upcoming: [PlayerItem] = []
        var before = current
        for item in waiting {
            open(item)
            upcoming.append(item)
            guard declare(item, after: before), item.pipeline.ends(within: Self.horizon) else {
                break
            }
            before = item
        }
        showItems(current, upcoming)
        return (current, upcoming)
    }

    /// Declares an item's start after another's end, or takes it back; gives whether it is declared.
    private func declare(_ item: PlayerItem, after other: PlayerItem?) -> Bool {
        switch other?.pipeline.successionPlan ?? .open {
        case .open: item.pipeline.follow(nil)
        case .at(let succession): item.pipeline.follow(succession)
        case .over: break
        }
        return item.pipeline.isSuccessor
    }

    /// Adds an output that follows the player.
    func add(_ output: PlayerVideoOutput) {
        outputs.withLock { outputs in
            outputs.removeAll { $0.output == nil }
            outputs.append(Output(output: output))
        }
        arrange()
    }

    struct Output {
        weak var output: PlayerVideoOutput?
    }

    private func showItems(_ current: PlayerItem?, _ upcoming: [PlayerItem]) {
        for entry in outputs.withLock({ $0 }) { entry.output?.follow(current, upcoming) }
    }

    /// Goes on to the item that follows `item`, if that is the current one.
    func advance(from item: PlayerItem?, hasEnded: Bool) {
        let isPlayable = item?.error == nil
        var looper: PlayerLooper?
        let next = shared.withLock { state -> PlayerItem?? in
            guard state.item === item else { return nil }
            if let item, isPlayable { looper = state.requeue(item) }
            state.item = state.waiting.isEmpty ? nil : state.waiting.removeFirst()
            return .some(state.item)
        }
        guard let next else { return }
        // Before the other is put back, which would take back the start that was declared after it.
        if hasEnded { next?.pipeline.becomeCurrent() }
        if let item {
            if let looper { looper.rewind(item) } else { item.pipeline.close() }
        }
        if let next { begin(next, afterEnd: hasEnded) }
        publish()
        arrange()
        if hasEnded { looper?.roundHasEnded() }
    }

    /// Starts what has become the current item: now, or where it began when the one before ended.
    func begin(_ item: PlayerItem, afterEnd: Bool) {
        if !afterEnd { item.pipeline.follow(nil) }
        open(item)
        item.pipeline.becomeCurrent()
        item.pipeline.setDesiredRate(shared.withLock { $0.rate })
        // What happened to it before it was the current one has been told in vain.
        skip(item)
        if item.hasPlayedToEnd { handle(.ended, of: item) }
    }

    /// Passes over an item that cannot be played. The last one stays, for its status to be seen.
    func skip(_ item: PlayerItem) {
        guard item.error != nil else { return }
        var forgotten: PlayerItem?
        let isCurrent = shared.withLock { state -> Bool? in
            let isCurrent = state.item === item
            // Several may find out at once.
            if state.skipped.contains(where: { $0 === item }) { return nil }
            if isCurrent {
                guard state.actionAtItemEnd == .advance, !state.waiting.isEmpty else { return nil }
            } else {
                guard state.waiting.contains(where: { $0 === item }) else { return nil }
                state.waiting.removeAll { $0 === item }
            }
            // Let go of outside of the lock.
            if state.skipped.count == Self.skippedLimit { forgotten = state.skipped.removeFirst() }
            state.skipped.append(item)
            state.skippedCount += 1
            return isCurrent
        }
        withExtendedLifetime(forgotten) {}
        guard let isCurrent else { return }
        if isCurrent {
            advance(from: item, hasEnded: false)
        } else {
            item.pipeline.close()
            publish()
            arrange()
        }
    }

    /// How many of the items that were skipped are kept.
    private static let skippedLimit = 100
}
