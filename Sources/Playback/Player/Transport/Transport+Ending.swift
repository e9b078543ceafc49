// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The end of an item's playback, and the item's place in a queue.
extension Transport {
    /// The end of playback: the end that was set or the end of the item, whichever is earlier. The
    /// end of the item is known once every track has been decoded to its end.
    var playbackEnd: MediaTime? {
        guard ending.limit.isNumeric else { return tracks.naturalEnd }
        return min(tracks.naturalEnd ?? ending.limit, ending.limit)
    }

    /// The expected end, before the last frames have been decoded. It may be wrong, so it is used
    /// only if the result can be corrected.
    var expectedEnd: MediaTime? {
        let known = playbackEnd
        guard known == nil, let expected = tracks.expectedVideoEnd, expected.isNumeric else {
            return known
        }
        return tracks.naturalEnd(videoEnd: expected)
    }

    /// The time at which reverse playback ends: the end that was set, or the beginning of the item.
    var reverseEnd: MediaTime {
        var start = MediaTime.zero
        if case .ready(let description) = tracks.phase, description.startTime.isNumeric {
            start = max(description.startTime, .zero)
        }
        return ending.reverseLimit.isNumeric ? max(start, ending.reverseLimit) : start
    }

    var isRunningForward: Bool { start.isRunning && seek.direction == .forward }

    mutating func setEndAction(_ action: EndAction) {
        ending.setAction(action)
        if action != .none, ending.hasPlayedToEnd, start.isRunning || hasPassedEnd {
            finishLate()
        } else if ending.isOver, ending.staysAtEnd, start.desiredRate != 0 {
            // The rate was kept for the next item, but no item follows any more.
            endRate()
        }
        act(.timelineChanged)
        act(.look)
    }

    /// A Boolean value that indicates whether the timeline has continued past its end.
    private var hasPassedEnd: Bool {
        guard seek.requested == nil else { return false }
        return ending.endedInReverse
            ? now.time < reverseEnd : playbackEnd.map { now.time > $0 } ?? false
    }

    /// Performs the action that was not performed when the end was reached. If the timeline has
    /// passed the end, the frame at the end is decoded again.
    private mutating func finishLate() {
        let end = (ending.endedInReverse ? reverseEnd : playbackEnd) ?? now.time
        let (wasRunning, hasPassed) = (start.isRunning, hasPassedEnd)
        finish(at: end)
        if wasRunning { act(.announce(.ended)) }
        if hasPassed {
            returnToEnd(end, hasPlayedToEnd: true)
            act(.seekBegan)
        }
    }

    /// Decodes the frame at `end` again, because the timeline has passed that end. The caller wakes
    /// the threads for the seek.
    private mutating func returnToEnd(_ end: MediaTime, hasPlayedToEnd: Bool) {
        restart(for: Seek(target: end))
        ending.setHasPlayedToEnd(hasPlayedToEnd)
    }

    mutating func setEnds(forward: MediaTime?, reverse: MediaTime?) {
        ending.setEnds(forward: forward, reverse: reverse, playhead: playhead)
        haveSetEnds()
    }

    /// The time of the playhead or, during a seek, the target.
    var playhead: MediaTime { seek.requested?.target ?? now.time }

    mutating func haveSetEnds() {
        let playhead = playhead
        // If an end has been moved away from the playhead, it counts as not reached.
        if ending.hasPlayedToEnd {
            ending.setHasPlayedToEnd(isAtEnd(playhead))
            readUnreadAudio()
        }
        act(.look)
        act(.tellOutputs)
    }

    /// Continues with an audio track that was selected at the end of playback, unless playback is
    /// still at its end.
    mutating func readUnreadAudio() {
        if tracks.isAlive, tracks.hasUnreadAudio, switchAudio() { act(.seekBegan) }
    }

    /// Returns whether a playhead that has reached the end is still at the end.
    private func isAtEnd(_ playhead: MediaTime) -> Bool {
        if ending.endedInReverse { return playhead <= reverseEnd }
        // The timeline may also have passed the end of the media before the end was known.
        let end = ending.endedAtLimit ? ending.limit : playbackEnd ?? .invalid
        return end.isNumeric && playhead >= end
    }

