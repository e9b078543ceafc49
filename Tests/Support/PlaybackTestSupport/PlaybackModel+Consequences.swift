// SPDX-License-Identifier: Apache-2.0

import PlayheadTime
import TransportTestSupport

/// The consequences of requests, of the clock and of arriving packets.
extension PlaybackModel: SettlingModel {
    var isSeekPending: Bool { pending != nil }

    /// The time for which the timeline may be on hold before that is a stall.
    static let grace = MediaTime(value: 1, timescale: 4)
    /// The audio that a start needs.
    private static let leastSound = MediaTime(value: 1, timescale: 5)

    /// Does everything that has become possible.
    mutating func settle() {
        settleOnce()
        // A repetition of a loop, and a return to an end, are seeks, which land.
        while let pending, canLand(pending) { settleOnce() }
        // The demuxer rests in reverse, and does not add tracks then.
        if !isReverse, hasArrived { tracks.join() }
    }

    private mutating func settleOnce() {
        if let seek = pending {
            guard canLand(seek) else { return }
            if hasArrived { tracks.join() }
            pending = nil
            held = nil
            if let number = seek.number { results[number] = true }
            if seek.landing != anchorTime {
                setLimits(at: seek.landing)
                stop(at: seek.landing)
            }
        }
        guard settleEnds() else { return }
        guard rate != 0, !isRunning else { return }
        if isReverse != (rate < 0) {
            turn(to: rate, at: time)
            endIfOver()
            guard pending == nil else { return }
        }
        guard canStart else { return }
        heldSince = nil
        run(from: anchorTime, atClock: clock + film.startDelay)
        isDeclared = false
        endIfOver()
    }

    // MARK: Seeks and steps

    mutating func supersede() {
        if let number = pending?.number { results[number] = false }
        pending = nil
    }

    /// Begins a seek that lands at its target.
    mutating func begin(to target: MediaTime) {
        let held = pending == nil ? nil : self.held
        let wasPending = pending != nil
        supersede()
        steps = []
        restart(at: target)
        if wasPending { self.held = held }
        stop(at: target)
        pending = Seek(
            number: nil, origin: nil, landing: target,
            needed: neededFrame(target: target, landing: target))
    }

    /// Returns the frame that has to arrive for a seek; nil if everything has to arrive.
    func neededFrame(target: MediaTime, landing: MediaTime) -> Int? {
        if landing < target {
            return film.video.frame(at: landing, among: film.decodable)
        }
        let sought = visibleEnd.isNumeric ? min(target, visibleEnd - ModelTrack.tolerance) : target
        return film.decodable.first {
            $0 >= first && film.video.end(of: $0) > sought + ModelTrack.tolerance
        }
    }

    private func canLand(_ seek: Seek) -> Bool {
        if hasArrived { return true }
        guard let needed = seek.needed, needed < loaded else { return false }
        return tracks.haveFrames(at: seek.landing, arrived: arrived)
    }

    mutating func takeSteps() {
        while let count = steps.first {
            steps.removeFirst()
            let seen = seenTime
            if isReverse, count > 0 {
                restart(at: seen)
                stop(at: seen)
            }
            guard let frame = picture(at: seen)?.frame else { continue }
            let last = lastShown
            let limit = min(last, loaded - 1)
            let target = film.frame(frame, steppedBy: count, upTo: limit)
            if count < 0 {
                restart(at: .zero)
            }
            if count < 0 || target != frame {
                let time = film.video.time(of: target)
                setLimits(at: time)
                stop(at: time)
            }
            let isLast = target == last && (hasArrived || last + 1 < loaded)
            if count > 0, !isLast, !hasArrived, target < frame + count {
                steps.insert(frame + count - target, at: 0)
                return
            }
            endIfOver()
        }
    }

    /// The last frame before the end of the loop's range, if that applies.
    private var lastShown: Int {
        let shown = film.decodable.last {
            !visibleEnd.isNumeric
                || film.video.time(of: $0) + ModelTrack.tolerance < visibleEnd
        }
        return shown ?? film.decodable.last ?? 0
    }

    // MARK: The end

    mutating func endIfOver() {
        guard pending == nil else { return }
        if isReverse {
            if isRunning, !hasPlayedToEnd, time <= reverseEnd { end(at: reverseEnd) }
            return
        }
        let end = forwardEnd
        if !isRunning {
            guard time > end else { return }
            stop(at: end)
            // The frame at the end of a range that was passed is decoded again.
            guard end != naturalEnd else { return }
            let (hadPlayedToEnd, steps) = (hasPlayedToEnd, steps)
            begin(to: end)
            (hasPlayedToEnd, self.steps) = (hadPlayedToEnd, steps)
        } else if !hasPlayedToEnd, time >= end {
            self.end(at: end)
        }
    }

    private mutating func end(at end: MediaTime) {
        let hasBegunAtEnd = loop.isNew && (isReverse ? startTime <= end : startTime >= end)
        if isLooping, !hasBegunAtEnd { return beginRound() }
        recordDrawnAhead()
        hasPlayedToEnd = true
        endedInReverse = isReverse
        endedAtLimit = !isReverse && limit.isNumeric && time >= limit
        endCount += 1
        heldSince = nil
        rate = 0
        stop(at: end)
    }

