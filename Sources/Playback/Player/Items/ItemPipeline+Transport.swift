// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Synchronization

/// Starting and stopping the timeline.
extension ItemPipeline {
    /// Sets the requested rate; the timebase follows once enough has been decoded. At the end of
    /// the item nothing is left to play in that direction, and the rate stays 0.
    ///
    /// - Parameters:
    ///   - setting: The number of the player's rate setting; nil for another source. A setting
    ///     older than the accepted one is ignored.
    ///   - isRepeated: A Boolean value that indicates whether it may have been accepted before,
    ///     with any declaration that came with it.
    ///   - isImmediate: A Boolean value that indicates whether not to wait until enough is loaded
    ///     to keep up.
    /// - Returns: A Boolean value that indicates whether the rate stays 0 permanently: if another
    ///   item follows, the rate is passed to that one.
    @discardableResult
    func setDesiredRate(
        _ rate: Double, setting: Int?, isRepeated: Bool = false, isImmediate: Bool = false
    ) -> Bool {
        var ended = EndedRequests()
        let isRefused = control.change { control -> Bool in
            guard control.heeds(setting, isRepeatedOf: isRepeated ? rate : nil) else {
                return false
            }
            // Past the end, playback is over, even if the thread that detects it is late.
            _ = settleAtEnd(&control)
            if rate != 0 {
                control.steps = []
                ended.takePrerolls(from: &control)
            }
            let direction = PlaybackDirection(rate: rate)
            let isThere =
                control.hasPlayedToEnd && (direction == .reverse) == control.endedInReverse
            let isRefused = rate != 0 && isThere && control.isOver
            control.desiredRate = isRefused ? 0 : rate
            if control.desiredRate != 0, !isThere { control.hasPlayedToEnd = false }
            control.pendingStart = nil
            control.buffering.startsImmediately = isImmediate
            if control.desiredRate == 0 {
                stop(&control)
            } else if control.isRunning, direction != control.direction {
                stop(&control)
            } else if control.isRunning {
                changeRate(&control)
            }
            return isRefused && control.staysAtEnd
        }
        ended.fail()
        frames.timelineChanged()
        evaluate()
        return isRefused
    }

    /// Performs what has become possible: lands a seek, steps, starts the timebase, stops it at the
    /// end. Called after each step of the decoding threads, and by the control side.
    func evaluate() {
        var landed: Seek?
        var hasFound = true
        var prerolls: [@Sendable (Bool) -> Void] = []
        var sought = false
        var started = false
        var hasEnded = false
        let moved = control.change { control -> Bool in
            guard case .ready = control.phase else { return false }
            noteEnd(&control)
            noteBuffer(&control)
            if let seek = control.seek {
                if control.isPutOff, (control.hasShownMove && !seek.isServed) || hasArrived(control)
                {
                    restart(&control, for: seek)
                    return true
                }
                guard hasLanded(control) else { return false }
                landed = seek
                hasFound = settleFailure(&control)
                control.seek = nil
                control.move = nil
            }
            var moved = settleAtEnd(&control)
            sought = turnIfNeeded(&control)
            if sought { return moved }
            let step = takeSteps(&control)
            sought = step.sought
            moved = moved || step.moved
            if sought { return moved }
            moved = holdIfDry(&control) || moved
            if !control.prerolls.isEmpty, isPrerolled(control) {
                swap(&prerolls, &control.prerolls)
            }
            started = startIfPrimed(&control)
            // The media that it starts with may be all there is for now.
            if started { _ = holdIfDry(&control) }
            // An item that starts at the end has reached it.
            if started { moved = settleAtEnd(&control) || moved }
            hasEnded = takeEnd(&control)
            if let size = frames.presentationSize(at: timebase.time) {
                control.presentationSize = size
            }
            return moved || started
        }
        if moved {
            frames.timelineChanged()
            control.withLock { $0.renderer }?.wakeWriter()
        }
        if sought { seekBegan() }
        if started { scrubbed.clear() }
        if moved || landed != nil { tellOutputs(.willChange) }
        landed?.completion?(hasFound)
        for preroll in prerolls { preroll(true) }
        announce(hasEnded ? .ended : .advanced)
    }

