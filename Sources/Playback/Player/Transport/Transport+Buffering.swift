// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// Playback of media that loads more slowly than it plays.
extension Transport {
    /// Handles new packets: computes the loaded range, and answers whether the transport must check
    /// its state again.
    mutating func packetsAdvanced(_ view: some TransportView) {
        let (old, wasDry) = (buffering.status, buffering.dryness != nil)
        noteBuffer(view)
        act(.answer(wasDry || buffering.isBelowLevel || buffering.status != old))
    }

    mutating func setBounds(_ view: some TransportView) {
        act(
            .setBounds(
                buffering.bounds(
                    isSlow: view.transfer?.isSlow ?? false,
                    arrivalOffset: view.followsArrival ? live.arrivalOffset : nil)))
    }

    /// Computes the loaded range.
    mutating func noteBuffer(_ view: some TransportView) {
        guard seek.direction == .forward, case .ready(let description) = tracks.phase else {
            return
        }
        let level = view.packets
        // Media that was decoded too late to be presented before the hold does not count as
        // progress.
        let isHeld = buffering.dryness.map { level.end.isNumeric && level.end <= $0.readEnd }
        let isDry = isHeld == true || dryTime(level, view).map { $0 <= now.time } ?? false
        buffering.note(
            level, view.transfer, playhead: now.time, isDry: isDry, end: description.end,
            reachable: live.reachableLevel(from: now.time), desiredRate: start.desiredRate)
    }

    /// Holds the timeline if the decoders have run out of data because packets are missing, and not
    /// merely because the decoders are slow. It does nothing during a seek.
    ///
    /// A device takes audio some time before it is heard. If it received silence because audio was
    /// missing, the timeline is held even if the audio has arrived by now, so that no audio is
    /// skipped. It is also held if the packet of the next frame has arrived, but the frame has not
    /// been decoded.
    ///
    /// - Returns: A Boolean value that indicates whether the timeline has been stopped.
    mutating func holdIfDry(_ view: some TransportView) -> Bool {
        forgetDryness(view)
        noteStall(view)
        // Past the end, nothing is missing.
        guard isRunningForward, buffering.hasTransfer, buffering.dryness == nil,
            !ending.hasPlayedToEnd
        else { return false }
        let level = view.packets
        noteReach(level, view)
        let end = dryTime(level, view)
        noteDwindling(level, view)
        let dwindling = buffering.dwindling
        guard let due = [end, dwindling?.time].compactMap({ $0 }).min() else { return false }
        if due > now.time {
            look(at: due)
            return false
        }
        // The time up to which audio has been heard or will be heard.
        let lostSound = dwindling.flatMap { soundLoss($0, view) }
        if let lostSound, lostSound > now.time {
            // Audio that the device has missed will be missing when the timeline gets there, no
            // matter what has arrived by then.
            buffering.loseSound(from: lostSound)
        }
        let soundEnd =
            [
                soundDryTime(level, view), view.furtherDryTimes(level).sound, lostSound,
            ].compactMap { $0 }.min() ?? .positiveInfinity
        let isSlow = view.transfer?.isSlow ?? false
        if let end, end <= now.time {
            if isSlow { return hold(at: end, notAfter: soundEnd, view) }
            look(at: now.time + BufferingState.lookInterval)
            return false
        }
        // A decoder that had no data has some again, but its data may be too late.
        buffering.forgetDwindling(before: now.time)
        if let dwindling, isSlow, !level.hasEnded {
            if let lostSound, lostSound <= now.time {
                return hold(at: lostSound, notAfter: lostSound, view)
            }
            if let time = dwindling.pictures, time <= now.time, view.framesEnd == time {
                return hold(at: time, notAfter: soundEnd, view)
            }
        }
        noteDwindling(level, view)
        if let due = buffering.dwindling?.time { look(at: due) }
        return false
    }

