// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// Stepping by frames.
extension Transport {
    /// Adds steps to the pending steps. Does nothing while the item plays.
    mutating func step(by count: Int) {
        guard count != 0, tracks.isAlive, start.desiredRate == 0 else { return }
        steps.add(count)
        act(.look)
    }

    /// Performs the steps whose frames have been decoded, and begins a seek for the next step back.
    /// It does nothing during a seek.
    ///
    /// - Returns: whether the playhead has moved, and whether a seek has begun.
    mutating func takeSteps(_ view: some TransportView) -> (moved: Bool, sought: Bool) {
        var moved = false
        // Audio without video has no frames.
        if tracks.video == nil { steps.clear() }
        while let count = steps.next {
            if count < 0 { return (moved, stepBack(by: -count, view)) }
            let (time, taken, isLast) = view.step(from: view.seenTime(at: now.time), by: count)
            if taken > 0 {
                // A playhead that steps beyond an end that was set stays there, as after a seek.
                ending.move(to: time)
                moveTimeline(to: time)
                moved = true
            }
            if taken < count, !isLast {
                steps.leave(count - taken)
                return (moved, false)
            }
            steps.leave(0)
        }
        return (moved, false)
    }

    /// Seeks to frames before the visible frame, because the queue contains no earlier frames. The
    /// visible frame and the playhead stay until the seek lands.
    private mutating func stepBack(by count: Int, _ view: some TransportView) -> Bool {
        guard let shown = view.frameStart(at: view.seenTime(at: now.time)) else {
            // There is no frame to step from, and none will come after the end of reading.
            if tracks.videoEnd != nil { steps.clear() }
            return false
        }
        let part = min(count, StepState.limit)
        steps.leave(part - count)
        var seek = Seek(target: shown)
        seek.framesBefore = part
        seek.leadTime = StepState.firstLead
        if let duration = tracks.video?.frameDuration, duration.isNumeric, part > 1 {
            seek.leadTime = max(seek.leadTime, duration * Int32(part) - StepState.firstLead)
        }
        restart(for: seek)
        return true
    }
}
