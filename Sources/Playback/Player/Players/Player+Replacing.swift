// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Synchronization

/// Replacement of the current item by another item without an interruption, for media that is
/// edited while it plays.
///
/// The other item is opened and decoded while the current item plays, from a time that playback has
/// not reached yet. At exactly that time it takes over, like the next item of a queue: the timeline
/// of the current item ends and that of the other item begins at the same sample. If the other item
/// is not prepared by then, it is prepared for a later time, and the current item plays on. An item
/// that is not ready is neither heard nor shown.
extension Player {
    /// An item that is to take over from the current one.
    struct Replacement {
        let item: PlayerItem
        /// The item that is replaced.
        let former: PlayerItem
        /// The time, on the timelines of both items, at which the replacement takes over.
        var time = MediaTime.invalid
        /// The host time at which the preparation began, in nanoseconds.
        var start: Int64 = 0
        /// The number of times that the replaced item was too near the end of a loop's repetition
        /// for a takeover.
        var refusals = 0
        /// A Boolean value that indicates whether the item is prepared and waits until the replaced
        /// item has performed a seek or steps.
        var awaitsFormer = false
        /// A Boolean value that indicates whether the takeover has been declared.
        var isDeclared = false
        /// The newest item, which replaces this item as soon as this item has taken over.
        var next: PlayerItem?
    }

    /// Continues with another item at the current time, without a pause, a missing frame or a
    /// click.
    ///
    /// The rate is kept. If playback is paused, only the visible frame changes. If several items
    /// are passed faster than they can be prepared, some of them are left out, but not the last
    /// one. An item of a `PlayerLooper` leaves the loop.
    ///
    /// - Parameter item: an item that no player has had. It fails like any current item if it
    ///   cannot be opened.
    package func continueCurrentItem(with item: PlayerItem) {
        let current = currentItem
        guard let former = current, former.pipeline.isReady else {
            // The current item is not open, so there is nothing to continue. The new item begins at
            // the same time.
            let time = current?.pipeline.playhead ?? .zero
            if time > .zero { item.seekExactly(to: time) }
            replaceCurrentItem(with: item)
            return
        }
        precondition(
            item.pipeline.isIdle && item.pipeline.claim.take(for: self),
            "a player has the item, or has had it; make another one")
        // The item that is left out is released without the lock.
        let (begins, leftOut) = shared.withLock { state -> (Bool, PlayerItem?) in
            if let replacement = state.replacement, replacement.former === state.item {
                state.replacement?.next = item
                return (false, replacement.next)
            }
            state.replacement = Replacement(item: item, former: former)
            return (true, nil)
        }
        withExtendedLifetime(leftOut) {}
        if begins { prepareReplacement(item, isFirst: true) }
    }

    // MARK: - Preparing

    /// The time from the declaration of a takeover to the takeover, in addition to the latency of
    /// the device. The device has already taken audio for the duration of its latency.
    private static let margin = MediaTime(value: 20, timescale: 1000)
    /// The initial and the maximum estimate of the duration of the preparation.
    private static let usualPreparation = MediaTime(value: 20, timescale: 1000)
    private static let longestPreparation = MediaTime(value: 2, timescale: 1)

    /// Moves an item to the time at which it can take over, and decodes from there.
    ///
    /// - Parameter wasLate: A Boolean value that indicates whether the item was not prepared at the
    ///   time that was chosen before.
    private func prepareReplacement(_ item: PlayerItem, isFirst: Bool, wasLate: Bool = false) {
        let former = shared.withLock { state -> PlayerItem? in
            guard let replacement = state.replacement, replacement.item === item else { return nil }
            let now = HostClock.nanoseconds
            if wasLate {
                let taken = MediaTime(
                    value: now - replacement.start, timescale: 1_000_000_000)
                state.preparation = min(
                    max(taken, state.preparation * Int32(2)), Self.longestPreparation)
            }
            state.replacement?.start = now
            return replacement.former
        }
        guard let former else { return }
        let time = takeoverTime(of: former)
        change(item) { $0.time = time }
        item.seekExactly(to: time) { [weak self, weak item] _ in
            guard let self, let item else { return }
            item.pipeline.post(
                .preroll { [weak self, weak item] isPrerolled in
                    // If the preroll has failed, another seek has replaced the seek that led here.
                    guard let self, let item, isPrerolled else { return }
                    self.replacementIsPrepared(item)
                })
        }
        guard isFirst else { return }
        arranging { arrangement in
            arrangement.hold(item)
            open(item)
        }
        item.pipeline.whenReady { [weak self, weak item] result in
            guard let self, let item, case .failure = result else { return }
            self.replacementIsPrepared(item)
        }
    }

    /// Returns the time of an item at which another one can take over.
    private func takeoverTime(of item: PlayerItem) -> MediaTime {
        let rate = item.pipeline.control.withLock { $0.isRunning ? $0.timelineRate : 0 }
        guard rate != 0 else { return item.pipeline.playhead }
        let preparation = shared.withLock { $0.preparation }
        let lead = margin + max(preparation * 1.5, Self.usualPreparation)
        let time = max(item.currentTime + lead * rate, .zero)
        // The time is rounded to a whole sample or microsecond, so that the joint is between two
        // samples.
        let scale = audioSink.map { Int32(clamping: $0.format.sampleRate) } ?? 1_000_000
        return time.converted(toTimescale: scale, method: .roundTowardPositiveInfinity)
    }

    private var margin: MediaTime { (audioSink?.latency ?? .zero) + Self.margin }