    /// Keeps the playhead within the item once its end is known: playback stops at the end, and a
    /// seek beyond the end lands there.
    mutating func settleAtEnd() -> EndOutcome {
        guard seek.requested == nil else { return .none }
        if seek.direction == .reverse {
            guard start.isRunning, !ending.hasPlayedToEnd, now.time <= reverseEnd else {
                return .none
            }
            return reachEnd(at: reverseEnd, inReverse: true)
        }
        guard let end = playbackEnd else { return .none }
        guard start.isRunning else {
            // This also applies after the end was reached, if the end of the media was not known at
            // that time.
            guard now.time > end, !ending.hasPlayedToEnd || ending.isOver else { return .none }
            place(at: end)
            // If a set end was passed, the frame at that end may have been discarded.
            guard end != tracks.naturalEnd else { return .moved }
            returnToEnd(end, hasPlayedToEnd: ending.hasPlayedToEnd)
            return .sought
        }
        guard !ending.hasPlayedToEnd, now.time >= end else { return .none }
        return reachEnd(at: end, inReverse: false)
    }

    /// Handles the end of playback in either direction.
    private mutating func reachEnd(at end: MediaTime, inReverse: Bool) -> EndOutcome {
        // A repetition that began at its own end is not followed by another one, because the series
        // would be endless.
        let hasBegunAtEnd =
            loop.isNew && (inReverse ? start.position <= end : start.position >= end)
        if isLooping, !hasBegunAtEnd, inReverse || !isHandedOver(at: end) {
            beginRound(inReverse: inReverse)
            return .sought
        }
        ending.reach(at: now.time, inReverse: inReverse)
        if ending.action == .none, !ending.isHandedOver { return .none }
        finish(at: end)
        return .moved
    }

    private mutating func finish(at end: MediaTime) {
        stop()
        // If another item follows, it plays at the rate.
        if ending.staysAtEnd { endRate() }
        place(at: end)
    }

    private mutating func endRate() {
        start.setRate(0)
        setPlayerRate(0)
    }

    /// Ends playback if reading failed before anything at the target of a seek was decoded. If it
    /// did not end, the timeline would run while a frame of another time is visible.
    ///
    /// - Returns: false if playback has ended for this reason.
    mutating func settleFailure(_ view: some TransportView) -> Bool {
        guard tracks.readingError != nil, !tracks.hasVideo else { return true }
        if hasAudio(after: now.time, view) { return true }
        tracks.end(at: now.time)
        return false
    }

    /// Passes the end of playback to the renderer and the frame queue.
    mutating func noteEnd() {
        let end = playbackEnd ?? .invalid
        if ending.note(end: end) { act(.setAudioEnd(end)) }
        let reverseEnd = reverseEnd
        if ending.note(reverseEnd: reverseEnd) { act(.setReverseAudioEnd(reverseEnd)) }
        if ending.noteVisibleEnd() { act(.setVisibleEnd(ending.visibleEnd)) }
    }

    /// Schedules the detection of the end. Returns whether the end has been reached. For each end,
    /// the result is true once.
    mutating func takeEnd() -> Bool {
        let end = seek.direction == .forward ? playbackEnd : reverseEnd
        let alarm = ending.hasPlayedToEnd ? .invalid : end ?? .invalid
        if ending.note(alarm: alarm) { act(.setAlarm(.end, at: alarm)) }
        return ending.takeAnnouncement()
    }

    // MARK: - Handing over

    /// Lets another item take over at a time, as if the item ended there. A pause, a reversal and
    /// every move of the playhead cancel that. The answer is whether the time lies ahead.
    mutating func handOver(at time: MediaTime) {
        guard tracks.isReady, isRunningForward, seek.requested == nil, steps.isEmpty,
            !ending.hasPlayedToEnd, now.time < time, expectedEnd.map({ time < $0 }) ?? true
        else { return }
        act(.answer(true))
        ending.setHandover(time, playhead: now.time)
        act(.timelineChanged)
        act(.look)
        act(.tellOutputs)
    }

