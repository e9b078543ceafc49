// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Synchronization

/// Playback of media that loads more slowly than it plays.
extension ItemPipeline {
    /// Handles the opening of the asset.
    func adopt(_ demuxer: any Demuxer) {
        control.change { control in
            control.buffering.transfer = demuxer.transfer
            control.buffering.limits = demuxer.limits
            packets.bounds = control.buffering.bounds
            control.reverseByteLimit = min(
                control.reverseByteLimit, demuxer.limits.pictureBytes / 2)
        }
        frames.setByteLimit(demuxer.limits.pictureBytes / 4)
        recentFrames.byteLimit.store(demuxer.limits.pictureBytes / 8, ordering: .relaxed)
    }

    /// Handles new packets. Notifies observers from time to time, and continues with waiting work.
    func packetsAdvanced() {
        let isAwaited = control.withLock { control in
            let (old, wasDry) = (control.buffering.status, control.buffering.dryness != nil)
            noteBuffer(&control)
            return wasDry || control.buffering.isBelowLevel || control.buffering.status != old
        }
        if isAwaited { evaluate() }
    }

    /// Computes the loaded range. With the lock held.
    func noteBuffer(_ control: inout Control) {
        guard control.direction == .forward, case .ready(let description) = control.phase else {
            return
        }
        let (level, playhead) = (packets.level, timebase.time)
        // Media decoded too late to be presented before the hold is no progress.
        let isHeld = control.buffering.dryness.map {
            level.end.isNumeric && level.end <= $0.readEnd
        }
        let isDry =
            isHeld == true || dryTime(control, level).map { $0 <= playhead } ?? false
        control.buffering.note(
            level, playhead: playhead, isDry: isDry, end: description.end,
            desiredRate: control.desiredRate)
    }

    /// Holds the timeline if the decoders have run dry because packets are missing, and not merely
    /// because they are slow. With the lock held, and without a seek in progress.
    ///
    /// A device takes audio some time before it is heard. If it received silence for lack of audio,
    /// the timeline holds even if the audio has arrived by now, so that none is skipped; it also
    /// holds if the packet of the next frame has arrived, but not the frame.
    ///
    /// - Returns: A Boolean value that indicates whether the timeline has been stopped.
    func holdIfDry(_ control: inout Control) -> Bool {
        forgetDryness(&control)
        noteStall(&control)
        guard control.isRunningForward, control.buffering.transfer != nil,
            control.buffering.dryness == nil
        else { return false }
        let (now, level) = (timebase.time, packets.level)
        let end = dryTime(control, level)
        noteDwindling(&control, level, now)
        let dwindling = control.buffering.dwindling
        guard let due = [end, dwindling?.time].compactMap({ $0 }).min() else { return false }
        if due > now {
            look(&control, at: due)
            return false
        }
        // The time up to which audio has been heard, or will be.
        let lostSound = dwindling.flatMap { soundLoss(control, $0) }
        if let lostSound, lostSound > now {
            // Audio that the device has missed is missing when the timeline arrives, whatever has
            // arrived by then.
            control.buffering.dwindling?.sound = lostSound
            control.buffering.dwindling?.isSilent = true
        }
        let soundEnd = min(
            soundDryTime(control, level) ?? .positiveInfinity, lostSound ?? .positiveInfinity)
        if let end, end <= now {
            if control.buffering.isSlow { return hold(&control, at: end, notAfter: soundEnd) }
            look(&control, at: now + Buffering.lookInterval)
            return false
        }
        // A decoder that was dry is not any more, but its data may be too late.
        control.buffering.dwindling?.forget(before: now)
        if let dwindling, control.buffering.isSlow, !level.hasEnded {
            if let lostSound, lostSound <= now {
                return hold(&control, at: lostSound, notAfter: lostSound)
            }
            if let time = dwindling.pictures, time <= now, frames.end == time {
                return hold(&control, at: time, notAfter: soundEnd)
            }
        }
        noteDwindling(&control, level, now)
        if let due = control.buffering.dwindling?.time { look(&control, at: due) }
        return false
    }

    /// Stops the timeline at `end`, or as soon as possible after it: if audio continued, the part
    /// heard by now is not heard again.
    private func hold(
        _ control: inout Control, at end: MediaTime, notAfter limit: MediaTime
    ) -> Bool {
        control.buffering.dwindling = nil
        control.buffering.dryness = .init(
            generation: control.generation, time: end, readEnd: packets.level.end)
        watch(&control, from: timebase.masterTime(at: end) ?? timebase.master.time)
        if control.isDeclared { return false }
        let rate = timebase.rate
        stop(&control)
        let stopped = min(max(end, timebase.time), limit)
        if stopped != timebase.time {
            timebase.setRate(0, time: stopped, atMasterTime: .zero)
            frames.setBack(at: stopped, rate: rate)
        }
        noteBuffer(&control)
        return true
    }

    /// Records what is about to run dry, and when.
    private func noteDwindling(_ control: inout Control, _ level: PacketLevel, _ now: MediaTime) {
        var dwindling =
            control.buffering.dwindling ?? Buffering.Dwindling(generation: control.generation)
        if dwindling.sound == nil, let end = soundDryTime(control, level) {
            let latency = control.renderer?.sink.latency ?? .zero
            dwindling.sound = end
            control.renderer?.watchForUnderrun()
            dwindling.silence = control.renderer?.statistics.underrunFrames ?? 0
            dwindling.isSilent = end - now <= (latency + Buffering.block) * timebase.rate
        }
        if dwindling.pictures == nil { dwindling.pictures = pictureDryTime(control, level) }
        control.buffering.dwindling = dwindling.time == nil ? nil : dwindling
    }