    // MARK: - Taking over

    /// Lets a prepared item take over.
    private func replacementIsPrepared(_ item: PlayerItem) {
        guard let replacement = shared.withLock({ $0.replacement }), replacement.item === item,
            !replacement.isDeclared
        else { return }
        guard item.error == nil else {
            replaceCurrentItem(with: item)
            return
        }
        let former = replacement.former.pipeline
        item.pipeline.continueLoop(of: former)
        guard former.isSettled else {
            change(item) { $0.awaitsFormer = true }
            // The former item may have been settled in the meantime.
            reviewReplacement()
            return
        }
        let (rate, isRunning) = former.control.withLock { ($0.timelineRate, $0.isRunning) }
        guard isRunning, rate > 0 else {
            // In reverse, the item begins near the position and not exactly there, because decoding
            // a group takes a while.
            if replacement.time == former.playhead || (isRunning && rate < 0) {
                replaceCurrentItem(with: item)
            } else {
                prepareReplacement(item, isFirst: false)
            }
            return
        }
        guard replacement.time - replacement.former.currentTime >= margin * rate else {
            prepareReplacement(item, isFirst: false, wasLate: true)
            return
        }
        guard former.post(.handOver(at: replacement.time)) else {
            handOverIsRefused(replacement)
            return
        }
        let taken = MediaTime(
            value: HostClock.nanoseconds - replacement.start, timescale: 1_000_000_000)
        shared.withLock { $0.preparation = min(taken, Self.longestPreparation) }
        let isDeclared = change(item) { $0.isDeclared = true }
        if isDeclared { arrange() }
    }

    /// The maximum number of times that a replacement waits for the next repetition of a loop.
    private static let refusalLimit = 10

    /// Handles a takeover time that the current item does not reach, because the item or a
    /// repetition of its loop ends earlier.
    private func handOverIsRefused(_ replacement: Replacement) {
        let former = replacement.former.pipeline
        if former.control.withLock({ $0.transport.isLooping }),
            replacement.refusals < Self.refusalLimit
        {
            change(replacement.item) { $0.refusals += 1 }
            prepareReplacement(replacement.item, isFirst: false)
        } else {
            replaceCurrentItem(with: replacement.item)
        }
    }

    /// Checks the replacement again after the current item has changed. The current item may have
    /// landed a seek that the replacement waits for, or may have been paused or moved before the
    /// declared takeover.
    func reviewReplacement() {
        guard let replacement = shared.withLock({ $0.replacement }) else { return }
        let (item, former) = (replacement.item, replacement.former.pipeline)
        if replacement.isDeclared {
            guard former.hasKeptOn, change(item, { $0.isDeclared = false }) else { return }
            arrange()
            prepareReplacement(item, isFirst: false)
        } else if replacement.awaitsFormer {
            guard former.isSettled, change(item, { $0.awaitsFormer = false }) else { return }
            replacementIsPrepared(item)
        }
    }

    /// Changes a replacement. Returns false if it no longer replaces the current item.
    @discardableResult
    private func change(_ item: PlayerItem, _ body: (inout Replacement) -> Void) -> Bool {
        shared.withLock { state in
            guard var replacement = state.replacement, replacement.item === item,
                replacement.former === state.item
            else { return false }
            body(&replacement)
            state.replacement = replacement
            return true
        }
    }

    /// Handles a change of the current item. If the replacement has become the current item,
    /// continues with the newest replacement. If it has not, closes the replacement.
    func settle(_ replacement: Replacement, current: PlayerItem?) {
        guard replacement.item === current else {
            replacement.item.pipeline.close()
            return
        }
        if let next = replacement.next { continueCurrentItem(with: next) }
    }

    /// Returns whether another item takes over at the end that an item has reached.
    func isReplaced(_ item: PlayerItem) -> Bool {
        shared.withLock { state in
            state.replacement.map { $0.isDeclared && $0.former === item } ?? false
        }
    }
}

extension Player.Shared {
    /// The item whose takeover from the current item has been declared.
    var declaredReplacement: [PlayerItem] {
        guard let replacement, replacement.isDeclared, replacement.former === item else {
            return []
        }
        return [replacement.item]
    }
}

extension ItemPipeline {
    /// A Boolean value that indicates whether the item is open.
    fileprivate var isReady: Bool { control.withLock { $0.transport.tracks.isReady } }

    /// A Boolean value that indicates whether no seek and no step is being performed.
    fileprivate var isSettled: Bool { control.withLock { $0.seek == nil && $0.steps.isEmpty } }

    /// The time of the playhead or, during a seek, the target.
    fileprivate var playhead: MediaTime {
        control.withLock { [timebase] in $0.seek?.target ?? timebase.time }
    }

    /// Continues the loop of another item.
    fileprivate func continueLoop(of other: ItemPipeline) {
        let loop = other.control.withLock { $0.transport.loop }
        guard loop.progress.left != 0 else { return }
        post(.setLoop(from: loop.start, to: loop.end, count: loop.progress.left))
    }

    /// A Boolean value that indicates whether the item plays on past the time at which another item
    /// was to take over.
    fileprivate var hasKeptOn: Bool {
        control.withLock { !$0.ending.isHandedOver && !$0.hasPlayedToEnd }
    }
}

extension PlayerItem {
    fileprivate func seekExactly(
        to time: MediaTime, completion: (@Sendable (Bool) -> Void)? = nil
    ) {
        seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero) { completion?($0) }
    }
}
