// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import PlayheadThreads
import PlayheadTime
import Synchronization

/// Support for callers that move the clock themselves, such as tests, proofs and offline rendering.
extension Player {
    /// A Boolean value that indicates whether the current item and its successors have decoded
    /// everything that they need for the next tenth of a second, and whether the starts of the
    /// successors have been declared. If a manual clock is moved only while the value is true, a
    /// run does not depend on the speed of the machine.
    package var isAhead: Bool {
        // This must not run in the middle of an arrangement. Objects in the snapshot may be
        // released at the same time.
        let (state, isAhead) = arrangement.withLock { _ in
            let state = shared.withLock { $0 }
            return (state, Self.isAhead(state, rate: currentRate.value))
        }
        return withExtendedLifetime(state) { isAhead }
    }

    private static func isAhead(_ state: Shared, rate: Double) -> Bool {
        guard let item = state.item else { return true }
        guard item.pipeline.isAhead else { return false }
        // The moment at which another item takes over depends on how long preparing it takes.
        if let replacement = state.replacement, !replacement.isDeclared { return false }
        let advances = state.actionAtItemEnd == .advance
        let following = state.declaredReplacement + (advances ? state.waiting : [])
        guard rate != 0, advances || !following.isEmpty else { return true }
        // The thread that detects the end may not have advanced yet.
        if item.pipeline.isOverForward { return false }
        var last = item.pipeline
        for next in following {
            // The thread that made a change may not have arranged the items yet.
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

    /// A Boolean value that indicates whether decoding waits for the playhead, or has reached the
    /// end.
    var isAhead: Bool {
        let hasLastFrame = frames.hasEnded
        let (isSettled, hasVideo, renderer) = control.withLock { control in
            switch control.phase {
            case .closed, .failed: return (true, false, nil as AudioRenderer?)
            case .idle, .opening: return (false, false, nil)
            case .ready: break
            }
            let isMoving = control.isRunning == (control.desiredRate != 0)
            // The end may not have been detected yet, or not have been reported yet.
            let isEndUnknown =
                hasLastFrame && control.videoTrack != nil && control.videoEnd == nil
                && control.direction == .forward
            let isBeyond =
                control.isRunning && control.direction == .forward
                && control.playbackEnd.map { timebase.time >= $0 } ?? false
            return (
                control.hasPlayedToEnd
                    || (control.seek == nil && isMoving && !isBeyond && !isEndUnknown),
                control.videoTrack != nil, control.audioEnd == nil ? control.renderer : nil
            )
        }
        guard isSettled, !hasVideo || frames.isFullOrEnded(at: timebase.time) else { return false }
        guard control.withLock({ hasFurtherAudio(ahead: Self.lookAhead, $0) }) else { return false }
        let areFeedsAhead = control.withLock { control in
            control.direction == .reverse
                || (!control.isAddingVideo
                    && control.videoFeeds.allSatisfy {
                        !$0.isEnabled.load(ordering: .relaxed)
                            || $0.isAhead(generation: control.generation)
                    })
        }
        guard areFeedsAhead else { return false }
        guard let renderer else { return true }
        let isReversedAudioAhead = control.withLock { control -> Bool? in
            guard control.direction == .reverse else { return nil }
            // Audio of an earlier reversal may have ended.
            return control.audioGeneration == control.generation
                && (control.isSilentInReverse
                    || renderer.hasAudio(
                        ahead: soundLead(Self.lookAhead, control), at: timebase.time))
        }
        if let isReversedAudioAhead { return isReversedAudioAhead }
        return renderer.bufferedTimeRange.end > timebase.time + Self.lookAhead
    }

    /// A Boolean value that indicates whether playback has ended at a point where another item
    /// follows or the queue ends.
    fileprivate var isOverForward: Bool {
        control.withLock { $0.isOver && !$0.endedInReverse }
    }
}
