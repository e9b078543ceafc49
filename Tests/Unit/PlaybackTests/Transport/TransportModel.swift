// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The state of an item's transport once everything is decoded: a model with times and frame
/// numbers only.
struct TransportModel {
    /// A video whose frames have one length, with a regular keyframe interval.
    struct Film {
        var frameCount: Int
        var frameDuration: MediaTime
        var keyframeInterval: Int

        var end: MediaTime { frameDuration * Int32(frameCount) }

        func time(of frame: Int) -> MediaTime { frameDuration * Int32(frame) }

        /// Returns the frame that is visible at a time.
        func frame(at time: MediaTime) -> Int {
            var index = 0
            var last = frameCount - 1
            while index < last {
                let middle = (index + last + 1) / 2
                if self.time(of: middle) <= time + TransportModel.tolerance {
                    index = middle
                } else {
                    last = middle - 1
                }
            }
            return index
        }

        func keyframe(for time: MediaTime) -> Int {
            let frame = time < .zero ? 0 : frame(at: time)
            // A demuxer has no tolerance.
            let begun = self.time(of: frame) > time && frame > 0 ? frame - 1 : frame
            return begun / keyframeInterval * keyframeInterval
        }
    }

    /// Times that are closer than this are equal.
    static let tolerance = MediaTime(value: 1, timescale: 1_000_000)
    /// The distance by which a declared start advances without a seek.
    private static let nearLimit = MediaTime(value: 1, timescale: 1)

    let film: Film
    private(set) var clock = MediaTime(value: 100, timescale: 1)
    private(set) var rate = 0.0
    private(set) var adjustment = 1.0
    private(set) var isReverse = false
    private(set) var isRunning = false
    private(set) var hasPlayedToEnd = false
    private(set) var endedInReverse = false
    private(set) var endCount = 0
    /// The results of the completed seeks and prerolls, in order of the requests.
    private(set) var seekResults: [Int: Bool] = [:]
    private(set) var prerollResults: [Int: Bool] = [:]
    private var declaredRate: Double?
    private var anchorTime = MediaTime.zero
    private var anchorClock = MediaTime.zero
    private var pending: (number: Int?, origin: MediaTime?, landing: MediaTime)?
    private var steps: [Int] = []
    private var prerolls: [Int] = []
    private var isPaused: Bool { rate == 0 }
    private var forward = MediaTime.invalid
    private var reverse = MediaTime.invalid
    private var limit = MediaTime.invalid
    private var reverseLimit = MediaTime.invalid
    private var staysAtEnd = true
    private(set) var isClosed = false

    init(film: Film) { self.film = film }

    var isSeeking: Bool { pending != nil }

    var time: MediaTime {
        guard isRunning, clock > anchorClock else { return anchorTime }
        return anchorTime + (clock - anchorClock) * timelineRate
    }

    private var timelineRate: Double { declaredRate ?? rate * adjustment }

    // MARK: Requests

    mutating func advance(by duration: MediaTime) { clock += duration }

    mutating func setRate(_ rate: Double) {
        endIfOver()
        if rate != 0 {
            steps = []
            failPrerolls()
        }
        let now = time
        let isThere = hasPlayedToEnd && (rate < 0) == endedInReverse
        self.rate = rate != 0 && isThere && staysAtEnd ? 0 : rate
        if self.rate != 0, !isThere { hasPlayedToEnd = false }
        if self.rate == 0 || (isRunning && (rate < 0) != isReverse) {
            stop(at: now)
        } else if isRunning {
            anchor(at: now, clock: max(clock, anchorClock))
            declaredRate = nil
        }
    }

    mutating func setAdjustment(_ factor: Double) {
        guard factor != adjustment else { return }
        if isRunning { anchor(at: time, clock: max(clock, anchorClock)) }
        adjustment = factor
        if isRunning { declaredRate = nil }
    }

    mutating func seek(to target: MediaTime, isTolerant: Bool, number: Int) {
        let origin = pending?.origin ?? time
        supersede()
        steps = []
        stop(at: target)
        restart(at: target)
        var landing = target
        if isTolerant {
            // At the keyframe before the target, at once.
            landing = min(target, film.time(of: film.keyframe(for: target)))
        }
        pending = (number, origin, landing)
    }

    mutating func cancelSeeks() {
        guard let origin = pending?.origin else { return }
        supersede()
        steps = []
        stop(at: origin)
        restart(at: origin)
        pending = (nil, nil, origin)
    }

    mutating func step(by count: Int) {
        guard count != 0, rate == 0, !isClosed else { return }
        if let last = steps.last, (last > 0) == (count > 0) {
            steps[steps.count - 1] += count
        } else {
            steps.append(count)
        }
    }

