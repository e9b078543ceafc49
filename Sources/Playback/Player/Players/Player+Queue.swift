// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import PlayheadThreads
import PlayheadTime
import Synchronization

/// The items that follow the current one, and the transition to them.
///
/// The next item is opened and decoded ahead while the current one plays. As soon as the end of the
/// current item is known as a time of its clock, the timeline of the next item is declared to start
/// at exactly that time. Neither audio nor video therefore waits for a thread to detect the end. At
/// the end itself, only the state of the queue is updated.
extension Player {
    /// The items that have been prepared to follow the current one.
    struct Arrangement {
        var upcoming: [PlayerItem] = []
        /// The work that has to wait until the lock is released.
        fileprivate var afterwards: [@Sendable () -> Void] = []

        /// Retains an item and holds back its observers until the lock is released.
        mutating func hold(_ item: PlayerItem) {
            item.observers.hold()
            afterwards.append { item.observers.release() }
        }

        /// Passes an event to an item. The consequences for other items are delayed until the lock
        /// is released.
        mutating func post(_ event: TransportEvent, to item: PlayerItem) {
            hold(item)
            let (_, after) = item.pipeline.perform(event)
            afterwards.append { item.pipeline.perform(after) }
        }

        fileprivate mutating func follow(_ item: PlayerItem, _ succession: Succession?) {
            if let tell = item.pipeline.follow(succession) { afterwards.append(tell) }
        }
    }

    /// Changes the current item and its successors, one thread at a time. When a caller that makes
    /// a change and calls `arrange` returns, every start has been declared, no matter what other
    /// threads do.
    ///
    /// The lock is taken before all other locks. There are no notifications while it is held,
    /// because observers and deinitializers may call the player.
    func arranging<Result: Sendable>(_ body: (inout Arrangement) -> Result) -> Result {
        let (result, afterwards) = arrangement.withLock { arrangement in
            let result = body(&arrangement)
            defer { arrangement.afterwards = [] }
            return (result, arrangement.afterwards)
        }
        for action in afterwards { action() }
        return result
    }

    /// The maximum number of items that are prepared ahead. Usually, one item is prepared. If items
    /// are very short, all items that begin within `horizon` are prepared, because an audio device
    /// may request audio beyond the end of the next item.
    private static let upcomingLimit = 8
    private static let horizon = MediaTime(value: 1, timescale: 2)

    /// Opens an item, if that has not been done yet, and passes the player's settings to it.
    func open(_ item: PlayerItem) {
        let (state, volume) = shared.withLock { ($0, $0.isMuted ? 0 : $0.volume) }
        let pipeline = item.pipeline
        guard pipeline.isIdle else { return }
        pipeline.eventHandler.set { [weak self, weak item] event in
            if let self, let item { self.handle(event, of: item) }
        }
        item.observers.observeAtOnce { [weak self] _, _ in self?.publish() }
        pipeline.setVolume(volume)
        let inputs = mixer?.makeInputs()
        var configuration = DecodingConfiguration(
            audioSink: inputs?(nil), masterClock: fallbackClock,
            chosenClock: state.masterClock, audioTrackIndex: item.audioTrackIndex,
            waitsToMinimizeStalling: state.waitsToMinimizeStalling,
            endAction: state.actionAtItemEnd.action)
        configuration.makeFurtherSink = inputs.map { makeInput in
            { @Sendable in makeInput($0) }
        }
        pipeline.start(configuration)
    }

    private func handle(_ event: PipelineEvent, of item: PlayerItem) {
        let (current, action) = shared.withLock { ($0.item, $0.actionAtItemEnd) }
        switch event {
        case .advanced: arrange()
        // If the item was moved back in the meantime, it has not ended.
        case .ended where item === current && item.hasPlayedToEnd:
            switch action {
            case _ where isReplaced(item): advance(from: item, hasEnded: true)
            // In reverse, there is no item to advance to.
            case .advance where !item.pipeline.control.withLock({ $0.endedInReverse }):
                advance(from: item, hasEnded: true)
            case .pause, .advance, .none: break
            }
        case .ended: break
        case .failed: skip(item)
        }
    }

    /// Advances from an item that reached its end while another action was set.
    func advanceIfOver(_ item: PlayerItem) {
        guard shared.withLock({ $0.actionAtItemEnd }) == .advance, item.hasPlayedToEnd else {
            return
        }
        handle(.ended, of: item)
    }

    /// Prepares the next item. Once the end of the current item is known, declares the start of the
    /// next one.
    func arrange() {
        arranging { arrangement in
            let (current, waiting) = shared.withLock { state in
                (
                    state.item,
                    state.declaredReplacement
                        + (state.actionAtItemEnd == .advance
                            ? state.waiting.prefix(Self.upcomingLimit) : [])
                )
            }
            let before = arrangement.upcoming
            arrangement.upcoming = arrange(waiting, after: current, &arrangement)
            // An item that has become the current one continues.
            for item in before
            where item !== current && !arrangement.upcoming.contains(where: { $0 === item }) {
                arrangement.hold(item)
                arrangement.follow(item, nil)
            }
            showItems(current, &arrangement)
        }
        reviewReplacement()
    }