    /// Stops the timeline at `end`, or as soon as possible after `end`. If audio continued, the
    /// part that has been heard by now is not heard again.
    private mutating func hold(
        at end: MediaTime, notAfter limit: MediaTime, _ view: some TransportView
    ) -> Bool {
        buffering.runDry(
            .init(generation: seek.generation, time: end, readEnd: view.packets.end))
        // As long as decoding has not reached a declared timeline, nothing was missing before.
        act(.watchHold(from: buffering.isCatchingUp ? now.time : end))
        if start.isDeclared { return false }
        let rate = now.rate
        stop()
        let stopped = min(max(end, now.time), limit)
        if stopped != now.time {
            place(at: stopped)
            act(.recordDrawnAhead(at: stopped, rate: rate))
        }
        noteBuffer(view)
        return true
    }

    /// Records that decoding has reached a declared timeline, and that audio of a track that was
    /// selected during playback has reached the device.
    private mutating func noteReach(_ level: PacketLevel, _ view: some TransportView) {
        if let reach = reach(level, view), reach > now.time { buffering.noteCaughtUp() }
        if buffering.isSoundLate, hasSoundForDevice(view) { buffering.setSoundLate(false) }
    }

    /// Returns the time up to which the media is decoded; nil if it is unknown, or if no more media
    /// comes.
    private func reach(_ level: PacketLevel, _ view: some TransportView) -> MediaTime? {
        if let end = dryTime(level, view) { return end }
        // Audio may continue after the video.
        let isVideoAwaited = tracks.video != nil && tracks.videoEnd == nil
        if !isVideoAwaited, tracks.audioEnd != nil { return nil }
        let decoded = isVideoAwaited ? view.framesEnd : view.enqueuedAudioEnd
        return decoded.flatMap { $0.isNumeric ? $0 : nil }
    }

    /// Returns whether the further tracks can be seen and heard at the current time. While packets
    /// arrive, a track may have none for a moment, or some that are too early.
    private func haveFurtherTracksCaughtUp(_ view: some TransportView) -> Bool {
        view.areFurtherPicturesPrimed(at: now.time, generation: seek.generation)
            && view.areFurtherTracksPrimed(at: now.time, generation: seek.generation)
    }

    /// Returns whether the device will receive audio when it next takes some, or whether no more
    /// audio comes.
    private func hasSoundForDevice(_ view: some TransportView) -> Bool {
        if tracks.audioEnd != nil { return true }
        guard tracks.audioGeneration == seek.generation, let end = view.enqueuedAudioEnd else {
            return false
        }
        return end.isNumeric
            && end - now.time > (view.audioLatency + BufferingState.block) * now.rate
    }

    /// Records which decoded media ends while more is expected, and at which times it ends.
    private mutating func noteDwindling(_ level: PacketLevel, _ view: some TransportView) {
        var dwindling =
            buffering.dwindling ?? BufferingState.Dwindling(generation: seek.generation)
        if dwindling.sound == nil, let end = soundDryTime(level, view) {
            dwindling.sound = end
            act(.watchForUnderrun)
            dwindling.silence = view.underrunFrames
            dwindling.isSilent =
                end - now.time <= (view.audioLatency + BufferingState.block) * now.rate
        }
        if dwindling.pictures == nil { dwindling.pictures = pictureDryTime(level, view) }
        buffering.setDwindling(dwindling.time == nil ? nil : dwindling)
    }

    /// Returns the time from which the device has received silence since `dwindling` began; nil if
    /// it has received none.
    private func soundLoss(
        _ dwindling: BufferingState.Dwindling, _ view: some TransportView
    ) -> MediaTime? {
        guard let end = dwindling.sound, view.hasAudio, tracks.audioEnd == nil else { return nil }
        if dwindling.isSilent { return end }
        guard view.underrunFrames > dwindling.silence else { return nil }
        // The device may have received more audio before the first gap, and again after it.
        return max(end, view.firstMissedTime ?? end)
    }

