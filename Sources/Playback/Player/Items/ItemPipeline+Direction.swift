// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadThreads
import PlayheadTime

/// Backward playback, and reversals.
///
/// The threads for forward playback stop meanwhile, and a separate one works instead
/// (`ReverseDecodeLoop`). Turning either way is a new generation, like a seek.
extension ItemPipeline {
    /// Reverses decoding if its direction is not the requested one, once it is known that the
    /// playhead is within the item. With the lock held, and without a seek in progress.
    ///
    /// - Returns: A Boolean value that indicates whether a new generation has begun.
    func turnIfNeeded(_ control: inout Control) -> Bool {
        guard !control.isRunning else { return false }
        let time = timebase.time
        if let wanted = PlaybackDirection(rate: control.desiredRate) {
            guard wanted != control.direction else { return false }
            if wanted == .reverse {
                guard isWithin(control, time) else { return false }
                turnBack(&control, at: time)
            } else {
                restart(&control, for: Seek(target: time))
            }
            return true
        }
        // Frames to step to, and the exact one if frames were skipped, require a seek.
        let needsFrames =
            control.direction == .reverse
            && control.steps.first.map {
                $0 > 0 || !control.hasVideo || frames.isStarved(at: time)
            } ?? false
        let isInexact =
            control.steps.isEmpty && control.hasVideo
            && time + FrameQueue.tolerance < control.exactFrom
        guard needsFrames || isInexact else { return false }
        let hadPlayedToEnd = control.hasPlayedToEnd
        let target = needsFrames ? seenTime : time
        restart(&control, for: Seek(target: target))
        if target != time { moveTimeline(&control, to: target) }
        control.hasPlayedToEnd = hadPlayedToEnd && !needsFrames
        return true
    }

    /// Returns whether the playhead is certainly not beyond the end of the item.
    private func isWithin(_ control: Control, _ time: MediaTime) -> Bool {
        if control.naturalEnd != nil || frames.hasFrame(after: time) { return true }
        guard let renderer = control.renderer else { return false }
        return renderer.bufferedTimeRange.end > time
    }

    /// Begins to decode backwards from a time. With the lock held.
    func turnBack(_ control: inout Control, at time: MediaTime) {
        control.generation += 1
        control.direction = .reverse
        control.exactFrom = .negativeInfinity
        control.seek = nil
        control.move = nil
        control.videoReach = nil
        control.demuxerMustMove = false
        control.hasPlayedToEnd = false
        control.hasVideo = false
        control.videoEnd = nil
        control.audioEnd = nil
        control.expectedVideoEnd = nil
        forgetSuccession(&control)
        control.ending.seek(to: time)
        let byteLimit = control.reverseByteLimit
        control.reversal = Reversal(
            generation: control.generation, time: time, byteLimit: byteLimit)
        frames.restart(
            generation: control.generation, visibleAt: seenTime, reverseByteLimit: byteLimit)
        packets.restart(generation: control.generation)
        if !control.hasReverseThread {
            control.hasReverseThread = true
            _ = WorkerThread(name: "ph-reverse") { ReverseDecodeLoop(host: self).run() }
        }
    }

    /// Waits for a reversal after that of a generation; returns nil if the item has been closed.
    func nextReversal(after generation: Int) -> Reversal? {
        control.wait { control -> Reversal?? in
            if case .closed = control.phase { return .some(nil) }
            guard let reversal = control.reversal, reversal.generation == control.generation,
                reversal.generation != generation
            else { return nil }
            return .some(reversal)
        }
    }

    /// Handles the first frame of the item in the queue.
    func reverseEnded(generation: Int) {
        frames.finish(generation: generation)
        evaluate()
    }

    /// Records that frames before `time` have been skipped: if playback stops there, a seek is
    /// needed for the right one.
    func showsApproximately(generation: Int, until time: MediaTime) {
        control.change { control in
            if control.generation == generation { control.exactFrom = time }
        }
    }

    /// Ends backward playback at the beginning. With the lock held.
    func settleAtStart(_ control: inout Control) -> Bool {
        let end = control.reverseEnd
        guard control.isRunning, timebase.time <= end else { return false }
        return reachEnd(&control, at: end, inReverse: true)
    }
}

extension ItemPipeline.Control {
    var isRunningForward: Bool { isRunning && direction == .forward }

    /// The time at which backward playback ends: the set one, or the beginning of the item.
    var reverseEnd: MediaTime {
        var start = MediaTime.zero
        if case .ready(let description) = phase, description.startTime.isNumeric {
            start = max(description.startTime, .zero)
        }
        return ending.reverseLimit.isNumeric ? max(start, ending.reverseLimit) : start
    }
}
