// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import PlayheadAssets
import PlayheadPlayback
import PlayheadTime
import Synchronization

/// Play, pause and seek.
extension HostedPlayer {
    func play() {
        let (item, loop, rate) = control.withLock { control in
            control.isHalted = false
            let item = control.film?.item
            let hasRounds = item.map { control.hasRounds(of: $0) } ?? false
            return (item, hasRounds ? control.loop : Loop(), control.rate)
        }
        // At the end, playback starts again from the beginning or, in reverse, from the end.
        // Between two iterations of a loop it does not, because the next iteration is about to
        // begin.
        if let item, ending(of: item) == .reached {
            item.seek(
                to: loop.firstTime(in: item, rate: rate), toleranceBefore: .zero,
                toleranceAfter: .zero)
        }
        settleRate()
    }

    func pause() {
        control.withLock { $0.isHalted = true }
        settleRate()
    }

    func setRate(_ rate: Double) {
        guard rate != 0 else {
            pause()
            return
        }
        let player = control.withLock { control in
            control.rate = rate
            return control.device.player
        }
        if player.rate != 0 { settleRate() }
    }

    func seek(to time: Int64, mode: playhead_seek_mode) throws {
        let film = try playableFilm()
        let time = try Argument.time(time, "time")
        let tolerance: MediaTime
        switch Int(mode) {
        case PLAYHEAD_SEEK_EXACT: tolerance = .zero
        case PLAYHEAD_SEEK_KEYFRAME: tolerance = .positiveInfinity
        default: throw CallFailure.argument("seek mode must be 0 or 1, not \(mode)")
        }
        let item = film.item
        let target = MediaTime(nanoseconds: time)
        item.seek(
            to: target, toleranceBefore: tolerance,
            toleranceAfter: .zero
        ) { [weak self, weak item] isDone in
            guard let self, let item else { return }
            // The position is limited to the end, which may have been passed without being detected
            // yet.
            let here = item.end.isNumeric ? min(item.currentTime, item.end) : item.currentTime
            // If the media has failed or cannot be read at this position, the result is that error.
            let error = item.error ?? item.state.readingError
            let failure = isDone ? nil : error.map { CallFailure($0) }
            let status = isDone ? PLAYHEAD_OK : failure.map { Int($0.status) } ?? PLAYHEAD_CANCELLED
            note(
                PLAYHEAD_EVENT_SEEKED, of: item, status: status, time: here.hosted, value: time,
                text: failure?.text ?? "")
        }
    }

    func step(_ count: Int32) throws { try playableFilm().item.step(byCount: Int(count)) }

    // MARK: Loop iterations

    func setLoop(_ count: Int32, start: Int64, end: Int64) throws {
        guard count >= -1 else {
            throw CallFailure.argument("count must be -1 or greater, not \(count)")
        }
        guard count != 0 else { return change(to: Loop()) }
        _ = try Argument.time(start, "start")
        if end != noTime { _ = try Argument.time(end, "end") }
        guard start >= 0, end == noTime || end - start >= Loop.shortest else {
            throw CallFailure.argument(
                "start must be 0 or later, and end at least 1000000 ns after it, not "
                    + "\(start) and \(end)"
            )
        }
        let loop = Loop(
            left: count, start: MediaTime(nanoseconds: start),
            end: end == noTime ? .invalid : MediaTime(nanoseconds: end))
        let item = control.withLock { $0.film?.item }
        if let item, !loop.fits(item) {
            throw CallFailure.argument(
                "\(item.asset.displayName): the loop is outside of the media; choose a range "
                    + "within the media")
        }
        change(to: loop)
    }

    private func change(to loop: Loop) {
        let item = control.withLock { $0.film?.item }
        let stood = item?.hasPlayedToEnd == true
        beginChange(to: loop)
        settleLoop()
        // The end was the end of an iteration of the previous loop, so playback continues.
        if stood, item?.hasPlayedToEnd == false { settleRate() }
        endChange()
    }

