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
/// about reached by then. As soon as enough of it is decoded, its timeline runs beside that of the
/// current item, through the same times, and outputs show its frames. A little later, when the
/// device has played what it has already taken, it takes over, like the next item of a queue: the
/// audio of the current item ends and that of the other item begins at the same sample. An item
/// that is not ready is neither heard nor shown. If playback passes the frames that the item has
/// room for before they are decoded, the item is prepared again, for a later time.
extension Player {
    /// An item that is to take over from the current one.
    struct Replacement {
        enum Stage {
            /// A thread prepares the item for a time, or declares the takeover.
            case changing
            case decoding
            /// The takeover has been declared.
            case declared
        }

        let item: PlayerItem
        /// The item that is replaced.
        let former: PlayerItem
        var stage = Stage.changing
        /// The time from which the item is decoded. If the item ends before, its playhead is there.
        var position = MediaTime.invalid
        /// The time of the takeover, on the timelines of both items.
        var time = MediaTime.invalid
        /// The host time at which the preparation began, in nanoseconds.
        var start: Int64 = 0
        /// The number of times that the replaced item was too near the end of a loop's repetition
        /// for a takeover.
        var refusals = 0
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
    /// the device. The device has already taken audio for the duration of its latency. On a busy
    /// machine, the declaration may take a while.
    private static let margin = MediaTime(value: 40, timescale: 1000)
    /// The time ahead for which a display may request a frame.
    private static let displayLead = MediaTime(value: 20, timescale: 1000)
    /// The duration of frames and audio with which an item begins, so that the decoder stays ahead.
    private static let reserve = MediaTime(value: 100, timescale: 1000)
    /// The maximum estimate of the duration of the preparation.
    private static let longestPreparation = MediaTime(value: 2, timescale: 1)
    /// The maximum duration of audio that is decoded but not heard, because the frames that belong
    /// to it are shown already. The ring buffer of a renderer holds a second.
    private static let audioLimit = MediaTime(value: 1, timescale: 2)
    /// The distance behind playback, in seconds at rate 1, at which a preparation counts as late in
    /// any case.
    private static let longestDelay = MediaTime(value: 1, timescale: 1)

    /// Moves an item to the time that playback will have reached when it is prepared, and decodes
    /// from there. The item's stage is `changing`.
    ///
    /// - Parameter wasLate: A Boolean value that indicates whether playback has passed the frames
    ///   that were decoded before.
    private func prepareReplacement(_ item: PlayerItem, isFirst: Bool, wasLate: Bool = false) {
        let former = shared.withLock { state -> PlayerItem? in
            guard let replacement = state.replacement, replacement.item === item else { return nil }
            if wasLate {
                let preparation = max(replacement.age, state.preparation) * Int32(2)
                state.preparation = min(preparation, Self.longestPreparation)
            }
            state.replacement?.start = HostClock.nanoseconds
            return replacement.former
        }
        guard let former else { return }
        let position = startTime(after: former)
        change(item) { $0.position = position }
        item.seekExactly(to: position)
        if isFirst {
            arranging { arrangement in
                arrangement.hold(item)
                open(item)
            }
            item.pipeline.whenReady { [weak self, weak item] result in
                guard let self, let item, case .failure = result else { return }
                self.fail(item)
            }
        }
        enter(.decoding, from: .changing, item)
        reviewReplacement()
    }

    /// Makes an item that cannot be played the current one, which shows its error.
    private func fail(_ item: PlayerItem) { makeCurrent(item) }

    /// Makes a replacement the current item. Returns false if the caller of another thread has set
    /// another item in the meantime.
    @discardableResult
    private func makeCurrent(_ item: PlayerItem) -> Bool {
        replaceCurrentItem(with: item) { state in
            state.replacement.map { $0.item === item && $0.former === state.item } ?? false
        }
    }

    /// Returns the time of an item from which another one is decoded that is to take over.
    private func startTime(after item: PlayerItem) -> MediaTime {
        let rate = item.pipeline.runningRate
        guard rate != 0 else { return item.pipeline.playhead }
        let preparation = shared.withLock { $0.preparation } * rate
        let lead = rate > 0 ? max(preparation, margin * rate - Self.audioLimit) : preparation
        return roundedToSample(max(item.currentTime + lead, .zero))
    }

    /// Returns a time rounded up to a whole sample or microsecond, so that a joint is between two
    /// samples.
    private func roundedToSample(_ time: MediaTime) -> MediaTime {
        let scale = audioSink.map { Int32(clamping: $0.format.sampleRate) } ?? 1_000_000
        return time.converted(toTimescale: scale, method: .roundTowardPositiveInfinity)
    }

    private var margin: MediaTime {
        // With a negative delay, the device takes audio earlier.
        let advance = max(.zero, -(mixer?.delay ?? .zero))
        return (audioSink?.latency ?? .zero) + advance + Self.margin
    }

    // MARK: - Taking over