    private func arrange(
        _ waiting: [PlayerItem], after current: PlayerItem?, _ arrangement: inout Arrangement
    ) -> [PlayerItem] {
        var upcoming: [PlayerItem] = []
        var before = current
        for item in waiting {
            arrangement.hold(item)
            open(item)
            upcoming.append(item)
            switch before?.pipeline.successionPlan ?? .open {
            case .open:
                if !takesOverAtPause(item) { arrangement.follow(item, nil) }
            case .at(var succession):
                succession.itemTime = shared.withLock { $0.takeoverTime(of: item) }
                arrangement.follow(item, succession)
            case .over: break
            }
            guard item.pipeline.declaredSuccession != nil,
                item.pipeline.ends(within: Self.horizon)
            else { break }
            before = item
        }
        return upcoming
    }

    /// Makes an item the current one, at the player's rate, and makes outputs show it.
    ///
    /// - Parameters:
    ///   - old: The item that was current. Its end does not concern the player any more.
    ///   - keepingStart: A Boolean value that indicates whether the item began when the previous
    ///     one ended.
    func makeCurrent(
        _ item: PlayerItem?, replacing old: PlayerItem?, keepingStart: Bool,
        _ arrangement: inout Arrangement
    ) {
        if let old, old !== item { old.pipeline.note(.leave) }
        if let item {
            arrangement.hold(item)
            open(item)
            item.pipeline.becomeCurrent(keepingStart: keepingStart, currentRate)
            arrangement.upcoming.removeAll { $0 === item }
        }
        // Outputs show a stopped item only if it is the current one.
        showItems(item, &arrangement)
        if let item, item !== old {
            arrangement.post(.setRate(currentRate.value, isImmediate: false), to: item)
        }
    }

    /// Adds an output that follows the player from item to item.
    func add(_ output: any PlayerOutput) {
        outputs.withLock { outputs in
            outputs.removeAll { $0.output == nil }
            outputs.append(Output(output: output))
        }
        arrange()
    }

    struct Output {
        weak var output: (any PlayerOutput)?
    }

    private func showItems(_ current: PlayerItem?, _ arrangement: inout Arrangement) {
        let upcoming = arrangement.upcoming
        let outputs = outputs.withLock { $0 }.compactMap(\.output)
        if let current, !outputs.isEmpty { arrangement.hold(current) }
        let tellers = outputs.compactMap { $0.follow(current, upcoming) }
        // At the same time, other threads may release the objects that are used here.
        arrangement.afterwards.append {
            for tell in tellers { tell() }
            withExtendedLifetime((current, outputs)) {}
        }
    }

    /// Advances to the item after `item`, if `item` is the current one.
    func advance(from item: PlayerItem?, hasEnded: Bool) {
        let isPlayable = item?.error == nil
        let isHandedOver = hasEnded && item?.pipeline.isHandedOver == true
        var replacement: Replacement?
        var leftLooper: (any ItemLoop)?
        let step = arranging { arrangement -> (next: PlayerItem?, looper: (any ItemLoop)?)? in
            let step = shared.withLock { state -> (next: PlayerItem?, looper: (any ItemLoop)?)? in
                guard state.item === item else { return nil }
                replacement = state.replacement
                state.replacement = nil
                if hasEnded, let replacement, replacement.isDeclared || isHandedOver {
                    state.item = replacement.item
                    leftLooper = item.flatMap { state.leaveLoop($0) }
                    return (state.item, nil)
                }
                let looper = isPlayable ? item.flatMap { state.requeue($0) } : nil
                state.item = state.waiting.isEmpty ? nil : state.waiting.removeFirst()
                return (state.item, looper)
            }
            if let step {
                makeCurrent(step.next, replacing: item, keepingStart: hasEnded, &arrangement)
            }
            return step
        }
        guard let (next, looper) = step else { return }
        if let item {
            if let looper { looper.rewind(item) } else { item.pipeline.close() }
        }
        if let next { begin(next) }
        publish()
        arrange()
        if hasEnded { looper?.roundHasEnded() }
        leftLooper?.wasRemoved()
        if let replacement { settle(replacement, current: next) }
    }

    /// Handles the events that the new current item reported before it became current. They had no
    /// effect at that time.
    func begin(_ item: PlayerItem) {
        skip(item)
        if item.hasPlayedToEnd { handle(.ended, of: item) }
    }

    /// Skips an item that cannot be played. The last item is not skipped, so that its status is
    /// visible.
    func skip(_ item: PlayerItem) {
        guard item.error != nil else { return }
        var forgotten: PlayerItem?
        let isCurrent = shared.withLock { state -> Bool? in
            let isCurrent = state.item === item
            if isCurrent {
                guard state.actionAtItemEnd == .advance, !state.waiting.isEmpty else { return nil }
            }
            // Several threads may detect the failure at the same time. No matter which of them
            // advances first, the next item is the current one for each of them when this call
            // returns.
            if state.skipped.contains(where: { $0 === item }) { return isCurrent ? true : nil }
            if !isCurrent {
                guard state.waiting.contains(where: { $0 === item }) else { return nil }
                state.waiting.removeAll { $0 === item }
            }
            // The item is released without the lock.
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

    /// The number of skipped items that are kept.
    private static let skippedLimit = 100
}
