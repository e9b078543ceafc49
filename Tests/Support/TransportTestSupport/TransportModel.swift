// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// The state of an item's transport once everything is decoded: a model with times and frame
/// numbers only.
package struct TransportModel: SettlingModel {
    /// The action at the end.
    package enum EndAction {
        case advance, pause, none
    }

    /// Times that are closer than this are equal.
    package static let tolerance = MediaTime(value: 1, timescale: 1_000_000)
    /// The distance by which a declared start advances without a seek.
    private static let nearLimit = MediaTime(value: 1, timescale: 1)
    /// The number of frames that are decoded ahead.
    package static let frameLimit = 8

    package let film: Film
    package private(set) var clock = MediaTime(value: 100, timescale: 1)
    package private(set) var rate = 0.0
    package private(set) var adjustment = 1.0
    package private(set) var isReverse = false
    package private(set) var isRunning = false
    package private(set) var hasPlayedToEnd = false
    package private(set) var endedInReverse = false
    /// A Boolean value that indicates whether playback ended at a set end.
    private var endedAtLimit = false
    package private(set) var endCount = 0
    /// The rate of the player whose current item this is.
    package private(set) var playerRate = 0.0
    package private(set) var isCurrent: Bool
    /// The results of the completed seeks and prerolls, by number.
    package private(set) var results = TransportResults()
    /// The rate of a declared start, until another one is set.
    private var declaredRate: Double?
    /// A Boolean value that indicates whether the timeline runs by declaration, even without media.
    package private(set) var isDeclared = false
    private var anchorTime = MediaTime.zero
    private var anchorClock = MediaTime.zero
    private var pending: (number: Int?, origin: MediaTime?, target: MediaTime, landing: MediaTime)?
    private var steps: [Int] = []
    private var prerolls: [Int] = []
    private var isPaused: Bool { rate == 0 }
    private var forward = MediaTime.invalid
    private var reverse = MediaTime.invalid
    private var limit = MediaTime.invalid
    private var reverseLimit = MediaTime.invalid
    /// The range that repeats, and the number of repetitions left; −1 for an endless loop.
    private var loop: (start: MediaTime, end: MediaTime, left: Int) = (.zero, .invalid, 0)
    package private(set) var roundCount = 0
    /// A Boolean value that indicates whether a round has begun, and no other seek since.
    private var isRoundNew = false
    /// The time at which the timeline started.
    private var startTime = MediaTime.zero
    package private(set) var action = EndAction.pause
    package private(set) var isClosed = false
    /// The chosen audio track, and the one that has been decoded since the last restart.
    package private(set) var audio = 0
    private var decodedAudio = 0
    /// The number of frames that have arrived.
    package private(set) var loaded: Int
    /// The time of the clock since when it holds because media is missing, and whether that is a
    /// stall.
    private var heldSince: MediaTime?
    private var isStalled = false
    /// A Boolean value that indicates whether media has been missing since a start was declared.
    private var isCatchingUp = false
    package private(set) var stallCount = 0
    /// The start that was declared for another item's end.
    package private(set) var succession: (start: MediaTime, rate: Double, position: MediaTime)?

    package init(film: Film, isCurrent: Bool) {
        self.film = film
        self.isCurrent = isCurrent
        loaded = film.frameCount
    }

    /// A Boolean value that indicates whether no item follows at the end.
    private var staysAtEnd: Bool { action != .advance || endedInReverse }
    private var isOver: Bool { hasPlayedToEnd && action != .none }
    package var isAllLoaded: Bool { loaded == film.frameCount }
    private var loadedEnd: MediaTime { film.time(of: loaded) }
    package var pendingSteps: [Int] { steps }

    /// A Boolean value that indicates whether it plays, for observers: short breaks do not count.
    package var isPlaying: Bool { isRunning || (rate != 0 && heldSince != nil && !isStalled) }

    package var isSeeking: Bool { pending != nil }
    /// The time at which the seek in progress lands; nil while no seek is in progress.
    package var landing: MediaTime? { pending?.landing }

    package var time: MediaTime {
        guard isRunning, clock > anchorClock else { return anchorTime }
        return anchorTime + (clock - anchorClock) * timelineRate
    }

    private var timelineRate: Double { declaredRate ?? rate * adjustment }

    // MARK: Requests

    package mutating func advance(by duration: MediaTime) { clock += duration }

    package mutating func setRate(_ rate: Double) {
        endIfOver()
        if rate != 0 {
            steps = []
            failPrerolls()
        }
        let now = time
        let isThere = hasPlayedToEnd && (rate < 0) == endedInReverse
        let isRefused = rate != 0 && isThere && isOver
        self.rate = isRefused ? 0 : rate
        playerRate = isRefused && staysAtEnd ? 0 : rate
        if self.rate == 0 { heldSince = nil }
        let leavesEnd = self.rate != 0 && hasPlayedToEnd && !isThere
        if leavesEnd { hasPlayedToEnd = false }
        if self.rate == 0 || (isRunning && (rate < 0) != isReverse) {
            stop(at: now)
        } else if isRunning {
            anchor(at: now, clock: max(clock, anchorClock))
            declaredRate = nil
        }
        if leavesEnd, (rate < 0) == isReverse, audio != decodedAudio { switchAudio() }
    }

    package mutating func setAdjustment(_ factor: Double) {
        guard factor != adjustment else { return }
        if isRunning { anchor(at: time, clock: max(clock, anchorClock)) }
        adjustment = factor
        if isRunning { declaredRate = nil }
    }

    package mutating func seek(to target: MediaTime, isTolerant: Bool, number: Int) {
        let origin = pending?.origin ?? time
        isRoundNew = false
        supersede()
        steps = []
        stop(at: target)
        restart(at: target)
        var landing = target
        if isTolerant {
            // It lands on the keyframe before the target.
            landing = min(target, film.time(of: film.keyframe(for: target)))
        }
        pending = (number, origin, target, landing)
    }

    /// Leaves the player to follow another item once more.
    package mutating func leave(to target: MediaTime, number: Int) {
        rate = 0
        isCurrent = false
        isRoundNew = false
        supersede()
        steps = []
        stop(at: target)
        restart(at: target)
        pending = (number, nil, target, target)
    }

    package mutating func cancelSeeks() {
        guard let origin = pending?.origin else { return }
        supersede()
        steps = []
        stop(at: origin)
        restart(at: origin)
        pending = (nil, nil, origin, origin)
    }

    package mutating func step(by count: Int) {
        guard count != 0, rate == 0, !isClosed else { return }
        if let last = steps.last, (last > 0) == (count > 0) {
            steps[steps.count - 1] += count
        } else {
            steps.append(count)
        }
    }

    package mutating func preroll(_ number: Int) {
        if rate == 0, !isClosed { prerolls.append(number) } else { results.note(number, false) }
    }

    package mutating func cancelPrerolls() { failPrerolls() }

    package mutating func setEndAction(_ action: EndAction) {
        self.action = action
        guard isOver else { return }
        let end = endedInReverse ? reverseEnd : forwardEnd
        let hasPassed = pending == nil && (endedInReverse ? time < end : time > end)
        if isRunning || hasPassed { stop(at: end) }
        if hasPassed { returnToEnd(end, hasPlayedToEnd: true) }
        if staysAtEnd, rate != 0 { endRate() }
    }

    package mutating func chooseAudio(_ track: Int) {
        guard track != audio else { return }
        audio = track
        switchAudio()
    }

    /// Continues with the chosen audio track, unless playback is at its end.
    private mutating func switchAudio() {
        if hasPlayedToEnd { return }
        if isReverse {
            let place = time
            stop(at: place)
            restart(at: place)
            isReverse = true
        } else if let pending {
            restart(at: pending.target)
            self.pending = pending
        } else if isRunning {
            let (succession, rate) = (succession, rate)
            restart(at: time)
            (self.succession, self.rate) = (succession, rate)
        } else {
            let place = time
            restart(at: place)
            pending = (nil, nil, place, place)
        }
    }

    // MARK: The network

    /// Ends the arrival of media after a number of frames.
    package mutating func rest(after frames: Int) { loaded = frames }
    package mutating func goOn() { loaded = film.frameCount }

    // MARK: The queue of items

    /// Declares the end of another item, by the clock; nil if it is not known.
    package mutating func follow(_ start: MediaTime?, rate: Double, remaining: MediaTime) {
        guard let start else { return takeBack() }
        if let present = succession {
            if present.start == start, present.rate == rate { return }
            if time != present.position {
                if remaining > MediaTime(value: 1, timescale: 10) { takeBack() }
                return
            }
        }
        guard !isCurrent, pending == nil, !isReverse, steps.isEmpty, !hasPlayedToEnd,
            succession != nil || !isRunning
        else { return }
        let position = time
        self.rate = rate
        succession = (start, rate, position)
        isRunning = true
        declaredRate = nil
        startTime = position
        anchor(at: position, clock: start)
    }

    private mutating func takeBack() {
        guard let (_, _, position) = succession else { return }
        let hasBegun = time != position
        succession = nil
        rate = 0
        stop(at: position)
        if hasBegun { restart(at: position) }
    }

    package mutating func becomeCurrent(keepingStart: Bool) {
        isCurrent = true
        if let position = succession?.position, !keepingStart, time == position { takeBack() }
        succession = nil
    }

    package mutating func setEnds(forward: MediaTime?, reverse: MediaTime?) {
        self.forward = forward ?? self.forward
        self.reverse = reverse ?? self.reverse
        haveSetEnds(at: time)
    }

    private mutating func haveSetEnds(at playhead: MediaTime) {
        setLimits(at: playhead)
        guard hasPlayedToEnd else { return }
        if endedInReverse {
            hasPlayedToEnd = playhead <= reverseEnd
        } else {
            let end = endedAtLimit ? limit : forwardEnd
            hasPlayedToEnd = end.isNumeric && playhead >= end
        }
        if audio != decodedAudio { switchAudio() }
    }

    /// Repeats a range that begins before the end of the item.
    package mutating func setLoop(from start: MediaTime, to end: MediaTime, count: Int) {
        loop = (start, end, count)
        isRoundNew = false
        haveSetEnds(at: time)
    }

    package var loopsLeft: Int { loop.left }

    private var isLooping: Bool {
        loop.left != 0 && loop.start < film.end
            && (!loop.end.isNumeric || (loop.end > .zero && loop.end > loop.start))
    }

    /// The set ends, or those of the loop's rounds if they come first.
    private var ends: (forward: MediaTime, reverse: MediaTime) {
        var ends = (forward: forward, reverse: reverse)
        guard isLooping else { return ends }
        if loop.end.isNumeric, loop.end < film.end {
            ends.forward = forward.isNumeric ? min(forward, loop.end) : loop.end
        }
        if loop.start > .zero {
            ends.reverse = reverse.isNumeric ? max(reverse, loop.start) : loop.start
        }
        return ends
    }

    /// Begins again at the other end of the range, as a seek does.
    private mutating func beginRound() {
        var target = loop.start
        if isReverse { target = loop.end.isNumeric ? min(loop.end, film.end) : film.end }
        if loop.left > 0 { loop.left -= 1 }
        roundCount += 1
        isRoundNew = true
        supersede()
        steps = []
        stop(at: target)
        restart(at: target)
        pending = (nil, nil, target, target)
    }

    /// Sets the item time to `time` when the clock reads `clockTime`; it advances from then on.
    package mutating func declare(rate: Double, time: MediaTime?, atClock clockTime: MediaTime) {
        steps = []
        failPrerolls()
        let start = time.map { max($0, .zero) } ?? self.time
        let position = clock > clockTime ? start + (clock - clockTime) * rate : start
        let distance = rate > 0 ? position - self.time : self.time - position
        let isNear =
            pending == nil && !hasPlayedToEnd && isReverse == (rate < 0) && distance >= .zero
            && distance <= Self.nearLimit
        if !isNear {
            supersede()
            restart(at: position)
            isReverse = rate < 0
        }
        hasPlayedToEnd = false
        isRoundNew = false
        self.rate = rate
        playerRate = rate
        declaredRate = rate
        isDeclared = true
        isCatchingUp = true
        heldSince = nil
        isRunning = true
        anchor(at: start, clock: clockTime)
    }

    package mutating func close() {
        supersede()
        failPrerolls()
        steps = []
        isClosed = true
    }

    // MARK: Consequences

    package var isSeekPending: Bool { pending != nil }

    /// Decodes everything possible.
    package mutating func settle() {
        settleOnce()
        // A round of a loop, and a return to an end, are seeks, which land.
        while let next = pending, !isClosed, canLand(next.target, next.landing) { settleOnce() }
    }

    private mutating func settleOnce() {
        guard !isClosed else { return }
        if let landed = pending {
            guard canLand(landed.target, landed.landing) else { return }
            pending = nil
            if let number = landed.number { results.note(number, true) }
            if landed.landing != time {
                setLimits(at: landed.landing)
                stop(at: landed.landing)
            }
        }
        guard settleEnds() else { return }
        if canPreroll {
            for number in prerolls { results.note(number, true) }
            prerolls = []
        }
        guard rate != 0, !isRunning, !isOver else { return }
        if isReverse != (rate < 0) {
            guard rate > 0 || isWithin else { return }
            restart(at: time)
            isReverse = rate < 0
            endIfOver()
            guard pending == nil else { return }
        }
        guard canStart else { return }
        isRunning = true
        declaredRate = nil
        heldSince = nil
        startTime = anchorTime
        anchor(at: anchorTime, clock: clock + film.startDelay)
        endIfOver()
    }

    /// Holds exactly at the end of the media that has arrived, if there is audio to show where.
    package mutating func holdIfDry() {
        if isReverse || hasPlayedToEnd || (isRunning && (isAllLoaded || time < loadedEnd)) {
            heldSince = nil
            if isRunning { isCatchingUp = false }
        } else if isRunning, !isDeclared || heldSince == nil {
            // Nothing was missing before a start was declared.
            heldSince =
                isDeclared && isCatchingUp
                ? max(clock, anchorClock)
                : anchorClock + (loadedEnd - anchorTime) * (1 / timelineRate)
            isStalled = false
            if !isDeclared { stop(at: film.hasAudio ? loadedEnd : time) }
        }
        if let heldSince, !isStalled, clock - heldSince >= MediaTime(value: 1, timescale: 4) {
            isStalled = true
            stallCount += 1
        }
    }

    /// Returns whether the frame on which a seek lands has arrived.
    private func canLand(_ target: MediaTime, _ landing: MediaTime) -> Bool {
        if isAllLoaded { return true }
        if landing < target { return film.frame(at: landing) < loaded }
        let sought =
            visibleEnd.isNumeric ? min(target, visibleEnd - Self.tolerance * Int32(2)) : target
        return film.time(of: film.frame(at: sought) + 1) > sought + Self.tolerance
            && film.frame(at: sought) < loaded
    }

    private var visibleFrame: Int { min(film.frame(at: time), loaded - 1, lastShown) }
    private var hasNextFrame: Bool { visibleFrame + 1 < loaded }

    private var canStart: Bool {
        if isAllLoaded || isReverse { return true }
        return hasNextFrame
            && (!film.hasAudio || loadedEnd - time >= MediaTime(value: 1, timescale: 5))
    }

    private var canPreroll: Bool {
        if isAllLoaded || isReverse { return true }
        return canStart && loaded - visibleFrame >= Self.frameLimit
    }

    /// A Boolean value that indicates whether the playhead is certainly within the video.
    private var isWithin: Bool {
        isAllLoaded || hasNextFrame || (film.hasAudio && loadedEnd > time)
    }

    package mutating func takeSteps() {
        while let count = steps.first {
            steps.removeFirst()
            if isReverse, count > 0 { restart(at: time) }
            let frame = min(visibleFrame, lastShown)
            if count < 0 {
                let target = film.time(of: max(frame + count, 0))
                restart(at: film.time(of: frame))
                setLimits(at: target)
                stop(at: target)
            } else {
                let last = lastShown
                let target = min(frame + count, last, loaded - 1)
                if target > frame {
                    setLimits(at: film.time(of: target))
                    stop(at: film.time(of: target))
                }
                let isLast = target == last && (isAllLoaded || last + 1 < loaded)
                if target < frame + count, !isLast {
                    steps.insert(count - max(target - frame, 0), at: 0)
                    return
                }
            }
            endIfOver()
        }
    }

    /// The last frame before the set end of playback.
    private var lastShown: Int {
        let end = visibleEnd
        guard end.isNumeric else { return film.frameCount - 1 }
        var frame = film.frame(at: end)
        while frame > 0, film.time(of: frame) + Self.tolerance >= end { frame -= 1 }
        return frame
    }

    private var visibleEnd: MediaTime {
        let forward = ends.forward
        return forward.isNumeric && limit == forward ? forward : .invalid
    }

    package mutating func endIfOver() {
        guard pending == nil else { return }
        if isReverse {
            if isRunning, !hasPlayedToEnd, time <= reverseEnd { end(at: reverseEnd) }
            return
        }
        let end = forwardEnd
        if !isRunning {
            guard time > end, !hasPlayedToEnd || action != .none else { return }
            stop(at: end)
            // The frame at a set end that was passed is decoded again.
            if end != naturalEnd { returnToEnd(end, hasPlayedToEnd: hasPlayedToEnd) }
        } else if !hasPlayedToEnd, time >= end {
            self.end(at: end)
        }
    }

    private mutating func returnToEnd(_ end: MediaTime, hasPlayedToEnd: Bool) {
        restart(at: end)
        self.hasPlayedToEnd = hasPlayedToEnd
        pending = (nil, nil, end, end)
    }

    private var naturalEnd: MediaTime {
        guard isAllLoaded else { return .positiveInfinity }
        return film.hasAudio ? max(film.videoEnd, film.audioEnds[decodedAudio]) : film.videoEnd
    }
    private var forwardEnd: MediaTime {
        limit.isNumeric ? min(naturalEnd, limit) : naturalEnd
    }
    private var reverseEnd: MediaTime {
        reverseLimit.isNumeric ? max(.zero, reverseLimit) : .zero
    }

    private mutating func end(at time: MediaTime) {
        let hasBegunAtEnd = isRoundNew && (isReverse ? startTime <= time : startTime >= time)
        if isLooping, !hasBegunAtEnd { return beginRound() }
        hasPlayedToEnd = true
        endedInReverse = isReverse
        endedAtLimit = !isReverse && limit.isNumeric && self.time >= limit
        endCount += 1
        guard action != .none else { return }
        heldSince = nil
        stop(at: time)
        if staysAtEnd { endRate() }
    }

    private mutating func endRate() {
        rate = 0
        if isCurrent { playerRate = 0 }
    }

    private mutating func supersede() {
        if let number = pending?.number { results.note(number, false) }
        pending = nil
        failPrerolls()
    }

    private mutating func failPrerolls() {
        for number in prerolls { results.note(number, false) }
        prerolls = []
    }

    private mutating func restart(at time: MediaTime) {
        isReverse = false
        hasPlayedToEnd = false
        heldSince = nil
        decodedAudio = audio
        if succession != nil { rate = 0 }
        succession = nil
        setLimits(at: time)
    }

    private mutating func setLimits(at time: MediaTime) {
        let (forward, reverse) = ends
        limit = forward.isNumeric && time > forward ? time : forward
        reverseLimit = reverse.isNumeric ? min(reverse, time) : .invalid
    }

    private mutating func stop(at time: MediaTime) {
        isRunning = false
        declaredRate = nil
        isDeclared = false
        anchor(at: time, clock: clock)
    }

    private mutating func anchor(at time: MediaTime, clock: MediaTime) {
        anchorTime = time
        anchorClock = clock
    }
}
