// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The requests of clients, and the clock.
extension PlaybackModel {
    /// The maximum distance that a declared start advances without a seek.
    private static let nearLimit = MediaTime(value: 1, timescale: 1)

    mutating func setRate(_ rate: Double) {
        if rate != 0 { steps = [] }
        let isRefused = rate != 0 && hasPlayedToEnd && (rate < 0) == endedInReverse
        let rate = isRefused ? 0 : rate
        if rate != 0 { hasPlayedToEnd = false }
        if rate == 0 { heldSince = nil }
        guard rate != self.rate else { return settle() }
        recordDrawnAhead()
        // Audio goes over to another rate where that is not heard.
        device.disturb(blocks: 10)
        if isRunning, rate != 0, (rate < 0) != isReverse { stop(at: time) }
        if isRunning { anchor(at: time, clock: max(clock, anchorClock)) }
        self.rate = rate
        if rate == 0 { stop(at: time) }
        settle()
    }

    /// Begins a seek, which lands when it can. The caller settles.
    mutating func seek(
        to target: MediaTime, toleranceBefore: MediaTime = .zero, toleranceAfter: MediaTime = .zero,
        number: Int? = nil
    ) {
        let target = max(target, .zero)
        let origin = pending?.origin ?? time
        loop.isNew = false
        begin(to: target)
        first = film.keyframe(
            for: target, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter)
        let landing = film.landing(target, toleranceBefore: toleranceBefore, decodedFrom: first)
        pending = Seek(
            number: number, origin: origin, landing: landing,
            needed: neededFrame(target: target, landing: landing))
    }

    /// Returns to the position before the pending seeks. The caller settles.
    mutating func cancelSeeks() {
        guard let origin = pending?.origin else { return }
        begin(to: origin)
    }

    mutating func step(by count: Int) {
        guard count != 0, rate == 0 else { return }
        if let last = steps.last, (last > 0) == (count > 0) {
            steps[steps.count - 1] += count
        } else {
            steps.append(count)
        }
        settle()
    }

    /// Sets the item time to `time` when the clock reads `clockTime`; it advances from then on.
    mutating func declare(rate: Double, time: MediaTime?, atClock clockTime: MediaTime) {
        steps = []
        let isPending = pending != nil
        let time = time ?? self.time
        let position = clock > clockTime ? time + (clock - clockTime) * rate : time
        let distance = rate > 0 ? position - self.time : self.time - position
        let isNear = distance >= .zero && distance <= Self.nearLimit
        if isPending || hasPlayedToEnd || !isNear || isReverse != (rate < 0) {
            supersede()
            turn(to: rate, at: position, isDeclared: true)
        }
        hasPlayedToEnd = false
        loop.isNew = false
        heldSince = nil
        if rate != self.rate { device.disturb(blocks: 10) }
        self.rate = rate
        run(from: time, atClock: clockTime)
        isDeclared = true
        isCatchingUp = true
        settle()
    }

    /// Repeats a range that begins before the end of the item.
    mutating func setLoop(from start: MediaTime, to end: MediaTime, count: Int) {
        loop = Loop(start: start, end: end, left: max(count, -1), total: loop.total)
        setLimits(at: time)
        if hasPlayedToEnd {
            let end = endedAtLimit ? limit : forwardEnd
            hasPlayedToEnd =
                endedInReverse ? time <= reverseEnd : end.isNumeric && time >= end
            if tracks.hasUndecodedSound { switchSound() }
        }
        settle()
    }

    // MARK: The clock

    mutating func advance(to target: MediaTime) {
        device.renderDueBlocks(self)
        while clock < target {
            clock = min(target, clock + ModelDevice.blockDuration)
            settle()
            device.renderDueBlocks(self)
        }
    }

    /// The next time of the clock at which something happens by itself; nil if nothing does.
    var nextEvent: MediaTime? {
        guard pending == nil else { return nil }
        var events: [MediaTime] = []
        if isRunning {
            events.append(contentsOf: moment(of: isReverse ? reverseEnd : forwardEnd))
            // The times at which audio ends are rounded to nanoseconds.
            if !isReverse, heldSince == nil {
                events += moment(of: dryTime).map { $0 + Self.slack }
            }
        }
        if let heldSince, !isStalled { events.append(heldSince + Self.grace + Self.slack) }
        return events.filter { $0 > clock }.min().map(Self.roundedUp)
    }

    private static let slack = MediaTime(value: 20, timescale: 1_000_000_000)

    /// Returns the time of the clock at which the timeline reaches an item time.
    func moment(of time: MediaTime) -> [MediaTime] {
        guard time.isNumeric, !hasPlayedToEnd else { return [] }
        let moment = anchorClock + (time - anchorTime) * (1 / rate)
        guard moment >= anchorClock else { return [] }
        let clock = Self.roundedUp(moment)
        // Rounding may have made it too early.
        let reached = self.time(atClock: clock)
        let isShort = isReverse ? reached > time : reached < time
        return [isShort ? clock + MediaTime(nanoseconds: 1) : clock]
    }

    /// Returns the time at which a clock in nanoseconds has reached a time.
    static func roundedUp(_ time: MediaTime) -> MediaTime {
        time.converted(toTimescale: 1_000_000_000, method: .roundTowardPositiveInfinity)
    }

    // MARK: The network

    /// Lets more packets arrive: those that have to be decoded before a time.
    mutating func arrive(before time: MediaTime) {
        arrived = time
        settle()
    }
}