    private func startIfPrimed(_ control: inout Control) -> Bool {
        guard control.desiredRate != 0, !control.isRunning, !control.isOver,
            PlaybackDirection(rate: control.desiredRate) == control.direction,
            isPrimed(control), isFed(&control), isHearable(control)
        else { return false }
        // Audio that the device receives now is heard a latency later: the timeline is anchored
        // there, so that video and audio begin together.
        let delay = control.renderer?.sink.latency ?? .zero
        let anchor = timebase.time
        let start = alignedToVsync(timebase.master.time + delay, anchor: anchor, control)
        timebase.setRate(
            control.timelineRate, time: anchor, atMasterTime: start, holdingUntilThen: true)
        // Not before: a device receives silence from a stopped timeline.
        control.renderer?.resume()
        isWakingSound.store(false, ordering: .relaxed)
        control.startMasterTime = start
        control.isRunning = true
        control.buffering.noteStart()
        return true
    }

    /// Returns whether audio that starts now would be heard: a sleeping device is woken before.
    private func isHearable(_ control: Control) -> Bool {
        guard let renderer = control.renderer, control.direction == .forward,
            !renderer.sink.isAwake
        else { return true }
        isWakingSound.store(true, ordering: .relaxed)
        renderer.resume()
        // It may have woken meanwhile.
        return renderer.sink.isAwake
    }

    /// Handles a change of the sink's state, which may be waited for. The sink may call it from
    /// within its own methods, with a lock held.
    func sinkChanged() {
        guard isWakingSound.load(ordering: .relaxed) else { return }
        ObservationQueue.background.async { [weak self] in self?.evaluate() }
    }

    /// Returns the first master time from `start` on at which the frame that is visible at `anchor`
    /// begins with a vsync, and so, at usual rates, do as many others as possible: frames are then
    /// neither early nor late, and far from the edge between two vsyncs.
    private func alignedToVsync(
        _ start: MediaTime, anchor: MediaTime, _ control: Control
    ) -> MediaTime {
        guard let frame = frames.frame(at: anchor, playhead: anchor, taking: false) else {
            return start
        }
        let master = timebase.master
        let into = (anchor - frame.presentationTime) * (1 / control.desiredRate)
        guard into.isNumeric, let hostTime = master.hostTime(at: start),
            let vsync = vsyncs.vsync(notBefore: hostTime - into)
        else { return start }
        return max(start, master.time(atHostTime: vsync + into))
    }

    /// Changes a running timeline to the requested rate; one that waits for its start keeps it.
    private func changeRate(_ control: inout Control) {
        guard timebase.rate != control.timelineRate else { return }
        frames.setBack(at: timebase.time, rate: timebase.rate)
        if timebase.master.time < control.startMasterTime {
            timebase.setRate(
                control.timelineRate, time: timebase.time, atMasterTime: control.startMasterTime,
                holdingUntilThen: true)
        } else {
            timebase.rate = control.timelineRate
        }
    }

    /// Sets the factor on the requested rate.
    func setRateAdjustment(_ factor: Double) {
        let hasChanged = control.change { control in
            guard control.rateAdjustment != factor else { return false }
            control.rateAdjustment = factor
            if control.isRunning { changeRate(&control) }
            return true
        }
        if hasChanged { frames.timelineChanged() }
    }

    /// The time that is visible now: the origin of steps, and the frame that stays until a seek
    /// shows another.
    var seenTime: MediaTime { seenTime(at: timebase.time) }

    /// Returns the time that is visible when the timeline reads `time`.
    func seenTime(at time: MediaTime) -> MediaTime {
        frames.seenTime(at: time, drawn: outputs.all.compactMap(\.drawn))
    }

    /// Stops the timeline. Frames that were drawn for coming vsyncs, or are visible by now, stay.
    func stop(_ control: inout Control) {
        if isWakingSound.exchange(false, ordering: .relaxed) { control.renderer?.pause() }
        guard control.isRunning else { return }
        control.isRunning = false
        control.isDeclared = false
        let rate = timebase.rate
        // Also before, for a display that asks in between.
        frames.setBack(at: timebase.time, rate: rate)
        timebase.rate = 0
        frames.setBack(at: timebase.time, rate: rate)
        control.renderer?.pause()
    }

