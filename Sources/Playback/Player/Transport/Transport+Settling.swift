// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The consequences of events.
extension Transport {
    /// Performs everything that has become possible: lands a seek, performs steps, starts the
    /// timeline, or stops it at the end.
    mutating func settle(_ view: some TransportView) {
        var hasEnded = false
        if tracks.isReady { hasEnded = settleReady(view) }
        act(.announce(hasEnded ? .ended : .advanced))
    }

    /// Returns whether the end must be announced.
    private mutating func settleReady(_ view: some TransportView) -> Bool {
        noteEnd()
        noteBuffer(view)
        var completion: TransportEvent.Completion?
        var hasFound = true
        let isLanding = seek.requested != nil
        if let requested = seek.requested {
            let isNext = seek.isPutOff && seek.hasShown && !requested.isServed
            if isNext || (seek.isPutOff && hasArrived(view)) {
                restart(for: requested)
                hasMoved(true, isLanding: false)
                return false
            }
            guard !seek.isPutOff, hasArrived(view), haveFurtherPictures(view) else { return false }
            completion = seek.takeCompletion()
            hasFound = settleFailure(view)
            seek.land()
        }
        let outcome = settleAtEnd()
        var hasMoved = outcome != .none
        var hasSought = outcome == .sought || turnIfNeeded(view)
        if !hasSought {
            let step = takeSteps(view)
            hasSought = step.sought
            hasMoved = hasMoved || step.moved
        }
        var hasEnded = false
        var prerolls: [StartState.Completion] = []
        if !hasSought {
            hasMoved = holdIfDry(view) || hasMoved
            if !start.prerolls.isEmpty, isPrerolled(view) { prerolls = start.takePrerolls() }
            let hasStarted = startIfPrimed(view)
            if hasStarted {
                hasMoved = true
                act(.clearKeptFrames)
            }
            followOffset(view)
            hasEnded = takeEnd()
            // This must be the last step, because it may find another end.
            if hasStarted { act(.lookAtStart) }
        }
        self.hasMoved(hasMoved, isLanding: isLanding, hasSought: hasSought)
        if let completion { act(.complete(completion, hasFound)) }
        for preroll in prerolls { act(.complete(preroll, true)) }
        return hasEnded
    }

    /// Stops a timeline that has just started, if the decoders have already run out of data or if
    /// the timeline started at the end.
    mutating func settleStart(_ view: some TransportView) {
        let isHeld = holdIfDry(view)
        let outcome = settleAtEnd()
        let hasEnded = takeEnd()
        hasMoved(
            isHeld || outcome != .none, isLanding: false, hasSought: outcome == .sought)
        act(.announce(hasEnded ? .ended : .advanced))
    }

    /// Notifies threads and outputs of the moves that were made in one step.
    private mutating func hasMoved(_ hasMoved: Bool, isLanding: Bool, hasSought: Bool = false) {
        if hasMoved { act(.timelineChanged) }
        if hasSought { act(.seekBegan) }
        if hasMoved || isLanding { act(.tellOutputs) }
    }
}
