// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The semantics of playback, without threads, queues or decoders: every operation is immediate.
///
/// The engine must return the same results once it has decoded the necessary frames. The model
/// knows nothing of the engine but times.
struct PlaybackModel {
    enum Status {
        case paused, waiting, playing
    }

    /// A frame that an output can return. Decoding a frame again creates another object.
    struct Picture: Equatable {
        var generation: Int
        var frame: Int
    }

    /// A seek that has not landed.
    struct Seek {
        /// Its number, if a client waits for it.
        var number: Int?
        /// The time to which a cancellation returns; nil if no client has requested the seek.
        var origin: MediaTime?
        var landing: MediaTime
        /// The frame that has to arrive for it; nil for the end of the media.
        var needed: Int?
    }

    /// A range that repeats.
    struct Loop {
        var start = MediaTime.zero
        /// The end; `invalid` for the end of the item.
        var end = MediaTime.invalid
        /// The number of repetitions left; −1 for an endless loop.
        var left = 0
        var total = 0
        /// A Boolean value that indicates whether a repetition has begun, and no other seek since.
        var isNew = false
    }

    let film: ModelFilm

    var clock: MediaTime
    var rate = 0.0
    var isReverse = false
    var hasPlayedToEnd = false
    var endedInReverse = false
    /// A Boolean value that indicates whether playback ended at the end of a loop's range.
    var endedAtLimit = false
    var endCount = 0
    var isRunning = false
    /// A Boolean value that indicates whether the timeline runs by declaration, even without media.
    var isDeclared = false
    /// The last frame that each output returned.
    var taken: [Int: Picture?] = [:]
    /// For each output, the item time of the last requested host time, and the last frame returned
    /// for such a request.
    var vsyncTimes: [Int: MediaTime] = [:]
    var drawn: [Int: Picture] = [:]

    // The timeline reads `anchorTime` until the clock reads `anchorClock`, and then continues at
    // `rate`.
    var anchorTime = MediaTime.zero
    var anchorClock: MediaTime
    /// The item time at which the timeline started last.
    var startTime = MediaTime.zero
    /// The frame from which the video is decoded, and the number of restarts.
    var first = 0
    var generation = 0
    /// The frame from before the pending seeks.
    var held: Picture?
    var pending: Seek?
    /// The results of the seeks that have completed, by number.
    var results: [Int: Bool] = [:]
    var steps: [Int] = []
    /// The time at which the timeline was stopped or slowed down, and the lead up to which frames
    /// may have been drawn.
    var drawnAhead = (time: MediaTime.invalid, lead: MediaTime.zero)

    // The range of the loop, and the ends that apply to the present position.
    var loop = Loop()
    var limit = MediaTime.invalid
    var visibleEnd = MediaTime.invalid
    var reverseLimit = MediaTime.invalid

    // The network.
    /// The time before which all packets have arrived; infinity once the rest has arrived too.
    var arrived = MediaTime.positiveInfinity
    /// The time of the clock since when the timeline holds because media is missing, and whether
    /// that is a stall.
    var heldSince: MediaTime?
    var isStalled = false
    var stallCount = 0
    /// A Boolean value that indicates whether a declared timeline has had nothing to play yet.
    var isCatchingUp = false

    /// The tracks in addition to the first video track.
    var tracks: ModelTracks
    var device = ModelDevice()

    init(film: ModelFilm, clock: MediaTime) {
        self.film = film
        self.clock = clock
        anchorClock = clock
        tracks = ModelTracks(film)
    }

    // MARK: Queries

    var status: Status {
        if rate == 0 { return .paused }
        return isRunning || (heldSince != nil && !isStalled) ? .playing : .waiting
    }

    var time: MediaTime { time(atClock: clock) }

    func time(atClock clock: MediaTime) -> MediaTime {
        guard isRunning, clock > anchorClock else { return anchorTime }
        return anchorTime + (clock - anchorClock) * rate
    }

    var isSeeking: Bool { pending != nil || !steps.isEmpty }
    var hasArrived: Bool { arrived.isPositiveInfinity }

    /// The number of frames of the first video track that have arrived.
    var loaded: Int { film.video.count(before: arrived) }

    /// The frames that are available since the last restart.
    private var frames: [Int] {
        let loaded = loaded
        return film.decodable.filter { $0 >= first && $0 < loaded }
    }

    /// Returns the frame for an item time.
    func picture(at time: MediaTime) -> Picture? {
        if pending != nil { return held }
        // In reverse, frames that the playhead has passed are no longer available.
        let time = isReverse ? min(time, self.time) : time
        return film.video.frame(at: time, among: frames, before: visibleEnd).map {
            Picture(generation: generation, frame: $0)
        }
    }

    /// Returns the frame that an output returns for an item time.
    func picture(at time: MediaTime, by output: Int) -> Picture? {
        guard var picture = picture(at: time) else { return nil }
        let time = isReverse ? min(time, self.time) : time
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
        return film.video.time(of: seen)
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
    func seenFrame(at time: MediaTime, by viewer: Picture?) -> Int? {
        guard pending == nil, drawnAhead.time.isNumeric, let visible = picture(at: time)?.frame
        else {
            return nil
        }
        let ahead = isReverse ? drawnAhead.time - time : time - drawnAhead.time
        guard ahead >= .zero, ahead <= drawnAhead.lead else { return nil }
        let pictures = ahead == .zero ? Array(drawn.values) : [viewer].compactMap(\.self)
        let frames = pictures.filter { $0.generation == generation }.map(\.frame).filter { frame in
            let edge = film.video.time(of: isReverse ? film.frame(frame, steppedBy: 1) : frame)
            return frame == visible
                || (frame > visible) == !isReverse
                    && (edge - drawnAhead.time).magnitude <= drawnAhead.lead
        }
        return isReverse ? frames.min() : frames.max()
    }

    /// Returns whether a frame may be visible during consecutive seeks to `targets`: the frame
    /// visible before, any frame that is closer to one of the targets, and the target of a seek
    /// that finishes before the next one supersedes it.
    func maySee(_ frame: Int, before: Int?, whileSeekingTo targets: [MediaTime]) -> Bool {
        guard let before else { return true }
        var seen: Set = [before]
        for target in targets {
            func distance(_ frame: Int) -> MediaTime {
                (film.video.time(of: frame) - target).magnitude
            }
            let farthest = seen.map(distance).max() ?? .zero
            seen.formUnion(film.decodable.filter { distance($0) < farthest })
            if let landed = film.frame(ofSeekTo: target) {
                seen.insert(landed)
            }
        }
        return seen.contains(frame)
    }

    // MARK: Outputs

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
}