    /// Returns whether the seek has reached its target.
    private func hasLanded(_ control: Control) -> Bool {
        !control.isPutOff && hasArrived(control)
    }

    /// Returns whether the threads have reached the target of their move.
    func hasArrived(_ control: Control) -> Bool {
        if control.demuxerMustMove { return false }
        if control.videoTrack != nil { return control.hasVideo || control.videoEnd != nil }
        if control.renderer != nil { return isPrimed(control) }
        return true
    }

    /// Returns whether enough is decoded to start.
    func isPrimed(_ control: Control) -> Bool {
        let time = timebase.time
        if control.videoTrack != nil, !frames.isPrimed(at: time),
            !isPassedOver(control.videoTrack)
        {
            return false
        }
        // In reverse there is no audio.
        guard control.direction == .forward, let renderer = control.renderer,
            control.audioEnd == nil
        else { return true }
        if isPassedOver(control.audioTrack) { return true }
        return control.audioGeneration == control.generation
            && renderer.isPrimed(at: renderer.soundTime(at: time))
    }

    /// Returns whether a track has no packets where the others have, so that they play without it.
    private func isPassedOver(_ track: AssetTrack?) -> Bool {
        track.map { packets.level.tracksPassedOver.contains($0.id) } ?? false
    }

    /// Returns whether nothing more can be decoded in advance.
    private func isPrerolled(_ control: Control) -> Bool {
        guard isPrimed(control) else { return false }
        return control.videoTrack == nil || frames.isFullOrEnded
    }

    /// Returns whether audio is decoded for the given time ahead on the clock, as far as the ring
    /// has space, or will not be.
    func hasSound(ahead time: MediaTime) -> Bool {
        control.withLock { control in
            guard case .ready = control.phase, let renderer = control.renderer,
                let track = control.audioTrack, control.direction == .forward,
                !control.isAudioDisabled, control.audioEnd == nil
            else { return true }
            guard control.audioGeneration == control.generation else { return false }
            if packets.isExhausted(track: track.id) { return true }
            // Less than the whole ring: the writer waits for some space before it continues.
            let most = MediaTime(value: 3, timescale: 4)
            let now = renderer.soundTime(at: timebase.time)
            let lead = min(time * max(1, control.timelineRate), most)
            return renderer.bufferedTimeRange.end >= now + lead
        }
    }

    /// Sets the volume, also for a renderer that does not exist yet.
    func setVolume(_ volume: Float) {
        control.change { control in
            control.volume = volume
            control.renderer?.volume = volume
        }
    }
}

extension AudioRenderer {
    /// Returns whether enough audio is decoded to start at `time`: as much as a device takes at
    /// once, and some for the decoder to stay ahead. Without a device none is needed.
    fileprivate func isPrimed(at time: MediaTime) -> Bool {
        if case .failed = sink.status { return true }
        let range = bufferedTimeRange
        // A ring that is full of audio behind the playhead is about to be cleared.
        if isFull, range.start + MediaTime(value: 1, timescale: 1000) >= time { return true }
        return range.end - max(range.start, time) >= MediaTime(value: 1, timescale: 5)
    }
}

extension ItemPipeline.Control {
    /// Returns whether one of the player's rate settings is accepted, and records it.
    ///
    /// - Parameters:
    ///   - setting: The number of the setting; nil for another source.
    ///   - rate: The rate, if the setting may have been accepted before.
    fileprivate mutating func heeds(_ setting: Int?, isRepeatedOf rate: Double?) -> Bool {
        if let setting, let last = rateSetting {
            if setting < last { return false }
            if setting == last, rate == desiredRate { return false }
        }
        rateSetting = setting
        return true
    }

    /// Returns whether a setting that is a declared start is accepted.
    mutating func heeds(_ setting: Int?) -> Bool { heeds(setting, isRepeatedOf: nil) }
}