    mutating func preroll(_ number: Int) {
        if rate == 0, !isClosed { prerolls.append(number) } else { prerollResults[number] = false }
    }

    mutating func cancelPrerolls() { failPrerolls() }

    mutating func setEndAction(stays: Bool) {
        staysAtEnd = stays
        guard stays, hasPlayedToEnd, isRunning else { return }
        rate = 0
        stop(at: endedInReverse ? reverseEnd : forwardEnd)
    }

    mutating func setEnds(forward: MediaTime?, reverse: MediaTime?) {
        let playhead = time
        self.forward = forward ?? self.forward
        self.reverse = reverse ?? self.reverse
        setLimits(at: playhead)
        if hasPlayedToEnd, !isRunning {
            hasPlayedToEnd = endedInReverse ? playhead <= reverseEnd : playhead >= forwardEnd
        }
    }

    /// Sets the item time to `time` when the clock reads `clockTime`; it advances from then on.
    mutating func declare(rate: Double, time: MediaTime?, atClock clockTime: MediaTime) {
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
        self.rate = rate
        declaredRate = rate
        isRunning = true
        anchor(at: start, clock: clockTime)
    }

    mutating func close() {
        supersede()
        failPrerolls()
        steps = []
        isClosed = true
    }

    // MARK: Consequences

    /// Everything possible is decoded.
    mutating func settle() {
        guard !isClosed else { return }
        if let landed = pending {
            pending = nil
            if let number = landed.number { seekResults[number] = true }
            if landed.landing != time {
                setLimits(at: landed.landing)
                stop(at: landed.landing)
            }
        }
        endIfOver()
        takeSteps()
        endIfOver()
        for number in prerolls { prerollResults[number] = true }
        prerolls = []
        guard rate != 0, !isRunning, !(hasPlayedToEnd && staysAtEnd) else { return }
        if isReverse != (rate < 0) {
            restart(at: time)
            isReverse = rate < 0
            endIfOver()
        }
        isRunning = true
        declaredRate = nil
        anchor(at: anchorTime, clock: clock)
        endIfOver()
    }

    private mutating func takeSteps() {
        for count in steps {
            if isReverse, count > 0 { restart(at: time) }
            let frame = min(film.frame(at: time), lastShown)
            if count < 0 {
                let target = film.time(of: max(frame + count, 0))
                restart(at: film.time(of: frame))
                setLimits(at: target)
                stop(at: target)
            } else {
                let target = min(frame + count, lastShown)
                if target > frame {
                    setLimits(at: film.time(of: target))
                    stop(at: film.time(of: target))
                }
            }
            endIfOver()
        }
        steps = []
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
        forward.isNumeric && limit == forward ? forward : .invalid
    }

    private mutating func endIfOver() {
        guard pending == nil else { return }
        if isReverse {
            if isRunning, !hasPlayedToEnd, time <= reverseEnd { end(at: reverseEnd) }
            return
        }
        let end = forwardEnd
        if !isRunning {
            if time > end, !hasPlayedToEnd || staysAtEnd { stop(at: end) }
        } else if !hasPlayedToEnd, time >= end {
            self.end(at: end)
        }
    }

    private var forwardEnd: MediaTime { limit.isNumeric ? min(film.end, limit) : film.end }
    private var reverseEnd: MediaTime {
        reverseLimit.isNumeric ? max(.zero, reverseLimit) : .zero
    }

    private mutating func end(at time: MediaTime) {
        hasPlayedToEnd = true
        endedInReverse = isReverse
        endCount += 1
        guard staysAtEnd else { return }
        rate = 0
        stop(at: time)
    }

    private mutating func supersede() {
        if let number = pending?.number { seekResults[number] = false }
        pending = nil
        failPrerolls()
    }

    private mutating func failPrerolls() {
        for number in prerolls { prerollResults[number] = false }
        prerolls = []
    }

    private mutating func restart(at time: MediaTime) {
        isReverse = false
        hasPlayedToEnd = false
        setLimits(at: time)
    }

    private mutating func setLimits(at time: MediaTime) {
        limit = forward.isNumeric && time > forward ? time : forward
        reverseLimit = reverse.isNumeric ? min(reverse, time) : .invalid
    }

    private mutating func stop(at time: MediaTime) {
        isRunning = false
        declaredRate = nil
        anchor(at: time, clock: clock)
    }

    private mutating func anchor(at time: MediaTime, clock: MediaTime) {
        anchorTime = time
        anchorClock = clock
    }
}
