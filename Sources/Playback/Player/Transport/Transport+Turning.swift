// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime

/// Reverse playback, and changes of direction.
///
/// During reverse playback, the threads for forward playback pause, and a separate thread works.
/// Each change of direction begins a new generation, like a seek.
extension Transport {
    /// Changes the direction of decoding if it is not the requested direction, once it is known
    /// that the playhead is within the item. It does nothing during a seek.
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
        // A seek is needed if there are pending steps, or if frames were skipped and the exact
        // frame has to be shown.
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

    /// Returns whether it is certain that the playhead is not beyond the end of the item.
    private func isWithin(_ time: MediaTime, _ view: some TransportView) -> Bool {
        tracks.naturalEnd != nil || view.hasFrame(after: time) || hasAudio(after: time, view)
            || view.hasFurtherMedia(after: time, generation: seek.generation)
    }

    /// Returns whether audio after a time waits to be heard. Remaining audio of an earlier
    /// generation does not count, because it belongs to another position.
    func hasAudio(after time: MediaTime, _ view: some TransportView) -> Bool {
        tracks.audioGeneration == seek.generation && view.bufferedAudioEnd > time
    }

    /// Begins to decode in reverse from a time.
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
