// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime

/// Jumps of the playhead.
extension ItemPipeline {
    /// Requests another time. Supersedes a pending seek, and steps.
    ///
    /// - Parameter isLeaving: A Boolean value that indicates whether the item stops being its
    ///   player's current one, in the same step.
    func request(_ seek: Seek, isLeaving: Bool = false) {
        let isAccepted = change { control -> Seek? in
            guard control.isAlive else { return nil }
            if isLeaving {
                control.desiredRate = 0
                control.ending.isCurrent = false
            }
            stop(&control)
            var seek = seek
            if !isLeaving { seek.origin = control.seek?.origin ?? timebase.time }
            return seek
        }
        if !isAccepted { seek.completion?(false) }
    }

    /// Cancels the pending seeks, and steps that wait for them.
    func cancelSeeks() {
        let wasOpening = cancelFirstSeek()
        guard !wasOpening else { return }
        _ = change { control -> Seek? in
            guard case .ready = control.phase, let origin = control.seek?.origin else { return nil }
            return Seek(target: origin)
        }
    }

    /// Forgets the seeks of an item that is not open yet.
    private func cancelFirstSeek() -> Bool {
        var ended = EndedRequests()
        let isOpening = control.change { control -> Bool in
            switch control.phase {
            case .idle, .opening: break
            case .ready, .failed, .closed: return false
            }
            guard let origin = control.seek?.origin else { return true }
            ended.take(from: &control)
            control.seek = nil
            control.move = nil
            control.demuxerMustMove = false
            control.steps = []
            control.ending.seek(to: origin)
            moveTimeline(&control, to: origin)
            return true
        }
        ended.fail()
        return isOpening
    }

    /// Begins or defers a seek.
    ///
    /// - Parameter makeSeek: Called with the lock held; returns nil for no seek.
    /// - Returns: A Boolean value that indicates whether there is a seek.
    private func change(_ makeSeek: (inout Control) -> Seek?) -> Bool {
        var ended = EndedRequests()
        var isSeen = false
        let hasBegun = control.change { control -> Bool in
            guard var seek = makeSeek(&control) else { return false }
            seek.isScrub = isScrubbing(&control)
            let hit =
                seek.isScrub
                ? scrubbed.hit(at: seek.target, byteLimit: control.reverseByteLimit / 2) : nil
            seek.isServed = hit?.isExact ?? false
            ended.take(from: &control)
            control.steps = []
            // As for a timeline that has begun, only its rate remains.
            control.pendingStart = nil
            stop(&control)
            forgetSuccession(&control)
            if !redirect(&control, to: seek) {
                if mustShowFirst(control) || (seek.isServed && goesOn(control)) {
                    // It has no generation yet: `evaluate` begins it.
                    control.seek = seek
                } else {
                    restart(&control, for: seek)
                }
            }
            moveTimeline(&control, to: seek.target)
            isSeen = hit.map { show($0, at: seek.target, control) } ?? false
            return true
        }
        ended.fail()
        if isSeen { tellOutputs(.willChange) }
        if hasBegun { seekBegan() }
        return hasBegun
    }

    /// Begins a generation of packets and frames for a seek; with the lock of `control` held, so
    /// that two seeks at once reach the queues in the order of their generations.
    func restart(_ control: inout Control, for seek: Seek) {
        begin(&control, seek)
        control.demuxerMustMove = true
        control.hasShownMove = false
        control.videoReach = nil
        control.expectedVideoEnd = nil
        packets.restart(generation: control.generation)
    }

    /// Begins a generation of frames.
    func begin(_ control: inout Control, _ seek: Seek) {
        control.generation += 1
        control.seek = seek
        control.seek?.generation = control.generation
        control.seek?.leadTime = max(seek.leadTime, control.ending.leadTime(to: seek.target))
        control.move = control.seek
        control.direction = .forward
        control.exactFrom = .negativeInfinity
        control.hasPlayedToEnd = false
        control.jump = nil
        control.readingError = nil
        control.hasVideo = false
        control.videoEnd = nil
        control.audioEnd = nil
        forgetSuccession(&control)
        control.ending.seek(to: seek.target)
        let now = timebase.time
        if control.isRunning { frames.setBack(at: now, rate: timebase.rate) }
        frames.restart(generation: control.generation, visibleAt: seenTime(at: now))
    }

    /// Notifies all waiting threads that a seek has begun.
    func seekBegan() {
        control.withLock { $0.renderer }?.wakeWriter()
        frames.timelineChanged()
        tellOutputs(.flushed)
        announce(.advanced)
    }

    /// Repeats the seek of a generation after `change` has altered it: decoding began too late, or
    /// skipped frames that turned out to be needed.
    func repeatSeek(generation: Int, _ change: (inout Seek) -> Void) {
        control.change { control in
            guard control.generation == generation, var seek = control.seek else { return }
            if !control.isPutOff { change(&seek) }
            restart(&control, for: seek)
        }
        control.withLock { $0.renderer }?.wakeWriter()
    }

    /// Restarts at the playhead, present or future, because more frames follow the supposed last
    /// one and the decoder has received the end.
    func readAgain(generation: Int) {
        let hasBegun = control.change { control -> Bool in
            guard control.generation == generation else { return false }
            var here = Seek(target: timebase.time)
            here.followsTimeline = true
            restart(&control, for: control.seek ?? here)
            return true
        }
        if hasBegun { seekBegan() }
    }

