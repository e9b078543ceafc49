// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import PlayheadAssets
import PlayheadPlayback
import PlayheadTime
import Synchronization

/// Play, pause and seek.
extension HostedPlayer {
    func play() {
        commands.withLock { _ in
            let (item, player) = control.withLock { ($0.film?.item, $0.device.player) }
            // At the end of the item, playback starts again from the beginning or, in reverse, from
            // the end.
            if let item, item.hasPlayedToEnd {
                item.seek(
                    to: item.firstTime(inReverse: player.defaultRate < 0), toleranceBefore: .zero,
                    toleranceAfter: .zero)
            }
            player.play()
        }
    }

    func pause() { commands.withLock { _ in control.withLock { $0.device.player }.pause() } }

    func setRate(_ rate: Double) {
        guard rate != 0 else {
            pause()
            return
        }
        commands.withLock { _ in control.withLock { $0.device.player }.setPlayingRate(rate) }
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
                "start must be 0 or later, and end at least 1000000 ns after start, not "
                    + "\(start) and \(end)"
            )
        }
        let loop = Loop(
            left: Int(count), start: MediaTime(nanoseconds: start),
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
        commands.withLock { _ in
            let item = control.withLock { control in
                control.loop = loop
                return control.film?.item
            }
            item?.setLoop(from: loop.start, to: loop.end, count: loop.left)
        }
    }

    /// Reports that the media has ended, unless it plays again because of a seek in the meantime.
    func reachedEnd(of item: PlayerItem) {
        let isOver = item.hasPlayedToEnd || control.withLock { $0.device.player }.rate == 0
        if isOver { note(PLAYHEAD_EVENT_ENDED, of: item) }
        hasHeardEnds(of: item)
    }

    /// Reports the iterations of a loop that have begun.
    func loopHasAdvanced(_ change: StateChange<LoopProgress>, of item: PlayerItem) {
        let count = change.newValue.total - (change.oldValue?.total ?? 0)
        guard count > 0 else { return }
        note(PLAYHEAD_EVENT_LOOPED, of: item, value: Int64(change.newValue.done))
        hasHeardEnds(count, of: item)
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
        let time = MediaTime(nanoseconds: clockTime)
        commands.withLock { _ in
            let device = control.withLock { $0.device }
            let hostTime = device.hostedClock?.hostTime(at: time) ?? time
            if rate != 0 { device.player.defaultRate = rate }
            device.player.setRate(
                rate, time: MediaTime(nanoseconds: itemTime), atHostTime: hostTime)
        }
    }

    /// Returns the host time of a request. With `PLAYHEAD_CLOCK_TICK`, returns the time of that
    /// clock.
    func hostTime(_ wanted: Int64) -> MediaTime {
        if let clock = control.withLock({ $0.device.manualClock }) { return clock.time }
        return wanted == 0 ? HostClock.shared.time : MediaTime(nanoseconds: wanted)
    }
}