    /// Checks the replacement again after an item has changed. Another frame may have been decoded,
    /// the current item may have landed a seek that the replacement waits for, or may have been
    /// paused or moved before the declared takeover.
    func reviewReplacement() {
        guard let replacement = shared.withLock({ $0.replacement }) else { return }
        let (item, former) = (replacement.item, replacement.former.pipeline)
        switch replacement.stage {
        case .changing: break
        case .decoding: takeOver(replacement)
        case .declared:
            guard former.hasKeptOn else { return }
            if item.pipeline.hasBegunToFollow, former.isPaused {
                // The takeover stays declared, so that another thread does not remove the item from
                // outputs in the meantime.
                takeOver(item, atPause: former.playhead)
            } else if enter(.changing, from: .declared, item) {
                arrange()
                prepareReplacement(item, isFirst: false)
            }
        }
    }

    /// Makes an item whose frames are shown already the current one, because the former item has
    /// been paused at a time.
    private func takeOver(_ item: PlayerItem, atPause time: MediaTime) {
        guard makeCurrent(item) else { return }
        // The timeline has continued until now. The frame stays until the one of the pause, usually
        // the same, has been decoded again.
        if item.pipeline.playhead != time { item.seekExactly(to: time) }
    }

    /// Returns whether outputs show an item already that is to take over from the current item, and
    /// the current item is paused. The next review of the replacement then makes it the current
    /// item, and until then its frame stays.
    func takesOverAtPause(_ item: PlayerItem) -> Bool {
        let replacement = shared.withLock { $0.replacement }
        guard let replacement, replacement.isDeclared, replacement.item === item else {
            return false
        }
        return item.pipeline.hasBegunToFollow && replacement.former.pipeline.isPaused
    }

    /// Lets an item take over if it is prepared.
    private func takeOver(_ replacement: Replacement) {
        let (item, former) = (replacement.item, replacement.former)
        guard item.error == nil else {
            fail(item)
            return
        }
        guard item.pipeline.isReady, item.pipeline.isSettled, former.pipeline.isSettled else {
            return
        }
        let (start, rate) = (replacement.position, former.pipeline.runningRate)
        guard rate > 0 else {
            guard enter(.changing, from: .decoding, item) else { return }
            // In reverse, the item begins near the position and not exactly there, because decoding
            // a group takes a while.
            if rate < 0 || start == former.pipeline.playhead {
                item.pipeline.continueLoop(of: former.pipeline)
                makeCurrent(item)
            } else {
                prepareReplacement(item, isFirst: false)
            }
            return
        }
        let now = former.currentTime
        let shown = max(start, now + Self.displayLead * rate)
        let heard = max(start, roundedToSample(now + margin * rate))
        let preparation = item.pipeline.preparation(
            shownFrom: shown, heardFrom: heard, reserve: Self.reserve * rate)
        switch preparation {
        case .ready: declare(replacement, at: heard)
        case .late: prepareAgain(item)
        case .incomplete:
            if shown - start > Self.longestDelay * rate { prepareAgain(item) }
        }
    }

    private func prepareAgain(_ item: PlayerItem) {
        guard enter(.changing, from: .decoding, item) else { return }
        prepareReplacement(item, isFirst: false, wasLate: true)
    }

    /// Declares the takeover at a time.
    private func declare(_ replacement: Replacement, at time: MediaTime) {
        let (item, former) = (replacement.item, replacement.former.pipeline)
        guard enter(.changing, from: .decoding, item, { $0.time = time }) else { return }
        item.pipeline.continueLoop(of: former)
        guard former.post(.handOver(at: time)) else {
            handOverIsRefused(replacement, at: time)
            return
        }
        // A long preparation may be an exception. An item that is prepared later than expected
        // joins the former one, but an item that is prepared earlier has to wait.
        shared.withLock { $0.preparation = min(replacement.age, $0.preparation * 1.25) }
        if enter(.declared, from: .changing, item) { arrange() }
    }

    /// The maximum number of times that a replacement waits for the next repetition of a loop.
    private static let refusalLimit = 10

    /// Handles a takeover time that the current item does not reach, because the item or a
    /// repetition of its loop ends earlier, because it has just been paused or moved, or because
    /// this thread was so late that the item has passed the time.
    private func handOverIsRefused(_ replacement: Replacement, at time: MediaTime) {
        let (item, former) = (replacement.item, replacement.former.pipeline)
        if former.control.withLock({ $0.transport.isLooping }),
            replacement.refusals < Self.refusalLimit
        {
            change(item) { $0.refusals += 1 }
            prepareReplacement(item, isFirst: false)
        } else if former.hasStopped || former.hasPassed(time) {
            prepareReplacement(item, isFirst: false)
        } else {
            makeCurrent(item)
        }
    }

    /// Changes the stage of a replacement. Returns false if it has another stage, or no longer
    /// replaces the current item.
    @discardableResult
    private func enter(
        _ stage: Replacement.Stage, from former: Replacement.Stage, _ item: PlayerItem,
        _ body: (inout Replacement) -> Void = { _ in }
    ) -> Bool {
        let hasEntered = change(item) { replacement -> Bool in
            guard replacement.stage == former else { return false }
            replacement.stage = stage
            body(&replacement)
            return true
        }
        return hasEntered ?? false
    }

