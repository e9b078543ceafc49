// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// Starting and stopping the timeline.
extension Transport {
    /// The maximum distance that the playhead may jump ahead without a seek. It corresponds to
    /// the media in the queues.
    private static let nearLimit = MediaTime(value: 1, timescale: 1)

    /// Sets the requested rate. The timeline follows once enough has been decoded. If playback has
    /// already ended in the direction of the rate, the rate stays 0.
    mutating func setRate(_ rate: Double, isImmediate: Bool) {
        // Past the end, playback is over, even if the thread that detects the end is late.
        if settleAtEnd() == .sought { act(.seekBegan) }
        if rate != 0 {
            steps.clear()
            failPrerolls()
        }
        let direction = PlaybackDirection(rate: rate)
        let isThere =
            ending.hasPlayedToEnd && (direction == .reverse) == ending.endedInReverse
        let isRefused = rate != 0 && isThere && ending.isOver
        start.setRate(isRefused ? 0 : rate)
        // If another item follows, that item plays at the rate.
        setPlayerRate(isRefused && ending.staysAtEnd ? 0 : rate)
        // After a late end action, the frame at the end of reverse playback was decoded forwards.
        let leavesEnd = start.desiredRate != 0 && ending.hasPlayedToEnd && !isThere
        let continues = leavesEnd && direction == seek.direction
        if leavesEnd { ending.setHasPlayedToEnd(false) }
        start.forgetDeclared()
        buffering.setStartsImmediately(isImmediate)
        if start.desiredRate == 0 {
            live.forgetPlayedOffset()
            stop()
            if !ending.hasPlayedToEnd { forgetHandover() }
        } else if start.isRunning, direction != seek.direction {
            stop()
            forgetHandover()
        } else if start.isRunning {
            changeRate()
        }
        if start.desiredRate > 0 { returnToWindow() }
        if continues { readUnreadAudio() }
        act(.timelineChanged)
        act(.look)
    }

    /// Sets the rate of the player in the same step as the rate of the item.
    mutating func setPlayerRate(_ rate: Double) {
        if ending.isCurrent { act(.setPlayerRate(rate)) }
    }

    /// Sets the factor that is applied to the requested rate.
    mutating func setRateAdjustment(_ factor: Double) {
        guard start.rateAdjustment != factor else { return }
        start.setAdjustment(factor)
        if start.isRunning { changeRate() }
        act(.timelineChanged)
    }

    /// Changes a running timeline to the requested rate. A timeline that waits for its start keeps
    /// the start.
    private mutating func changeRate() {
        guard now.rate != start.timelineRate else { return }
        act(.recordDrawnAhead(at: now.time, rate: now.rate))
        let isHeld = now.masterTime < start.masterTime
        act(.changeRate(start.timelineRate, startMasterTime: isHeld ? start.masterTime : nil))
        now.rate = start.timelineRate
    }

    mutating func preroll(_ completion: @escaping TransportEvent.Completion) {
        guard tracks.isAlive, start.desiredRate == 0 else {
            act(.complete(completion, false))
            return
        }
        start.add(completion)
        act(.look)
    }

    /// Starts the timeline if enough has been decoded. Returns whether it was started.
    mutating func startIfPrimed(_ view: some TransportView) -> Bool {
        let begin = startTime(view)
        guard start.desiredRate != 0, !start.isRunning, !ending.isOver, let begin,
            PlaybackDirection(rate: start.desiredRate) == seek.direction,
            isPrimed(at: begin, view), isFed(view), !moveAfterStall(view), isHearable(view)
        else { return false }
        // Audio that the device receives now is heard after the latency. The timeline is anchored
        // at that time, so that video and audio begin together.
        let earliest = now.masterTime + view.audioLatency
        if view.followsArrival {
            start.endCorrection()
            // What was decoded may not be due yet.
            let early = dueTime(view).map { begin - $0 - view.audioLatency } ?? .zero
            run(
                at: start.timelineRate, from: begin, masterTime: earliest + max(early, .zero))
            return true
        }
        let masterTime = view.alignedToVsync(
            earliest, anchor: now.time, rate: start.desiredRate)
        run(at: start.timelineRate, from: now.time, masterTime: masterTime)
        return true
    }

    /// Returns the time at which the timeline starts: the playhead or, for a live source that is
    /// followed as it arrives, the time that is due, because a pause has not stopped the source.
    /// Returns nil as long as that is not known.
    private func startTime(_ view: some TransportView) -> MediaTime? {
        guard view.followsArrival else { return now.time }
        return dueTime(view).map { max($0 + view.audioLatency, now.time) }
    }

    /// Returns the time that is due of a source that is followed as it arrives; nil as long as
    /// nothing has arrived.
    private func dueTime(_ view: some TransportView) -> MediaTime? {
        view.arrivingTime(
            atHostNanoseconds: now.hostNanoseconds, offset: live.arrivalOffset)
    }

