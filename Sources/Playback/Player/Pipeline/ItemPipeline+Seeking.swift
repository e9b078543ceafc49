// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime

/// Moving the playhead to where it would not get by itself.
extension ItemPipeline {
    /// Asks for another time. Supersedes a seek that is still on its way, and steps.
    ///
    /// - Parameter isLeaving: whether the item stops being its player's current one, in the same step.
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

    /// Takes back the seeks that are on their way, and steps that wait for them.
    func cancelSeeks() {
        let wasOpening = cancelFirstSeek()
        guard !wasOpening else { return }
        _ = change { control -> Seek? in
            guard case .ready = control.phase, let origin = control.seek?.origin else { return nil }
            return Seek(target: origin)
        }
    }

    /// Takes back those of an item that is not open yet, which is as if they had not been asked for.
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

    /// Begins a seek, or puts it off.
    ///
    /// - Parameter makeSeek: called with the lock held; nil for none.
    /// - Returns: whether there is one.
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
            // As one that has begun: what is left of it is its rate.
            control.pendingStart = nil
            stop(&control)
            forgetSuccession(&control)
            if !redirect(&control, to: seek) {
                if mustShowFirst(control) || (seek.isServed && goesOn(control)) {
                    // Its generation is none yet: `evaluate` begins it.
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

    /// Tells everyone who waits for frames or room that a seek has begun.
    func seekBegan() {
        control.withLock { $0.renderer }?.wakeWriter()
        frames.timelineChanged()
        tellOutputs(.flushed)
        announce(.advanced)
    }

    /// The seek of a generation once more, as `change` alters it: decoding began too late, or left
    /// out what turned out to be needed.
    func repeatSeek(generation: Int, _ change: (inout Seek) -> Void) {
        control.change { control in
            guard control.generation == generation, var seek = control.seek else { return }
            if !control.isPutOff { change(&seek) }
            restart(&control, for: seek)
        }
        control.withLock { $0.renderer }?.wakeWriter()
    }

    /// More pictures come after what was taken for the last one, and the decoder has been told of the
    /// end: begins anew where the playhead is, or is to be.
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

    /// The demuxer has gone to the keyframe after the target of a seek. Known before any packet is.
    func startsLate(generation: Int) {
        control.withLock { control in
            if control.generation == generation { control.move?.startsLate = true }
        }
    }

    /// Whether a seek's packets begin after its target.
    func hasStartedLate(generation: Int) -> Bool {
        control.withLock { $0.generation == generation && $0.move?.startsLate == true }
    }

    /// A seek lands elsewhere than at its target: near it within the tolerances, or on the frame
    /// that a step leads to.
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

    /// Where sound begins after a seek. Waits until the picture has landed if the seek may land
    /// elsewhere than at its target. Nil when the generation is over.
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

/// Moving by frames.
extension ItemPipeline {
    /// The distance that the demuxer is first sent back for the frame before: less than most frames
    /// last, so that it is found from the nearest keyframe.
    private static let firstLead = MediaTime(value: 1, timescale: 1000)

    /// Adds steps to those that are still to be done. Does nothing while the item plays.
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

    /// Does those steps for which the frames are there, and starts a seek for the next one back.
    /// With the lock held, and no seek under way.
    ///
    /// - Returns: whether the playhead has moved, and whether a seek has begun.
    func takeSteps(_ control: inout Control) -> (moved: Bool, sought: Bool) {
        var moved = false
        // Sound alone has no frames.
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

    /// The first frame has been reached: forgets further steps back.
    func endStepsBack(generation: Int) {
        control.change { control in
            guard control.generation == generation, let next = control.steps.first, next < 0 else {
                return
            }
            control.steps.removeFirst()
        }
    }

    /// Seeks to frames before the visible one: backwards there is nothing in the queue. The picture
    /// and the playhead stay until it lands.
    private func stepBack(_ control: inout Control, by count: Int) -> Bool {
        let (now, seen) = (timebase.time, seenTime)
        guard let shown = frames.frame(at: seen, playhead: now, taking: false) else {
            // Nothing is there to step from, and if all is read nothing will come.
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

/// Requests that something else has put an end to; told of it once no lock is held.
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