    /// Returns the time from which the device has received silence since then; nil if it has not.
    private func soundLoss(_ control: Control, _ dwindling: Buffering.Dwindling) -> MediaTime? {
        guard let end = dwindling.sound, let renderer = control.renderer, control.audioEnd == nil
        else { return nil }
        if dwindling.isSilent { return end }
        guard renderer.statistics.underrunFrames > dwindling.silence else { return nil }
        // It may have received more before the first gap, and again after it.
        return max(end, renderer.firstMissedItemTime ?? end)
    }

    /// Returns whether the loaded amount suffices to start. With the lock held, and enough decoded.
    func isFed(_ control: inout Control) -> Bool {
        let buffering = control.buffering
        let isHolding = buffering.dryness.map { !$0.isStall } ?? false
        control.buffering.isBelowLevel =
            buffering.isSlow && buffering.waitsToMinimizeStalling && !buffering.startsImmediately
            && !isHolding && !buffering.level.isLikelyToKeepUp
        if control.buffering.isBelowLevel { lookWhenSilent(&control) }
        return !control.buffering.isBelowLevel
    }

    /// Checks again after so long without data that more may never come.
    private func lookWhenSilent(_ control: inout Control) {
        guard let transfer = control.buffering.transfer else { return }
        let (now, since) = (transfer.clock.time, transfer.statistics.waitingSince)
        let due = (since.isNumeric ? since : now) + Buffering.patience
        // An amount that was too small before the wait is still too small.
        guard due > now else { return }
        if let patience = control.buffering.patience {
            patience.timer.fireTime = due
            return
        }
        let timebase = Timebase(master: .clock(transfer.clock))
        timebase.setRate(1, time: now, atMasterTime: now)
        let timer = timebase.addTimer(at: due) { [weak self] _ in self?.packetsAdvanced() }
        control.buffering.patience = (timebase, timer)
    }

    /// Forgets a dry state that ended otherwise: by a pause, a seek, a reversal, or because a
    /// declared timeline has something to play again.
    private func forgetDryness(_ control: inout Control) {
        if control.desiredRate == 0 || control.direction == .reverse {
            control.buffering.isBelowLevel = false
        }
        if !control.isRunning || control.buffering.dwindling?.generation != control.generation {
            control.buffering.dwindling = nil
        }
        guard let dryness = control.buffering.dryness else { return }
        let isFlowing =
            control.isRunning && dryTime(control, packets.level).map { $0 > timebase.time } ?? true
        if dryness.generation != control.generation || control.desiredRate == 0
            || control.direction == .reverse || isFlowing
        {
            control.buffering.dryness = nil
        }
    }

    private func noteStall(_ control: inout Control) {
        guard let dryness = control.buffering.dryness, !dryness.isStall,
            let watch = control.buffering.watch, watch.time >= Buffering.grace
        else { return }
        control.buffering.noteStall()
    }

    /// Returns the end of the decoded part of a track whose decoder waits for packets; nil if there
    /// is no such track, or its end is unknown.
    private func dryTime(_ control: Control, _ level: PacketLevel) -> MediaTime? {
        [soundDryTime(control, level), pictureDryTime(control, level)].compactMap { $0 }.min()
    }

    private func pictureDryTime(_ control: Control, _ level: PacketLevel) -> MediaTime? {
        guard let track = control.videoTrack, level.dryTracks.contains(track.id),
            control.videoEnd == nil
        else { return nil }
        let end = frames.end
        return end.isNumeric ? end : nil
    }

    private func soundDryTime(_ control: Control, _ level: PacketLevel) -> MediaTime? {
        guard let track = control.audioTrack, level.dryTracks.contains(track.id),
            control.audioEnd == nil, let renderer = control.renderer
        else { return nil }
        if case .failed = renderer.sink.status { return nil }
        let end = renderer.enqueuedEnd
        return end.isNumeric ? end : nil
    }

    /// Checks again when the timeline reaches a time.
    private func look(_ control: inout Control, at time: MediaTime) {
        if let timer = control.buffering.dryTimer {
            if timer.fireTime != time { timer.fireTime = time }
        } else {
            control.buffering.dryTimer = timebase.addTimer(at: time) { [weak self] _ in
                self?.evaluate()
            }
        }
    }

    /// Checks again when the timeline has held for too long, counted from a time of its master.
    private func watch(_ control: inout Control, from masterTime: MediaTime) {
        let watch = control.buffering.watch ?? Timebase(master: timebase.master)
        control.buffering.watch = watch
        watch.master = timebase.master
        watch.setRate(1, time: .zero, atMasterTime: masterTime)
        if let timer = control.buffering.watchTimer {
            timer.fireTime = Buffering.grace
        } else {
            control.buffering.watchTimer = watch.addTimer(at: Buffering.grace) { [weak self] _ in
                self?.evaluate()
            }
        }
    }
}

extension ItemPipeline.Control {
    /// A Boolean value that indicates whether playback continues, for observers: short breaks do
    /// not count.
    var isPlaying: Bool {
        isRunning || (desiredRate != 0 && buffering.dryness.map { !$0.isStall } ?? false)
    }

    /// A Boolean value that indicates whether it waits for more loaded media than it needs to
    /// continue.
    var waitsForLevel: Bool {
        guard desiredRate != 0, !isRunning, buffering.waitsToMinimizeStalling else { return false }
        return buffering.isBelowLevel || buffering.dryness?.isStall == true
    }
}

extension FrameQueue {
    /// The end of the last frame in forward playback; `invalid` without frames, or if unknown.
    var end: MediaTime {
        monitor.withLock { state in
            guard let frame = state.entries.last?.frame, frame.duration.isNumeric else {
                return .invalid
            }
            return frame.presentationTime + frame.duration
        }
    }
}
