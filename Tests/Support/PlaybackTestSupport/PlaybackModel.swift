// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadPlayback
import PlayheadTime

/// The semantics of playback, without threads, queues or decoders: every operation is immediate.
///
/// The engine must return the same results once it has decoded the necessary frames.
struct PlaybackModel {
    /// A frame that an output can return. Decoding a frame again creates another object.
    struct Picture: Equatable {
        var generation: Int
        var frame: Int
    }

    let film: ModelFilm
    /// The delay until a timeline with audio starts to move.
    let startDelay: MediaTime

    private(set) var clock: MediaTime
    private(set) var rate = 0.0
    private(set) var direction = PlaybackDirection.forward
    private(set) var hasPlayedToEnd = false
    private var endedInReverse = false
    private(set) var endCount = 0
    /// The last frame that each output returned.
    private(set) var taken: [Int: Picture?] = [:]
    /// For each output, the item time of the last requested host time, and the last frame returned
    /// for such a request.
    private var vsyncTimes: [Int: MediaTime] = [:]
    private var drawn: [Int: Picture] = [:]

    // The timeline reads `anchorTime` until the clock reads `anchorClock`, and then continues at
    // `rate`.
    private var anchorTime = MediaTime.zero
    private var anchorClock: MediaTime
    private var isRunning = false
    /// The frame from which the video is decoded, and the number of restarts.
    private var first = 0
    private var generation = 0
    /// The frame from before the pending seeks, and the target of the last one.
    private var held: Picture?
    private var landing: MediaTime?
    /// The time at which the timeline was stopped or slowed down, and the lead up to which frames
    /// may have been drawn.
    private var drawnAhead = (time: MediaTime.invalid, lead: MediaTime.zero)

    init(film: ModelFilm, startDelay: MediaTime, clock: MediaTime) {
        self.film = film
        self.startDelay = startDelay
        self.clock = clock
        anchorClock = clock
    }

    // MARK: Queries

    var status: Player.TimeControlStatus {
        if rate == 0 { return .paused }
        return isRunning ? .playing : .waitingToPlayAtSpecifiedRate
    }

    var time: MediaTime { time(atClock: clock) }

    func time(atClock clock: MediaTime) -> MediaTime {
        guard isRunning, clock > anchorClock else { return anchorTime }
        return anchorTime + (clock - anchorClock) * rate
    }

    /// Returns the frame for an item time.
    func picture(at time: MediaTime) -> Picture? {
        if landing != nil { return held }
        // In reverse, frames that the playhead has passed are no longer available.
        let time = direction == .reverse ? min(time, self.time) : time
        return film.frame(at: time, decodedFrom: first).map {
            Picture(generation: generation, frame: $0)
        }
    }

    /// Returns the frame that an output returns for an item time.
    private func picture(at time: MediaTime, by output: Int) -> Picture? {
        guard var picture = picture(at: time) else { return nil }
        let time = direction == .reverse ? min(time, self.time) : time
        if let seen = seenFrame(at: time, by: drawn[output]) { picture.frame = seen }
        return picture
    }

    func hasNew(_ output: Int, at time: MediaTime) -> Bool {
        guard let taken = taken[output], let picture = picture(at: time, by: output) else {
            return false
        }
        return picture != taken
    }

    /// The time from which steps are counted.
    var seenTime: MediaTime {
        guard let visible = picture(at: time)?.frame, let seen = seenFrame(at: time, by: nil),
            seen != visible
        else { return time }
        return film.times.time(of: seen)
    }

    /// The frame that is visible if the timeline is stopped now.
    var seenFrame: Int? {
        var stopped = self
        stopped.recordDrawnAhead()
        return stopped.picture(at: stopped.seenTime)?.frame
    }

    /// Returns the latest frame that was drawn, from the visible one up to the lead of displays at
    /// a stop or slowdown: by any output if the timeline is stopped, and by the requesting one if
    /// it has continued.
    private func seenFrame(at time: MediaTime, by viewer: Picture?) -> Int? {
        guard landing == nil, drawnAhead.time.isNumeric, let visible = picture(at: time)?.frame
        else {
            return nil
        }
        let isForward = direction == .forward
        let ahead = isForward ? time - drawnAhead.time : drawnAhead.time - time
        guard ahead >= .zero, ahead <= drawnAhead.lead else { return nil }
        let pictures = ahead == .zero ? Array(drawn.values) : [viewer].compactMap(\.self)
        let frames = pictures.filter { $0.generation == generation }.map(\.frame).filter { frame in
            let edge = film.times.time(of: isForward ? frame : film.frame(frame, steppedBy: 1))
            return frame == visible
                || (frame > visible) == isForward
                    && (edge - drawnAhead.time).magnitude <= drawnAhead.lead
        }
        return isForward ? frames.max() : frames.min()
    }

    // MARK: Operations

    mutating func take(_ output: Int, at time: MediaTime) -> Picture? {
        guard taken[output] != nil, let picture = picture(at: time, by: output) else { return nil }
        taken[output] = .some(picture)
        if time == vsyncTimes[output] { drawn[output] = picture }
        return picture
    }

    /// Records the item time that an output has returned for a host time.
    mutating func note(vsyncTime: MediaTime, of output: Int) { vsyncTimes[output] = vsyncTime }

