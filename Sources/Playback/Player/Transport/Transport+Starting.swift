// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// Starting and stopping the timeline.
extension Transport {
    /// The distance that the playhead may jump ahead without a seek: that of the queued media.
    private static let nearLimit = MediaTime(value: 1, timescale: 1)

    /// Sets the requested rate; the timeline follows once enough has been decoded. At the end of
    /// the item nothing is left to play in that direction, and the rate stays 0.
    mutating func setRate(_ rate: Double, isImmediate: Bool) {
        // Past the end, playback is over, even if the thread that detects it is late.
        _ = settleAtEnd()
        if rate != 0 {
            steps.clear()
            failPrerolls()
        }
        let direction = PlaybackDirection(rate: rate)
        let isThere =
            ending.hasPlayedToEnd && (direction == .reverse) == ending.endedInReverse
        let isRefused = rate != 0 && isThere && ending.isOver
        start.setRate(isRefused ? 0 : rate)
        // If another item follows, that one plays at the rate.
        setPlayerRate(isRefused && ending.staysAtEnd ? 0 : rate)
        if start.desiredRate != 0, !isThere { ending.setHasPlayedToEnd(false) }
        start.forgetDeclared()
        buffering.setStartsImmediately(isImmediate)
        if start.desiredRate == 0 {
            stop()
        } else if start.isRunning, direction != seek.direction {
            stop()
        } else if start.isRunning {
            changeRate()
        }
        act(.timelineChanged)
        act(.look)
    }

    /// Sets the player's rate in the same step as the item's.
    mutating func setPlayerRate(_ rate: Double) {
        if ending.isCurrent { act(.setPlayerRate(rate)) }
    }

    /// Sets the factor on the requested rate.
    mutating func setRateAdjustment(_ factor: Double) {
        guard start.rateAdjustment != factor else { return }
        start.setAdjustment(factor)
        if start.isRunning { changeRate() }
        act(.timelineChanged)
    }

    /// Changes a running timeline to the requested rate; one that waits for its start keeps it.
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

    /// Returns whether it has started the timeline, because enough is decoded.
    mutating func startIfPrimed(_ view: some TransportView) -> Bool {
        guard start.desiredRate != 0, !start.isRunning, !ending.isOver,
            PlaybackDirection(rate: start.desiredRate) == seek.direction,
            isPrimed(at: now.time, view), isFed(view), isHearable(view)
        else { return false }
        // Audio that the device receives now is heard a latency later: the timeline is anchored
        // there, so that video and audio begin together.
        let earliest = now.masterTime + view.audioLatency
        let masterTime = view.alignedToVsync(
            earliest, anchor: now.time, rate: start.desiredRate)
        run(at: start.timelineRate, from: now.time, masterTime: masterTime)
        return true
    }

    /// Returns whether audio that starts now would be heard: a sleeping device is woken before.
    private mutating func isHearable(_ view: some TransportView) -> Bool {
        guard seek.direction == .forward, !view.isAudioAwake else { return true }
        start.wake()
        act(.wakeAudio)
        return false
    }

    /// Returns whether enough is decoded to start at a time.
    func isPrimed(at time: MediaTime, _ view: some TransportView) -> Bool {
        if tracks.video != nil, !view.isVideoPrimed(at: time), !isPassedOver(tracks.video, view) {
            return false
        }
        // In reverse there is no audio.
        guard seek.direction == .forward, view.hasAudio else { return true }
        if !tracks.further.isEmpty,
            !view.areFurtherTracksPrimed(at: time, generation: seek.generation)
        {
            return false
        }
        if tracks.audioEnd != nil { return true }
        if isPassedOver(tracks.audio, view) { return true }
        return tracks.audioGeneration == seek.generation && view.isAudioPrimed(at: time)
    }

    /// Returns whether a track has no packets where the others have, so that they play without it.
    private func isPassedOver(_ track: AssetTrack?, _ view: some TransportView) -> Bool {
        track.map { view.packets.tracksPassedOver.contains($0.id) } ?? false
    }

    /// Returns whether nothing more can be decoded in advance.
    func isPrerolled(_ view: some TransportView) -> Bool {
        isPrimed(at: now.time, view) && (tracks.video == nil || view.isVideoFullOrEnded)
    }

    /// A Boolean value that indicates whether more audio may complete a seek, a step, a preroll, a
    /// start or a hold of the timeline.
    var waitsForSound: Bool {
        !start.isRunning || seek.requested != nil || !steps.isEmpty || !start.prerolls.isEmpty
            || buffering.hasTransfer
    }

    // MARK: - Declared starts

    /// Declares that the item reads a time at a host time, and runs at a rate. The timeline obeys
    /// at once, decoding follows.
    mutating func declare(_ declared: DeclaredStart, _ view: some TransportView) {
        setPlayerRate(declared.rate)
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

    /// Applies a declaration from before the item was open, unless it was superseded.
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
        let masterTime =
            declared.hostTime.isNumeric
            ? view.masterTime(atHostTime: declared.hostTime) : now.masterTime
        // During a seek its target is already the playhead's time.
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