    var naturalEnd: MediaTime {
        hasArrived ? tracks.ends.reduce(film.video.end, max) : .positiveInfinity
    }
    var forwardEnd: MediaTime { limit.isNumeric ? min(naturalEnd, limit) : naturalEnd }
    var reverseEnd: MediaTime { reverseLimit.isNumeric ? max(.zero, reverseLimit) : .zero }

    // MARK: Loops

    var isLooping: Bool {
        loop.left != 0 && loop.start < film.end
            && (!loop.end.isNumeric || (loop.end > .zero && loop.end > loop.start))
    }

    /// The ends of the loop's repetitions that are within the item.
    private var loopEnds: (forward: MediaTime, reverse: MediaTime) {
        guard isLooping else { return (.invalid, .invalid) }
        return (
            loop.end.isNumeric && loop.end < film.end ? loop.end : .invalid,
            loop.start > .zero ? loop.start : .invalid
        )
    }

    /// Begins again at the other end of the range, as a seek does.
    private mutating func beginRound() {
        var target = loop.start
        if isReverse { target = loop.end.isNumeric ? min(loop.end, film.end) : film.end }
        if loop.left > 0 { loop.left -= 1 }
        loop.total += 1
        begin(to: target)
        loop.isNew = true
    }

    /// Sets the ends that apply to a position.
    mutating func setLimits(at time: MediaTime) {
        let (forward, reverse) = loopEnds
        let isBeyond = forward.isNumeric && time > forward
        limit = isBeyond ? time : forward
        visibleEnd = isBeyond ? .invalid : forward
        reverseLimit = reverse.isNumeric ? min(reverse, time) : .invalid
    }

    // MARK: Stalls

    /// The time at which the media that has arrived ends, or the part of a track that plays.
    var dryTime: MediaTime {
        guard !hasArrived else { return .positiveInfinity }
        let video = film.video.times[loaded...].first ?? film.video.end
        return min(video, tracks.dryTime(arrived: arrived))
    }

    /// Holds the timeline at the end of the media that has arrived.
    mutating func holdIfDry() {
        let dryTime = dryTime
        if isReverse || hasPlayedToEnd || (isRunning && time < dryTime) {
            heldSince = nil
            if isRunning { isCatchingUp = false }
        } else if isRunning, !isDeclared || heldSince == nil {
            let moment = anchorClock + (dryTime - anchorTime) * (1 / rate)
            // Nothing was missing before a start was declared.
            heldSince = isDeclared && isCatchingUp ? max(clock, anchorClock) : moment
            isStalled = false
            if !isDeclared {
                // A track that is enabled may have been without media for some time.
                let isLate = clock - moment > MediaTime(value: 1, timescale: 1_000_000)
                let noticed = isLate ? clock : self.moment(of: dryTime).first ?? clock
                let held = min(time(atClock: noticed), tracks.soundEnd(arrived: arrived))
                recordDrawnAhead()
                drawnAhead.time = held
                device.pause(at: noticed)
                stop(at: held)
            }
        }
        if let heldSince, !isStalled, clock - heldSince >= Self.grace {
            isStalled = true
            stallCount += 1
        }
    }

    private var canStart: Bool {
        if hasArrived || isReverse { return true }
        guard let seen = picture(at: time)?.frame, seen + 1 < loaded else { return false }
        return tracks.canStart(at: time, sound: Self.leastSound, arrived: arrived)
    }

    // MARK: The timeline

    /// Changes the direction at a position, by a seek.
    mutating func turn(to rate: Double, at time: MediaTime, isDeclared: Bool = false) {
        restart(at: time)
        // The timeline continues meanwhile: there is no time to decode more.
        if isDeclared { first = film.keyframe(for: time) }
        guard rate < 0 else { return }
        isReverse = true
        first = 0
    }

    mutating func restart(at time: MediaTime) {
        recordDrawnAhead()
        if pending == nil { held = picture(at: seenTime) }
        generation += 1
        drawnAhead.time = .invalid
        first = film.keyframe(ofSeekTo: time)
        isReverse = false
        hasPlayedToEnd = false
        heldSince = nil
        setLimits(at: time)
        tracks.restart()
    }

    /// Records that the timeline is about to be stopped or slowed down.
    mutating func recordDrawnAhead() {
        guard isRunning else { return }
        drawnAhead = (time, MediaTime(value: 1, timescale: 10) * max(1, rate.magnitude))
    }

    mutating func run(from time: MediaTime, atClock clock: MediaTime) {
        isRunning = true
        startTime = time
        anchor(at: time, clock: clock)
        device.resume(at: self.clock)
    }

    mutating func stop(at time: MediaTime) {
        if isRunning { device.pause(at: clock) }
        isRunning = false
        isDeclared = false
        anchor(at: time, clock: clock)
    }

    mutating func anchor(at time: MediaTime, clock: MediaTime) {
        anchorTime = time
        anchorClock = clock
    }
}