    /// Records that the demuxer has moved to the keyframe after the target of a seek. Called before
    /// any packet.
    func startsLate(generation: Int) {
        control.withLock { control in
            if control.generation == generation { control.move?.startsLate = true }
        }
    }

    /// Returns whether a seek's packets begin after its target.
    func hasStartedLate(generation: Int) -> Bool {
        control.withLock { $0.generation == generation && $0.move?.startsLate == true }
    }

    /// Lands a seek at another time than its target: near it within the tolerances, or at the frame
    /// of a step.
    func land(at time: MediaTime, generation: Int) {
        control.change { control in
            guard control.generation == generation, control.move != nil else { return }
            control.move?.target = time
            control.move?.framesBefore = 0
            guard !control.isPutOff else { return }
            control.seek?.target = time
            control.ending.seek(to: time)
            control.seek?.framesBefore = 0
            moveTimeline(&control, to: time)
        }
    }

    /// Returns the time at which audio begins after a seek. Waits until the frame has landed if the
    /// seek may land away from its target. Nil after the end of the generation.
    func landingTime(generation: Int) -> MediaTime? {
        control.wait { control -> MediaTime?? in
            if case .closed = control.phase { return .some(nil) }
            guard control.generation == generation else { return .some(nil) }
            if control.isPutOff { return nil }
            guard let seek = control.seek else { return .some(self.timebase.time) }
            if seek.followsTimeline { return .some(max(seek.target, self.timebase.time)) }
            let isSettled =
                (seek.isExact && !seek.isScrub) || control.videoTrack == nil || control.hasVideo
                || control.videoEnd != nil
            return isSettled ? .some(seek.target) : nil
        }
    }
}

/// Steps by frames.
extension ItemPipeline {
    /// The distance that the demuxer is first moved back for the previous frame: less than the
    /// duration of most frames, so that it is found from the nearest keyframe.
    private static let firstLead = MediaTime(value: 1, timescale: 1000)

    /// Adds steps to the pending ones. Has no effect while the item plays.
    func step(by count: Int) {
        guard count != 0 else { return }
        let isAccepted = control.change { control -> Bool in
            guard control.isAlive, control.desiredRate == 0 else { return false }
            if let last = control.steps.last, (last > 0) == (count > 0) {
                control.steps[control.steps.count - 1] = last + count
            } else {
                control.steps.append(count)
            }
            return true
        }
        if isAccepted { evaluate() }
    }

    /// Performs the steps whose frames are decoded, and starts a seek for the next one back. With
    /// the lock held, and without a seek in progress.
    ///
    /// - Returns: whether the playhead has moved, and whether a seek has begun.
    func takeSteps(_ control: inout Control) -> (moved: Bool, sought: Bool) {
        var moved = false
        // Audio alone has no frames.
        if control.videoTrack == nil { control.steps = [] }
        while let count = control.steps.first {
            if count < 0 {
                return (moved, stepBack(&control, by: -count))
            }
            let (time, taken, isLast) = frames.step(from: seenTime, by: count)
            if taken > 0 {
                moveTimeline(&control, to: time)
                moved = true
            }
            if taken < count, !isLast {
                control.steps[0] = count - taken
                return (moved, false)
            }
            control.steps.removeFirst()
        }
        return (moved, false)
    }

    /// Discards further steps back at the first frame.
    func endStepsBack(generation: Int) {
        control.change { control in
            guard control.generation == generation, let next = control.steps.first, next < 0 else {
                return
            }
            control.steps.removeFirst()
        }
    }

    /// Seeks to frames before the visible one, because in reverse there are none in the queue. The
    /// frame and the playhead stay until it lands.
    private func stepBack(_ control: inout Control, by count: Int) -> Bool {
        let (now, seen) = (timebase.time, seenTime)
        guard let shown = frames.frame(at: seen, playhead: now, taking: false) else {
            // There is no frame to step from, and after the end of reading none will come.
            if control.videoEnd != nil { control.steps = [] }
            return false
        }
        // As many as the frame queue holds besides the visible one; the rest in further seeks.
        let part = min(count, FrameQueue.frameLimit - 1)
        if part == count { control.steps.removeFirst() } else { control.steps[0] = part - count }
        var seek = Seek(target: shown.presentationTime)
        seek.framesBefore = part
        seek.leadTime = Self.firstLead
        if let duration = control.videoTrack?.frameDuration, duration.isNumeric, part > 1 {
            seek.leadTime = max(seek.leadTime, duration * Int32(part) - Self.firstLead)
        }
        restart(&control, for: seek)
        return true
    }
}

/// Requests that were ended by another; they are notified without a lock.
struct EndedRequests {
    private var seek: (@Sendable (Bool) -> Void)?
    private var prerolls: [@Sendable (Bool) -> Void] = []

    mutating func take(from control: inout ItemPipeline.Control) {
        seek = control.seek?.completion
        control.seek?.completion = nil
        takePrerolls(from: &control)
    }

    mutating func takePrerolls(from control: inout ItemPipeline.Control) {
        prerolls += control.prerolls
        control.prerolls = []
    }

    func fail() {
        seek?(false)
        for preroll in prerolls { preroll(false) }
    }
}