    /// Starts a change of the loop. Until `endChange`, an end that is reached may belong to an
    /// iteration of the previous loop.
    func beginChange(to loop: Loop) {
        control.withLock { control in
            control.loop = loop
            control.loopChanges += 1
        }
    }

    /// Ends a change of the loop. The new loop then determines where playback ends.
    func endChange() {
        let item = control.withLock { control -> PlayerItem? in
            control.loopChanges -= 1
            guard control.loopChanges == 0 else { return nil }
            defer { control.doubtfulEnd = nil }
            return control.doubtfulEnd
        }
        if let item { noteEnded(item) }
    }

    /// Reports that the media has ended, unless a seek has made it play again in the meantime.
    private func noteEnded(_ item: PlayerItem) {
        let isOver = item.hasPlayedToEnd || control.withLock { $0.device.player }.rate == 0
        if isOver { note(PLAYHEAD_EVENT_ENDED, of: item) }
    }

    /// Begins the next iteration of the loop if there is one.
    func reachedEnd(of item: PlayerItem) {
        if control.withLock({ $0.hasRounds(of: item) }), !item.hasPlayedToEnd {
            // A seek happened before this call, so playback continues.
            settleRate()
            return
        }
        let (round, rate, isDoubtful) = control.withLock { control -> (Loop?, Double, Bool) in
            guard control.hasRounds(of: item) else {
                let isDoubtful = control.loopChanges > 0
                if isDoubtful { control.doubtfulEnd = item }
                return (nil, control.rate, isDoubtful)
            }
            if control.loop.left > 0 { control.loop.left -= 1 }
            control.loop.done += 1
            control.film?.isTurning = true
            return (control.loop, control.rate, false)
        }
        guard let round else {
            if !isDoubtful { noteEnded(item) }
            return
        }
        // The last iteration does not end playback, which continues to the end of the media.
        settleLoop()
        item.seek(
            to: round.firstTime(in: item, rate: rate), toleranceBefore: .zero,
            toleranceAfter: .zero)
        // The requested rate may be 0, because the host may have paused the player since the end
        // was reached.
        settleRate()
        control.withLock { if $0.film?.item === item { $0.film?.isTurning = false } }
        note(PLAYHEAD_EVENT_LOOPED, of: item, value: round.done)
    }

    // MARK: Time

    func tick(_ delta: Int64) throws {
        guard let clock = control.withLock({ $0.device.manualClock }) else {
            throw CallFailure.state(
                "only a clock of mode PLAYHEAD_CLOCK_TICK can be advanced; set the mode with "
                    + "playhead_set_clock")
        }
        guard delta >= 0 else {
            throw CallFailure.argument("delta must be 0 ns or greater, not \(delta)")
        }
        _ = try Argument.time(delta, "delta")
        _ = try Argument.time((clock.time.nanoseconds ?? 0) + delta, "the clock")
        clock.advance(by: MediaTime(nanoseconds: delta))
    }

    func start(at itemTime: Int64, clockTime: Int64, rate: Double) throws {
        _ = try playableFilm()
        let device = control.withLock { control in
            if rate != 0 { control.rate = rate }
            control.isHalted = rate == 0
            return control.device
        }
        let time = MediaTime(nanoseconds: clockTime)
        let hostTime = device.hostedClock?.hostTime(at: time) ?? time
        let player = device.player
        player.setRate(rate, time: MediaTime(nanoseconds: itemTime), atHostTime: hostTime)
        // If another rate was requested in the meantime, it takes precedence.
        let isSettled = control.withLock { control in
            control.wantedRate == rate && control.device.player === player
        }
        if !isSettled { settleRate() }
    }

    /// Returns the host time of a request. With `PLAYHEAD_CLOCK_TICK`, returns the time of that
    /// clock.
    func hostTime(_ wanted: Int64) -> MediaTime {
        if let clock = control.withLock({ $0.device.manualClock }) { return clock.time }
        return wanted == 0 ? HostClock.shared.time : MediaTime(nanoseconds: wanted)
    }
}
