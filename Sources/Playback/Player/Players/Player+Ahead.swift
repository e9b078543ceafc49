// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import PlayheadThreads
import PlayheadTime
import Synchronization

/// For those who move the clock themselves: tests, proofs, rendering that is not bound to real time.
extension Player {
    /// Whether as much is decoded, of this item and those that follow, and as many of their starts
    /// are declared, as the next tenth of a second needs. Moving a clock by hand only while it is so
    /// makes a run independent of the machine's speed.
    package var isAhead: Bool {
        // Not in the middle of an arrangement; what the snapshot holds may be let go of meanwhile.
        let (state, isAhead) = arrangement.withLock { _ in
            let state = shared.withLock { $0 }
            return (state, Self.isAhead(state))
        }
        return withExtendedLifetime(state) { isAhead }
    }

    private static func isAhead(_ state: Shared) -> Bool {
        guard let item = state.item else { return true }
        guard item.pipeline.isAhead else { return false }
        guard state.rate != 0, state.actionAtItemEnd == .advance else { return true }
        // Whoever has found that it is over may not have come to go on yet.
        if item.pipeline.isOverForward { return false }
        var last = item.pipeline
        for next in state.waiting {
            // Whoever has changed something may not have come to arrange it yet.
            let declared = next.pipeline.declaredSuccession
            switch last.successionPlan {
            case .over: return false
            case .open:
                return declared == nil
            case .at(let moment):
                if let declared, !declared.isSame(as: moment) { return false }
                guard moment.time - moment.clock.time < ItemPipeline.lookAhead else { return true }
                guard declared != nil, next.pipeline.isAhead else { return false }
            }
            last = next.pipeline
        }
        return true
    }
}

extension ItemPipeline {
    fileprivate static let lookAhead = MediaTime(value: 1, timescale: 10)

    /// Whether decoding waits for the playhead, or has come to the end.
    var isAhead: Bool {
        let (isSettled, hasVideo, renderer) = control.withLock { control in
            switch control.phase {
            case .closed, .failed: return (true, false, nil as AudioRenderer?)
            case .idle, .opening: return (false, false, nil)
            case .ready: break
            }
            let isMoving = control.isRunning == (control.desiredRate != 0)
            // Whoever is to find that the end has been reached may not have come to it yet.
            let isBeyond =
                control.isRunning && control.direction == .forward
                && control.playbackEnd.map { timebase.time >= $0 } ?? false
            return (
                control.hasPlayedToEnd || (control.seek == nil && isMoving && !isBeyond),
                control.videoTrack != nil, control.audioEnd == nil ? control.renderer : nil
            )
        }
        guard isSettled, !hasVideo || frames.isFullOrEnded else { return false }
        guard let renderer else { return true }
        return renderer.bufferedTimeRange.end > timebase.time + Self.lookAhead
    }

    /// Whether playback has ended where another item is to follow, or the queue to be empty.
    fileprivate var isOverForward: Bool {
        control.withLock { $0.isOver && !$0.endedInReverse }
    }
}