    /// Returns whether enough has been loaded to start. It is called once enough has been decoded.
    mutating func isFed(_ view: some TransportView) -> Bool {
        let transfer = view.transfer
        buffering.setBelowLevel(
            transfer?.isSlow ?? false && buffering.waitsToMinimizeStalling
                && !buffering.startsImmediately && !buffering.isHolding
                && !buffering.level.isLikelyToKeepUp)
        guard buffering.isBelowLevel, let transfer else { return !buffering.isBelowLevel }
        // After this time without data, more data may never come, so the level is checked again.
        let since = transfer.waitingSince
        let due = (since.isNumeric ? since : transfer.now) + BufferingState.patience
        // A level that was too low before the wait is still too low.
        if due > transfer.now { act(.setPatience(until: due)) }
        return false
    }

    /// Discards the record that the decoders have run out of data, if that state has ended in
    /// another way: because of a pause, a seek, a reversal or the end, or because a timeline with a
    /// declared start has something to play again.
    private mutating func forgetDryness(_ view: some TransportView) {
        let isOver = start.desiredRate == 0 || seek.direction == .reverse
        if isOver { buffering.setBelowLevel(false) }
        if !start.isRunning || buffering.dwindling?.generation != seek.generation {
            buffering.setDwindling(nil)
        }
        if !start.isRunning { buffering.setSoundLate(false) }
        guard let dryness = buffering.dryness else { return }
        // A decoder that catches up progresses even if it waits for each packet.
        let isFlowing =
            start.isRunning
            && reach(view.packets, view).map {
                ($0 > now.time && haveFurtherTracksCaughtUp(view))
                    || (buffering.isCatchingUp && $0 > dryness.time)
            } ?? true
        if dryness.generation != seek.generation || isOver || isFlowing || ending.hasPlayedToEnd {
            buffering.forgetDryness()
        }
    }

    private mutating func noteStall(_ view: some TransportView) {
        guard buffering.isHolding, let held = view.heldDuration, held >= BufferingState.grace
        else { return }
        buffering.noteStall()
    }

    /// Returns the earliest end of decoded media among the tracks whose decoders wait for packets;
    /// nil if there is no such track or its end is unknown.
    private func dryTime(_ level: PacketLevel, _ view: some TransportView) -> MediaTime? {
        let further = view.furtherDryTimes(level)
        return [
            soundDryTime(level, view), pictureDryTime(level, view), further.sound, further.pictures,
        ].compactMap { $0 }.min()
    }

    private func pictureDryTime(_ level: PacketLevel, _ view: some TransportView) -> MediaTime? {
        guard let track = tracks.video, level.dryTracks.contains(track.id),
            tracks.videoEnd == nil
        else { return nil }
        let end = view.framesEnd
        return end.isNumeric ? end : nil
    }

    private func soundDryTime(_ level: PacketLevel, _ view: some TransportView) -> MediaTime? {
        guard let track = tracks.audio, level.dryTracks.contains(track.id),
            tracks.audioEnd == nil, !buffering.isSoundLate, let end = view.enqueuedAudioEnd
        else { return nil }
        return end.isNumeric ? end : nil
    }

    /// Schedules a check for when the timeline reaches a time.
    private mutating func look(at time: MediaTime) {
        if buffering.setAlarm(at: time) { act(.setAlarm(.dry, at: time)) }
    }

    /// A Boolean value that indicates whether playback continues. It is for observers, so it stays
    /// true during short breaks.
    var isPlaying: Bool {
        start.isRunning || (start.desiredRate != 0 && buffering.isHolding)
    }

    /// A Boolean value that indicates whether playback waits, before a start or after a stall,
    /// until more media has been loaded; see `BufferLevel`.
    var waitsForLevel: Bool {
        guard start.desiredRate != 0, !start.isRunning, buffering.waitsToMinimizeStalling else {
            return false
        }
        return buffering.isBelowLevel || buffering.dryness?.isStall == true
    }
}
