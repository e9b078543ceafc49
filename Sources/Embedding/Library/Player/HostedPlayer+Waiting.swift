// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import Glibc
import PlayheadAssets
import PlayheadPlayback
import PlayheadTime
import Synchronization

/// Waiting for decoded media, for hosts that render as fast as possible.
extension HostedPlayer {
    /// Waits until the frame for the current time is available.
    func waitForFrame(timeout: Int64) throws -> (status: Int, next: Int64) {
        if let camera = control.withLock({ $0.camera }) {
            return (try waitForFrame(of: camera, timeout: timeout), noTime)
        }
        let film = try film()
        let deadline = HostClock.nanoseconds &+ min(max(0, timeout), 3_600_000_000_000)
        /// Returns whether the time limit is reached. Throws an error if there is nothing left to
        /// wait for.
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
            // The time cannot be determined before the timeline moves, or between the end of an
            // iteration and the beginning of the next. The number of handled ends is read first, so
            // that the state includes their effects.
            let heardEnds = control.withLock { $0.film?.heardEnds ?? 0 }
            let isWaiting = transport == PLAYHEAD_WAITING
            let state = film.item.state
            let isStarting = isWaiting || (state.desiredRate != 0 && !state.isPlaying)
            let isMoving = state.isSeeking || (isStarting && !state.hasPlayedToEnd)
            if isMoving || film.item.reachedEndCount > heardEnds {
                if try isOver() { return (PLAYHEAD_TIMED_OUT, noTime) }
                usleep(500)
                continue
            }
            // The video track may be disabled.
            guard let video, state.enabledTracks.contains(video) else {
                try waitForSound(isOver: isOver)
                // If the end has just been passed, the next iteration may be about to begin.
                if isHeardOnTicks,
                    film.item.overlooksEnd || film.item.reachedEndCount > heardEnds
                {
                    if try isOver() { return (PLAYHEAD_TIMED_OUT, noTime) }
                    usleep(500)
                    continue
                }
                return (PLAYHEAD_EMPTY, noTime)
            }
            // The time is computed for each wait. If the next iteration of a loop begins in the
            // meantime, the frame at the end of the previous iteration never arrives.
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
            // If the call returns at once without a frame, no frame will arrive, because the media
            // is decoded to its end.
            if wait > 0, HostClock.nanoseconds - began < wait / 2 {
                // If the end has just been passed, the next iteration may be about to begin.
                let isPassing =
                    film.item.overlooksEnd || film.item.reachedEndCount > heardEnds
                if isPassing, !hasTimedOut {
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

    /// Waits until a camera has delivered a frame, and returns the status.
    private func waitForFrame(of camera: HostedCamera, timeout: Int64) throws -> Int {
        let deadline = HostClock.nanoseconds &+ min(max(0, timeout), 3_600_000_000_000)
        while !camera.hasFrame {
            if case .failed(let error) = camera.phase { throw error }
            guard control.withLock({ $0.camera === camera }) else {
                throw CallFailure(
                    PLAYHEAD_CANCELLED, "the camera was closed or replaced during the wait")
            }
            if HostClock.nanoseconds >= deadline { return PLAYHEAD_TIMED_OUT }
            usleep(500)
        }
        return PLAYHEAD_OK
    }

    /// The duration of audio to decode ahead of rendering. It is longer than a tick.
    private static let soundLead = MediaTime(value: 1, timescale: 2)

    /// A Boolean value that indicates whether the host reads audio with a clock that it advances
    /// itself. Rendering can then be faster than real time, and even faster than decoding.
    private var isHeardOnTicks: Bool {
        control.withLock { $0.device.pulledAudio != nil && $0.device.manualClock != nil }
    }

    /// If `isHeardOnTicks` is true, waits until the audio for the next ticks is decoded.
    private func waitForSound(isOver: () throws -> Bool) throws {
        guard isHeardOnTicks, let film = control.withLock({ $0.film }) else { return }
        while film.item.state.isPlaying, !film.item.hasSound(ahead: Self.soundLead) {
            if try isOver() { return }
            usleep(500)
        }
    }
}