    /// Cancels the handover, because playback will not reach the time of the handover.
    mutating func forgetHandover() {
        guard ending.isHandedOver else { return }
        ending.setHandover(.invalid, playhead: playhead)
    }

    /// Returns whether another item takes over where playback ends.
    func isHandedOver(at end: MediaTime) -> Bool {
        ending.isHandedOver && end >= ending.handover
    }

    // MARK: - Succession

    /// The tolerance for an item that started too early because the end of the previous item has
    /// moved. If the previous item has at most this much left to play, the start is not taken back.
    private static let overlapLimit = MediaTime(value: 1, timescale: 10)

    /// Declares that the item starts at another item's end, or cancels the declaration. An item
    /// that is not ready to start is not changed.
    mutating func follow(
        _ succession: Succession?, start masterTime: MediaTime, remaining: MediaTime,
        _ view: some TransportView
    ) {
        let hasChanged: Bool
        if let succession {
            hasChanged = follow(succession, masterTime, remaining, view)
        } else {
            hasChanged = ending.succession != nil
            takeBack()
        }
        act(.answer(hasChanged))
        guard hasChanged else { return }
        act(.timelineChanged)
        act(.tellOutputs)
        // The item may be at its end already.
        act(.look)
    }

    private mutating func follow(
        _ succession: Succession, _ masterTime: MediaTime, _ remaining: MediaTime,
        _ view: some TransportView
    ) -> Bool {
        if let (present, position) = ending.succession {
            if present.isSame(as: succession) { return false }
            if succession.itemTime.isNumeric, now.time < succession.itemTime {
                // The other item plays on at another rate until the audio of this item begins.
                start.setRate(succession.rate)
                begin(succession, from: position, masterTime)
                return true
            }
            if now.time != position {
                // This item has begun already, because the other item was moved or continues
                // differently.
                guard remaining > Self.overlapLimit else { return false }
                takeBack()
                return true
            }
        }
        guard tracks.isReady, !ending.isCurrent, seek.requested == nil,
            seek.direction == .forward, steps.isEmpty, !ending.hasPlayedToEnd
        else { return false }
        // If an item runs, but its start was not declared here, it is not a successor.
        guard
            ending.succession != nil
                || (!start.isRunning && isPrimed(at: now.time, view) && isFed(view))
        else { return false }
        let position = now.time
        start.setRate(succession.rate)
        begin(succession, from: position, masterTime)
        return true
    }

    /// Runs the timeline from the playhead on, so that it reads the time of the succession at that
    /// moment.
    private mutating func begin(
        _ succession: Succession, from position: MediaTime, _ masterTime: MediaTime
    ) {
        ending.follow(succession, from: position)
        let rate = start.timelineRate
        guard succession.itemTime.isNumeric, succession.itemTime > position, rate > 0 else {
            run(at: rate, from: position, masterTime: masterTime)
            return
        }
        let lead = (succession.itemTime - position) * (1 / rate)
        run(
            at: rate, from: position, masterTime: masterTime - lead,
            audioStart: succession.itemTime)
        // The frames before the present one are those of the other item.
        if now.time > position { act(.passOverFrames) }
    }

    /// Cancels a declared start, and takes back what has been played since then.
    private mutating func takeBack() {
        guard let (_, position) = ending.succession else { return }
        let hasBegun = now.time != position
        _ = ending.forgetSuccession()
        stop()
        start.setRate(0)
        if hasBegun {
            restart(for: Seek(target: position))
            act(.seekBegan)
        }
        place(at: position)
    }

    /// Discards the declared start, because the playhead is being moved.
    mutating func forgetSuccession() {
        if ending.forgetSuccession() { start.setRate(0) }
    }

    /// Makes the item the current one of its player, so that it no longer follows another item.
    ///
    /// - Parameter keepingStart: A Boolean value that indicates whether the declared start applies
    ///   because the other item has ended. If the start is in the past, the item continues in any
    ///   case.
    mutating func becomeCurrent(keepingStart: Bool) {
        ending.setCurrent(true)
        guard let (_, position) = ending.succession else { return }
        if !keepingStart, now.time == position { takeBack() }
        _ = ending.forgetSuccession()
    }
}
