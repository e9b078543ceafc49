// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// Live streams, whose window moves.
extension Transport {
    /// Takes the current window of the stream. A stream that has ended has a duration from then on.
    mutating func note(_ window: LiveWindow) {
        // At the live edge, the timeline is on hold until the window moves.
        let isPlayed = isPlaying && seek.direction == .forward
        live.note(window, playhead: isPlayed ? now.time : nil)
        if start.isRunning, start.desiredRate == 1, !start.isDeclared {
            correct(live.loss ?? .zero)
        }
        if case .ready(let description) = tracks.phase {
            tracks.set(.ready(description.completed(by: window)))
        }
        act(.look)
    }

    /// Returns the time at which playback of an item begins that has just become ready and was not
    /// moved; nil for the time at which reading begins.
    func statedStart(of description: AssetDescription) -> MediaTime? {
        guard
            let start = live.configuredStart ?? description.preferredStartTime
                ?? live.preciseStart
        else { return nil }
        return live.target(of: start)
    }

    /// Moves a playhead that the window has left behind to the oldest segment, because playback is
    /// requested.
    mutating func returnToWindow() {
        guard tracks.isReady, !start.isRunning, seek.requested == nil,
            let target = live.returnTarget(from: now.time)
        else { return }
        jump(to: target)
    }

    /// Moves the playhead after a stall so that its distance from the live edge stays the same. If
    /// the distance is not preserved, and the window has left the playhead behind, moves it to the
    /// oldest segment.
    ///
    /// - Returns: A Boolean value that indicates whether it was moved.
    mutating func moveAfterStall(_ view: some TransportView) -> Bool {
        guard buffering.dryness?.isStall == true, seek.requested == nil,
            let target = live.preservedTarget(from: now.time) ?? oldestTarget(view)
        else { return false }
        jump(to: target)
        return true
    }

    private func oldestTarget(_ view: some TransportView) -> MediaTime? {
        guard tracks.video != nil else { return nil }
        return live.returnTarget(
            from: now.time, next: view.step(from: now.time, by: 1).time)
    }

    private mutating func jump(to target: MediaTime) {
        turn(to: target)
        live.forgetPlayedOffset()
        act(.seekBegan)
    }

    /// Handles a seek whose target has left the window: it lands at the oldest segment.
    mutating func targetIsGone(oldest: MediaTime, _ generation: Int) {
        guard generation == seek.generation else { return }
        seek.startAtOldest()
        // Without video, no frame determines where the seek lands.
        if tracks.video == nil { land(at: oldest, generation) }
    }
}

extension AssetDescription {
    /// Returns the description with the duration of a live stream that has ended, or of a file that
    /// is being written.
    func completed(by window: LiveWindow?) -> AssetDescription {
        guard let window, window.hasEnded || window.isFile else { return self }
        var description = self
        description.startTime = window.range.start
        description.duration = window.range.duration
        return description
    }
}