    /// Changes a replacement. Returns nil if it no longer replaces the current item.
    @discardableResult
    private func change<Result: Sendable>(
        _ item: PlayerItem, _ body: (inout Replacement) -> Result
    ) -> Result? {
        shared.withLock { state in
            guard var replacement = state.replacement, replacement.item === item,
                replacement.former === state.item
            else { return nil }
            defer { state.replacement = replacement }
            return body(&replacement)
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
        let isHandedOver = item.pipeline.isHandedOver
        return shared.withLock { state in
            state.replacement.map { $0.former === item && ($0.isDeclared || isHandedOver) } ?? false
        }
    }
}

extension Player.Replacement {
    /// A Boolean value that indicates whether the takeover has been declared.
    var isDeclared: Bool { stage == .declared }

    /// The duration of the preparation so far.
    fileprivate var age: MediaTime {
        MediaTime(value: HostClock.nanoseconds - start, timescale: 1_000_000_000)
    }
}

extension Player.Shared {
    /// Returns the time at which an item takes over from the current one; `invalid` if that has not
    /// been declared.
    func takeoverTime(of item: PlayerItem) -> MediaTime {
        declaredReplacement.first === item ? replacement?.time ?? .invalid : .invalid
    }

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

    /// A Boolean value that indicates whether the item was paused at its playhead.
    fileprivate var isPaused: Bool {
        control.withLock { control in
            !control.isRunning && control.desiredRate == 0 && control.seek == nil
                && control.steps.isEmpty
        }
    }

    /// A Boolean value that indicates whether the item has begun to play beside the item that it
    /// follows.
    fileprivate var hasBegunToFollow: Bool {
        control.withLock { [timebase] control in
            control.ending.succession.map { $0.position != timebase.time } ?? false
        }
    }

    /// A Boolean value that indicates whether the item was paused or moved before its end.
    fileprivate var hasStopped: Bool {
        control.withLock { control in
            control.seek != nil || !control.steps.isEmpty
                || (!control.isRunning && !control.hasPlayedToEnd)
        }
    }

    /// Returns whether the item runs, and has passed a time that is before its end.
    fileprivate func hasPassed(_ time: MediaTime) -> Bool {
        control.withLock { [timebase] control in
            control.isRunningForward && !control.hasPlayedToEnd && timebase.time >= time
                && control.expectedEnd.map { time < $0 } ?? true
        }
    }

    /// The time of the playhead or, during a seek, the target.
    fileprivate var playhead: MediaTime {
        control.withLock { [timebase] in $0.seek?.target ?? timebase.time }
    }

    /// The rate of the running timeline, which is negative in reverse; 0 if it does not run.
    fileprivate var runningRate: Double {
        control.withLock { $0.isRunning ? $0.timelineRate : 0 }
    }

    fileprivate enum Preparation {
        case ready, incomplete
        /// Decoding waits for the playhead, but the frames are those before it.
        case late
    }

    /// Returns whether enough has been decoded for the item to be shown and heard from two times
    /// on.
    ///
    /// - Parameter reserve: The duration of frames that decoding must be ahead, and of audio that
    ///   is decoded until it is heard.
    fileprivate func preparation(
        shownFrom shown: MediaTime, heardFrom heard: MediaTime, reserve: MediaTime
    ) -> Preparation {
        control.withLock { control in
            let view = PipelineView(pipeline: self, control)
            let transport = control.transport
            let isFull = transport.tracks.video == nil || view.isVideoFullOrEnded
            if transport.isPrimed(at: shown, audioTime: heard - reserve, view) {
                return isFull || view.isVideoPrimed(at: shown + reserve) ? .ready : .incomplete
            }
            let isLate = transport.tracks.video != nil && !view.isVideoPrimed(at: shown)
            return isLate && isFull ? .late : .incomplete
        }
    }

    /// Continues the loop of another item. If that loop is over by now, one that was continued
    /// before ends too.
    fileprivate func continueLoop(of other: ItemPipeline) {
        let loop = other.control.withLock { $0.transport.loop }
        let isLooping = control.withLock { $0.transport.loop.progress.left != 0 }
        guard loop.progress.left != 0 || isLooping else { return }
        post(.setLoop(from: loop.start, to: loop.end, count: loop.progress.left))
    }

    /// A Boolean value that indicates whether another item takes over before this item's end. On a
    /// busy machine, that time may be reached before the takeover has been declared.
    var isHandedOver: Bool { control.withLock { $0.ending.isHandedOver } }

    /// A Boolean value that indicates whether the item plays on past the time at which another item
    /// was to take over.
    fileprivate var hasKeptOn: Bool {
        control.withLock { !$0.ending.isHandedOver && !$0.hasPlayedToEnd }
    }
}

extension PlayerItem {
    fileprivate func seekExactly(to time: MediaTime) {
        seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero)
    }
}
