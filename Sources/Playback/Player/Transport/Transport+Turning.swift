// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime

/// Backward playback, and reversals.
///
/// The threads for forward playback stop meanwhile, and a separate one works instead. Turning
/// either way is a new generation, like a seek.
extension Transport {
    /// Reverses decoding if its direction is not the requested one, once it is known that the
    /// playhead is within the item; without a seek in progress.
    ///
    /// - Returns: A Boolean value that indicates whether a new generation has begun.
    mutating func turnIfNeeded(_ view: some TransportView) -> Bool {
        guard !start.isRunning else { return false }
        let time = now.time
        if let wanted = PlaybackDirection(rate: start.desiredRate) {
            guard wanted != seek.direction else { return false }
            if wanted == .reverse {
                guard isWithin(time, view) else { return false }
                turnBack(at: time)
            } else {
                restart(for: Seek(target: time))
            }
            return true
        }
        // Frames to step to, and the exact one if frames were skipped, require a seek.
        let needsFrames =
            seek.direction == .reverse
            && steps.next.map { $0 > 0 || !tracks.hasVideo || view.isStarved(at: time) } ?? false
        let isInexact =
            steps.isEmpty && tracks.hasVideo && time + VideoFrame.timeTolerance < seek.exactFrom
        guard needsFrames || isInexact else { return false }
        let hadPlayedToEnd = ending.hasPlayedToEnd
        let target = needsFrames ? view.seenTime(at: time) : time
        restart(for: Seek(target: target))
        if target != time { moveTimeline(to: target) }
        ending.setHasPlayedToEnd(hadPlayedToEnd && !needsFrames)
        return true
    }

    /// Returns whether the playhead is certainly not beyond the end of the item.
    private func isWithin(_ time: MediaTime, _ view: some TransportView) -> Bool {
        tracks.naturalEnd != nil || view.hasFrame(after: time) || hasAudio(after: time, view)
    }

    /// Returns whether audio after a time waits to be heard. What is left of a generation before is
    /// that of another place.
    func hasAudio(after time: MediaTime, _ view: some TransportView) -> Bool {
        tracks.audioGeneration == seek.generation && view.bufferedAudioEnd > time
    }

    /// Begins to decode backwards from a time.
    mutating func turnBack(at time: MediaTime) {
        let needsThread = seek.turnBack(at: time)
        ending.setHasPlayedToEnd(false)
        buffering.forgetDryness()
        tracks.restart(readsAgain: true)
        forgetSuccession()
        ending.move(to: time)
        act(
            .restartFrames(
                generation: seek.generation, isRunning: false,
                reverseByteLimit: seek.reverseByteLimit))
        act(.restartPackets(generation: seek.generation))
        if needsThread { act(.startReverseThread) }
    }
}