    /// Corrects the distance of the playhead from the present, if the source is followed as it
    /// arrives. Its clock is not that of this machine, and the offset may have been changed.
    mutating func followOffset(_ view: some TransportView) {
        guard view.followsArrival, start.isRunning, start.desiredRate == 1, !start.isDeclared,
            seek.requested == nil, now.masterTime >= start.masterTime, let due = dueTime(view)
        else { return }
        correct(due - now.time)
    }

    /// Changes the rate for an error of the distance from the present.
    mutating func correct(_ error: MediaTime) {
        let factor = start.pursuit.factor
        start.correct(error)
        guard start.pursuit.factor != factor else { return }
        changeRate()
        act(.timelineChanged)
    }

    /// Returns whether audio that starts now can be heard. If the device is asleep, wakes it.
    private mutating func isHearable(_ view: some TransportView) -> Bool {
        guard !view.isAudioAwake else { return true }
        start.wake()
        act(.wakeAudio)
        return false
    }

    /// Returns whether enough has been decoded to start at a time.
    ///
    /// - Parameter audioTime: The time at which audio starts, if it starts later.
    func isPrimed(
        at time: MediaTime, audioTime: MediaTime? = nil, _ view: some TransportView
    ) -> Bool {
        let audioTime = audioTime ?? time
        if tracks.video != nil, !view.isVideoPrimed(at: time), !isPassedOver(tracks.video, view) {
            return false
        }
        if !tracks.furtherVideo.isEmpty, tracks.readingError == nil,
            !view.areFurtherPicturesPrimed(at: time, generation: seek.generation)
        {
            return false
        }
        guard view.hasAudio else { return true }
        if !tracks.further.isEmpty,
            !view.areFurtherTracksPrimed(at: audioTime, generation: seek.generation)
        {
            return false
        }
        if tracks.audioEnd != nil { return true }
        if isPassedOver(tracks.audio, view) { return true }
        return tracks.audioGeneration == seek.generation && view.isAudioPrimed(at: audioTime)
    }

    /// Returns whether a track has no packets at a time at which other tracks have some. The other
    /// tracks then play without it.
    private func isPassedOver(_ track: AssetTrack?, _ view: some TransportView) -> Bool {
        track.map { view.packets.tracksPassedOver.contains($0.id) } ?? false
    }

    /// Returns whether nothing more can be decoded in advance.
    func isPrerolled(_ view: some TransportView) -> Bool {
        isPrimed(at: now.time, view) && (tracks.video == nil || view.isVideoFullOrEnded)
    }

    /// A Boolean value that indicates whether more audio, or more video of a further track, could
    /// complete a seek, a step, a preroll, a start, or a hold of the timeline.
    var waitsForMedia: Bool {
        !start.isRunning || seek.requested != nil || !steps.isEmpty || !start.prerolls.isEmpty
            || buffering.hasTransfer
    }

    // MARK: - Declared starts

    /// Declares the item time at a given host time, and the rate of the timeline. The timeline
    /// changes at once, and decoding follows.
    mutating func declare(_ declared: DeclaredStart, _ view: some TransportView) {
        setPlayerRate(declared.rate)
        forgetHandover()
        if tracks.isAlive {
            steps.clear()
            start.setRate(declared.rate)
            if tracks.isReady {
                run(as: declared, view)
            } else {
                // The clock is not known before the item is open.
                start.declare(declared)
            }
        }
        haveDeclared()
    }

    /// Applies a declaration that was made before the item was open, unless it was replaced.
    mutating func applyDeclaredStart(_ view: some TransportView) {
        guard let declared = start.pending else { return }
        if tracks.isReady { run(as: declared, view) }
        haveDeclared()
    }

    private mutating func haveDeclared() {
        act(.clearKeptFrames)
        act(.timelineChanged)
        act(.tellOutputs)
        act(.look)
    }

    private mutating func run(as declared: DeclaredStart, _ view: some TransportView) {
        start.forgetDeclared()
        loop.leaveRound()
        let masterTime =
            declared.hostTime.isNumeric
            ? view.masterTime(atHostTime: declared.hostTime) : now.masterTime
        // During a seek, the target of the seek is already the time of the playhead.
        let current = now.time
        let first = tracks.description?.firstTime ?? .zero
        let time = declared.time.isNumeric ? max(declared.time, first) : current
        let position =
            now.masterTime > masterTime
            ? time + (now.masterTime - masterTime) * declared.rate : time
        let direction = PlaybackDirection(rate: declared.rate) ?? .forward
        let distance = direction == .forward ? position - current : current - position
        let isNear =
            seek.requested == nil && tracks.hasVideo && !ending.hasPlayedToEnd
            && seek.direction == direction && distance >= .zero && distance <= Self.nearLimit
        if isNear {
            failPrerolls()
            if direction == .forward { seek.setJump(position) }
        } else {
            failRequests()
            if direction == .forward {
                var seek = Seek(target: position)
                seek.followsTimeline = true
                restart(for: seek)
            } else {
                turnBack(at: position)
            }
            seek.countJump()
        }
        ending.setHasPlayedToEnd(false)
        run(at: declared.rate, from: time, masterTime: masterTime, isDeclared: true)
        if !isNear { act(.seekBegan) }
    }
}
