// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import Glibc
import PlayheadAssets
import PlayheadPlayback
import PlayheadTime
import Synchronization

/// Waiting for what is decoded, for hosts that render as fast as they can.
extension HostedPlayer {
    /// Waits until the picture for the present time is there.
    func waitForFrame(timeout: Int64) throws -> (status: Int, next: Int64) {
        let film = try film()
        let deadline = HostClock.nanoseconds &+ min(max(0, timeout), 3_600_000_000_000)
        /// Returns whether the time is over. Throws if there is nothing left to wait for.
        func isOver() throws -> Bool {
            if let error = film.item.error { throw error }
            guard control.withLock({ $0.film?.item === film.item }) else {
                throw CallFailure(
                    PLAYHEAD_CANCELLED, "the media was closed or replaced during the wait")
            }
            return HostClock.nanoseconds >= deadline
        }
        while film.item.assetDescription == nil {
            if try isOver() { return (PLAYHEAD_TIMED_OUT, noTime) }
            usleep(500)
        }
        let video = film.item.playingTracks.video?.id
        while true {
            // Until the timeline moves, it is not known where it will; nor at the end of a round,
            // before the next one has been begun. How many of its ends have been answered comes
            // first: what that led to is in the state then.
            let heardEnds = control.withLock { $0.film?.heardEnds ?? 0 }
            let state = film.item.state
            let isStarting =
                transport == PLAYHEAD_WAITING || (state.desiredRate != 0 && !state.isPlaying)
            let isMoving = state.isSeeking || (isStarting && !state.hasPlayedToEnd)
            if isMoving || state.playedToEndCount > heardEnds {
                if try isOver() { return (PLAYHEAD_TIMED_OUT, noTime) }
                usleep(500)
                continue
            }
            // Pictures may be switched off.
            guard let video, state.enabledTracks.contains(video) else {
                try waitForSound(isOver: isOver)
                return (PLAYHEAD_EMPTY, noTime)
            }
            // Anew each time: the next round of a film may begin meanwhile, and then the picture at
            // its end never comes.
            let time = film.memoryOutput.itemTime(forHostTime: hostTime(0))
            let began = HostClock.nanoseconds
            let wait = min(max(0, deadline - began), 100_000_000)
            let next = film.memoryOutput.waitForPixelBuffer(
                after: time, seconds: Double(wait) / 1e9)
            if let next {
                control.withLock { $0.film?.subtitles }?.waitUntilDrawn(
                    at: time, nanoseconds: deadline - HostClock.nanoseconds)
                try waitForSound(isOver: isOver)
                return (PLAYHEAD_OK, next.hosted)
            }
            let hasTimedOut = try isOver()
            // Nothing at once means nothing ever: the film has been decoded to its end.
            if wait > 0, HostClock.nanoseconds - began < wait / 2 {
                // But where its end has just been passed, the next round may be about to begin.
                if film.item.overlooksEnd, !hasTimedOut {
                    usleep(500)
                    continue
                }
                try waitForSound(isOver: isOver)
                let hasPicture = film.memoryOutput.copyPixelBuffer(forItemTime: time) != nil
                return (hasPicture ? PLAYHEAD_OK : PLAYHEAD_EMPTY, noTime)
            }
            if hasTimedOut { return (PLAYHEAD_TIMED_OUT, noTime) }
        }
    }

    /// The amount of audio to decode ahead of rendering; more than a tick.
    private static let soundLead = MediaTime(value: 1, timescale: 2)

    /// Waits until the sound is decoded that the next ticks ask for, where the host fetches it on a
    /// clock that it ticks: faster than it is heard, and than it may be decoded.
    private func waitForSound(isOver: () throws -> Bool) throws {
        let (device, film) = control.withLock { ($0.device, $0.film) }
        guard device.pulledAudio != nil, device.manualClock != nil, let film else { return }
        while film.item.state.isPlaying, !film.item.hasSound(ahead: Self.soundLead) {
            if try isOver() { return }
            usleep(500)
        }
    }
}