    mutating func add(_ output: Int) {
        if taken[output] == nil { taken[output] = .some(nil) }
    }

    mutating func remove(_ output: Int) { (taken[output], drawn[output]) = (nil, nil) }

    mutating func advance(by duration: MediaTime) {
        clock += duration
        settle()
    }

    mutating func setRate(_ rate: Double) {
        let wanted = PlaybackDirection(rate: rate)
        let rate = hasPlayedToEnd && (wanted == .reverse) == endedInReverse ? 0 : rate
        guard rate != self.rate else { return }
        if rate != 0 { hasPlayedToEnd = false }
        recordDrawnAhead()
        if isRunning, rate != 0, wanted != direction { stop(at: time) }
        if isRunning { anchor(at: time, clock: max(clock, anchorClock)) }
        self.rate = rate
        if rate == 0 { stop(at: time) }
        settle()
    }

    /// Starts a seek; `land` completes the last one.
    mutating func seek(
        to target: MediaTime, toleranceBefore: MediaTime = .zero, toleranceAfter: MediaTime = .zero
    ) {
        let target = max(target, .zero)
        restart(at: target)
        first = film.keyframe(
            for: target, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter)
        landing = film.landing(target, toleranceBefore: toleranceBefore, decodedFrom: first)
        stop(at: target)
    }

    /// Returns whether a frame may be visible during consecutive seeks to `targets`: the frame
    /// visible before, any frame that is closer to one of the targets, and the target of a seek
    /// that finishes before the next one supersedes it.
    func maySee(_ frame: Int, before: Int?, whileSeekingTo targets: [MediaTime]) -> Bool {
        guard let before else { return true }
        var seen: Set = [before]
        for target in targets {
            func distance(_ frame: Int) -> MediaTime {
                (film.times.time(of: frame) - target).magnitude
            }
            let farthest = seen.map(distance).max() ?? .zero
            seen.formUnion(film.decodable.filter { distance($0) < farthest })
            if let landed = film.frame(ofSeekTo: target) {
                seen.insert(landed)
            }
        }
        return seen.contains(frame)
    }

    mutating func land() {
        if let landing { anchorTime = landing }
        landing = nil
        held = nil
        settle()
    }

    mutating func step(by count: Int) {
        guard rate == 0 else { return }
        let seen = seenTime
        if direction == .reverse, count > 0 {
            restart(at: seen)
            stop(at: seen)
            settle()
        }
        guard let frame = film.frame(at: seen, decodedFrom: first) else { return }
        let target = film.frame(frame, steppedBy: count)
        if count < 0 {
            restart(at: .zero)
        } else if target == frame {
            return
        }
        stop(at: film.times.time(of: target))
        settle()
    }

    /// Sets the item time to `time` when the clock reads `clockTime`; it advances from then on.
    mutating func declare(rate: Double, time: MediaTime?, atClock clockTime: MediaTime) {
        let time = time ?? self.time
        let position = clock > clockTime ? time + (clock - clockTime) * rate : time
        let distance = rate > 0 ? position - self.time : self.time - position
        let isNear = distance >= .zero && distance <= MediaTime(value: 1, timescale: 1)
        if hasPlayedToEnd || !isNear || direction != PlaybackDirection(rate: rate) {
            turn(to: rate, at: position, isDeclared: true)
        }
        self.rate = rate
        isRunning = true
        anchorTime = time
        anchorClock = clockTime
        settle()
    }

    // MARK: Consequences

    private mutating func settle() {
        guard landing == nil else { return }
        if !isRunning, direction == .forward, time > film.end { stop(at: film.end) }
        if rate != 0, !isRunning {
            if direction != PlaybackDirection(rate: rate) { turn(to: rate, at: time) }
            isRunning = true
            anchorClock = clock + startDelay
        }
        if direction == .reverse {
            if isRunning, time <= .zero { end(at: .zero) }
            return
        }
        guard time > film.end || (isRunning && time >= film.end) else { return }
        if isRunning { end(at: film.end) } else { stop(at: film.end) }
    }

    private mutating func end(at time: MediaTime) {
        recordDrawnAhead()
        hasPlayedToEnd = true
        endedInReverse = direction == .reverse
        endCount += 1
        rate = 0
        stop(at: time)
    }

    private mutating func turn(to rate: Double, at time: MediaTime, isDeclared: Bool = false) {
        restart(at: time)
        // The timeline continues meanwhile: there is no time to decode more.
        if isDeclared { first = film.keyframe(for: time) }
        guard rate < 0 else { return }
        direction = .reverse
        first = 0
    }

    private mutating func restart(at time: MediaTime) {
        recordDrawnAhead()
        if landing == nil { held = picture(at: seenTime) }
        generation += 1
        drawnAhead.time = .invalid
        first = film.keyframe(ofSeekTo: time)
        direction = .forward
        hasPlayedToEnd = false
    }

    /// Records that the timeline is about to be stopped or slowed down.
    private mutating func recordDrawnAhead() {
        guard isRunning else { return }
        drawnAhead = (time, MediaTime(value: 1, timescale: 10) * max(1, rate.magnitude))
    }

    private mutating func anchor(at time: MediaTime, clock: MediaTime) {
        anchorTime = time
        anchorClock = clock
    }

    private mutating func stop(at time: MediaTime) {
        isRunning = false
        anchor(at: time, clock: clock)
    }
}
