// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime
import TransportTestSupport

@testable import PlayheadPlayback

/// The environment of a transport in one thread: a timeline, queues, a demuxer and decoders that do
/// one thing at a time, on request.
struct TransportWorld {
    let film: TransportModel.Film
    private(set) var transport = Transport()
    private(set) var clock = MediaTime(value: 100, timescale: 1)
    /// Faults that are detected without a model.
    private(set) var faults: [String] = []

    // The timeline.
    private(set) var anchorTime = MediaTime.zero
    private var anchorClock = MediaTime.zero
    private(set) var rate = 0.0
    private(set) var playerRate = 0.0
    private var alarms: [TransportAlarm: MediaTime] = [:]

    // The queues.
    private(set) var packetGeneration = 0
    private(set) var frameGeneration = 0
    private(set) var isReverse = false
    private(set) var entries: [Int] = []
    private(set) var hasEnded = false
    private var visibleEnd = MediaTime.invalid

    // The threads.
    private(set) var decoderGeneration = 0
    private(set) var position = 0
    private var needsFlush = false
    private var isRedirected = false
    private var reaching: Seek?
    private var candidates: [Int] = []
    private var recent: [Int] = []
    private var hasSentEnd = false
    private var reversalGeneration = -1
    private var reversePosition = -1

    // Audio.
    private static let ringDuration = MediaTime(value: 1, timescale: 2)
    private static let audioStep = MediaTime(value: 1, timescale: 10)
    private(set) var audioGeneration = 0
    private(set) var audioTrack = 0
    private(set) var audioStart = MediaTime.zero
    private(set) var audioReached = MediaTime.zero
    private var hasAudioEnded = false
    private var audioTracks: [AssetTrack] = []

    // Video tracks beside the first one.
    private(set) var further: [FurtherVideo] = []

    // The network.
    private(set) var loaded: Int
    private(set) var restingSince = MediaTime.invalid
    private(set) var isVideoDry = false
    private(set) var isAudioDry = false
    private(set) var holdStart: MediaTime?
    private var holdAlarm: MediaTime?
    private let otherClock = ManualClock()

    init(film: TransportModel.Film, isCurrent: Bool) {
        self.film = film
        loaded = film.frameCount
        var description = AssetDescription(
            container: "film", duration: max(film.videoEnd, film.audioEnds.max() ?? .zero))
        let track = AssetTrack(
            id: 1, mediaType: .video, formatDescription: FormatDescription(codec: "film"),
            frameDuration: film.frameDuration)
        audioTracks = film.audioEnds.indices.map {
            AssetTrack(
                id: 2 + $0, mediaType: .audio, formatDescription: FormatDescription(codec: "film"))
        }
        further = film.furtherVideoCounts.enumerated().map { index, count in
            let track = AssetTrack(
                id: 10 + index, mediaType: .video,
                formatDescription: FormatDescription(codec: "film"))
            return FurtherVideo(track: track, count: count)
        }
        description.tracks = [track] + audioTracks + further.map(\.track)
        post(.begin(waitsToMinimizeStalling: false, endAction: .pause))
        if isCurrent { post(.becomeCurrent(keepingStart: false)) }
        post(.opened(hasTransfer: film.isRemote, limits: MediaLimits()))
        post(
            .ready(
                description, video: track, audio: audioTracks.first,
                choosableAudio: Set(audioTracks.map(\.id))))
        post(.look)
    }

    var time: MediaTime {
        guard rate != 0, clock > anchorClock else { return anchorTime }
        return anchorTime + (clock - anchorClock) * rate
    }

    mutating func advance(by duration: MediaTime) {
        let before = time
        clock += duration
        let now = time
        for (alarm, due) in alarms where due.isNumeric && rate != 0 {
            if rate > 0 ? due > before && due <= now : due < before && due >= now {
                post(alarm == .end ? .endAlarm : .dryAlarm)
            }
        }
    }

    // MARK: - The network

    /// The number of frames that must have arrived by now; nil if everything has been read.
    var decoded: Int? {
        if hasSentEnd || (film.hasAudio && hasAudioEnded) { return nil }
        return max(position, film.hasAudio ? film.frame(at: audioReached) + 1 : 0)
    }

    mutating func rest(after frames: Int) {
        loaded = frames
        restingSince = clock
    }

    mutating func goOn() { arrive(upTo: film.frameCount) }

    /// Lets the frames before a number arrive, and rests after them.
    mutating func arrive(upTo frames: Int) {
        loaded = frames
        restingSince = isResting ? clock : .invalid
        (isVideoDry, isAudioDry) = (false, false)
        for index in further.indices { further[index].isDry = false }
        post(.packetsAdvanced)
        post(.look)
    }

    /// Records that a decoder waits for packets; returns whether that is new.
    private mutating func runDry(_ isDry: WritableKeyPath<Self, Bool>) -> Bool {
        if self[keyPath: isDry] { return false }
        self[keyPath: isDry] = true
        post(.look)
        return true
    }

    var isResting: Bool { loaded < film.frameCount }
    var loadedEnd: MediaTime { film.time(of: loaded) }

    // MARK: - The queue of items

    /// - Parameter itemTime: The time of the item at the start; if it is not numeric, the playhead.
    mutating func follow(
        _ start: MediaTime?, rate: Double, remaining: MediaTime, itemTime: MediaTime = .invalid
    ) {
        let succession = start.map {
            Succession(clock: otherClock, time: $0, rate: rate, itemTime: itemTime)
        }
        post(.follow(succession, start: start ?? .invalid, remaining: remaining))
    }

    /// Chooses an audio track to be played alone; nil for silence.
    mutating func chooseAudio(_ track: Int?) {
        post(.chooseAudio(track.map { audioTracks[$0].id }))
    }

    /// Enables or disables a video track; 0 is the first one.
    mutating func setVideo(_ number: Int, isEnabled: Bool) {
        let first = transport.tracks.video
        guard let track = number == 0 ? first : further[number - 1].track else { return }
        post(.setVideoEnabled(isEnabled, track: track))
    }

    // MARK: - Events and actions

    mutating func seek(
        to target: MediaTime, isTolerant: Bool, isLeaving: Bool = false, number: Int,
        _ log: TransportLog
    ) {
        var seek = Seek(target: target)
        if isTolerant { seek.toleranceBefore = .positiveInfinity }
        seek.completion = { log.note(number, $0) }
        post(.seek(seek, isLeaving: isLeaving))
    }

    mutating func post(_ event: TransportEvent) {
        var after: [TransportAction] = []
        handle(event, &after)
        for action in after {
            if case .complete(let completion, let result) = action { completion(result) }
        }
        check()
    }

    private mutating func handle(_ event: TransportEvent, _ after: inout [TransportAction]) {
        let now = TransportInstant(
            time: time, rate: rate, masterTime: clock, hostNanoseconds: clock.nanoseconds ?? 0)
        let sought = transport.seek.isPutOff ? nil : transport.seek.requested?.generation
        defer { checkLanding(of: sought) }
        for action in transport.handle(event, at: now, seeing: self) {
            if !action.needsLock {
                after.append(action)
            } else if let next = perform(action) {
                handle(next, &after)
            }
        }
    }

    private mutating func perform(_ action: TransportAction) -> TransportEvent? {
        switch action {
        case .moveTimeline(let time): anchor(at: time, clock: clock, rate: 0)
        case .startTimeline(let rate, let time, let start):
            anchor(at: time, clock: start, rate: rate)
            checkAudioAtStart()
            checkPicturesAtStart()
        case .stopTimeline: anchor(at: time, clock: clock, rate: 0)
        case .changeRate(let rate, let start):
            anchor(at: time, clock: start ?? clock, rate: rate)
        case .restartFrames(let generation, _, let byteLimit):
            frameGeneration = generation
            isReverse = byteLimit != nil
            entries = []
            hasEnded = false
        case .restartPackets(let generation):
            packetGeneration = generation
            needsFlush = true
            (isVideoDry, isAudioDry) = (false, false)
        case .redirect(let generation, let target, _, _):
            guard !needsFlush, film.keyframe(for: target) <= position,
                !further.contains(where: \.isAdded)
            else {
                return .redirected(false)
            }
            packetGeneration = generation
            isRedirected = true
            return .redirected(true)
        case .setFurtherVideo(let track, let isEnabled):
            guard let index = further.firstIndex(where: { $0.track.id == track.id }) else { break }
            further[index].isEnabled = isEnabled
            if isEnabled, !further[index].isAdded { further[index].isRequested = true }
        case .setVisibleEnd(let end): visibleEnd = end
        case .watchHold(let from):
            // It counts from the moment at which the timeline was there.
            let start = rate != 0 ? anchorClock + (from - anchorTime) * (1 / rate) : clock
            holdStart = start
            holdAlarm = start + BufferingState.grace
        case .setPlayerRate(let rate): playerRate = rate
        case .setAlarm(let alarm, let time): alarms[alarm] = time
        case .look: return .look
        case .lookAtStart: return .started
        default: break
        }
        return nil
    }

    /// Adds a fault.
    mutating func report(_ fault: String) { faults.append(fault) }

    private mutating func anchor(at time: MediaTime, clock: MediaTime, rate: Double) {
        (anchorTime, anchorClock, self.rate) = (time, clock, rate)
    }

    // MARK: - Threads

    /// Makes the threads work until none has anything to do.
    mutating func settle() {
        var thread = 0
        while work(thread % 5) { thread += 1 }
    }

    /// Reports something about a superseded generation, as a thread does that has not noticed its
    /// end yet. It must have no effect.
    mutating func reportLate(_ kind: Int, at time: MediaTime) {
        let generation = transport.seek.generation - 1
        switch kind {
        case 0: post(.videoAdvanced(to: time, generation: generation))
        case 1: post(.videoEnded(at: time, generation: generation))
        case 2: post(.audioEnded(at: time, generation: generation))
        case 3: post(.videoReaches(time, generation: generation))
        case 4: post(.shown(generation: generation))
        case 5: post(.land(at: time, generation: generation))
        case 6: post(.endStepsBack(generation: generation))
        case 7: post(.approximate(until: time, generation: generation))
        case 8: post(.repeatSeek(.fartherBack, generation: generation))
        case 9: post(.repeatJump(generation: generation))
        case 10: post(.readAgain(generation: generation))
        case 11: post(.furtherVideoEnded(track: 10, at: time, generation: generation))
        case 12: post(.furtherVideoAdvanced(generation: generation))
        default:
            let error = MediaError(.damaged, subject: "film", cause: "reading ended early")
            post(.readingFailed(error, generation: generation))
        }
    }

    /// Makes one of the threads do its next piece of work; returns false if it has none.
    mutating func work(_ thread: Int) -> Bool {
        if let due = holdAlarm, clock >= due {
            holdAlarm = nil
            post(.look)
            return true
        }
        for offset in 0..<5 {
            switch (thread + offset) % 5 {
            case 0: if demux() { return true }
            case 1: if decode() { return true }
            case 2: if decodeAudio() { return true }
            case 3: if decodeFurther() { return true }
            default: if decodeBackwards() { return true }
            }
        }
        return false
    }

    private mutating func demux() -> Bool {
        let seek = transport.seek
        if transport.tracks.isAlive, seek.direction == .forward,
            let index = further.firstIndex(where: \.isRequested)
        {
            further[index].isRequested = false
            if further[index].count > 0 {
                further[index].isAdded = true
            } else {
                further[index].isEnabled = false
                post(.furtherVideoFailed(track: further[index].track.id))
            }
            post(.look)
            return true
        }
        guard transport.tracks.isAlive, seek.direction == .forward, seek.demuxerMustMove,
            let move = seek.performed
        else { return false }
        post(.demuxerHasBegun(generation: move.generation))
        return true
    }

    private mutating func decode() -> Bool {
        guard transport.tracks.isAlive, !isReverse else { return false }
        if decoderGeneration != packetGeneration {
            guard !transport.seek.demuxerMustMove else { return false }
            takeUp()
            return true
        }
        discard()
        guard entries.count < TransportModel.frameLimit, !hasSentEnd else { return false }
        guard position < loaded else {
            if isResting { return runDry(\.isVideoDry) }
            endStream()
            return true
        }
        let frame = position
        position += 1
        recent.append(frame)
        if recent.count > 10 { recent.removeFirst() }
        post(.videoReaches(recent.first.map(film.time), generation: decoderGeneration))
        consider(frame)
        return true
    }

    /// Starts with a generation, after a flush or a redirection.
    private mutating func takeUp() {
        let move = transport.seek.performed
        decoderGeneration = packetGeneration
        reaching = move?.generation == decoderGeneration ? move : nil
        candidates = []
        hasSentEnd = false
        if needsFlush {
            position = film.keyframe(for: reaching?.demuxerTarget ?? .zero)
            recent = []
        } else if isRedirected, let target = reached?.target {
            let wanted = film.frame(at: target)
            if recent.contains(wanted) {
                position = wanted
                recent.removeAll { $0 >= wanted }
            } else if position > wanted {
                post(.repeatSeek(.none, generation: decoderGeneration))
            }
        }
        (needsFlush, isRedirected) = (needsFlush && decoderGeneration != packetGeneration, false)
    }

    /// The seek with its present target.
    private var reached: Seek? {
        guard var seek = reaching else { return nil }
        if seek.followsTimeline { seek.target = max(seek.target, time) }
        let visibleEnd = transport.ending.visibleEnd
        if visibleEnd.isNumeric, seek.framesBefore == 0 {
            seek.target = min(seek.target, visibleEnd - TransportModel.tolerance * Int32(2))
        }
        return seek
    }

    private mutating func consider(_ frame: Int) {
        let (start, end) = (film.time(of: frame), film.time(of: frame + 1))
        guard let seek = reached else { return push(frame) }
        if seek.framesBefore > 0 {
            if start + TransportModel.tolerance >= seek.target {
                landOnStep(seek, next: frame)
            } else {
                if candidates.count == seek.framesBefore { candidates.removeFirst() }
                candidates.append(frame)
            }
        } else if seek.accepts(from: start, to: end) {
            reaching = nil
            if seek.isEarlyLanding(start) {
                post(.land(at: start, generation: decoderGeneration))
            }
            push(frame)
        } else if seek.isScrub {
            candidates = [frame]
            post(.shown(generation: decoderGeneration))
        } else {
            candidates = [frame]
        }
    }

    private mutating func landOnStep(_ seek: Seek, next: Int?) {
        let isShort = candidates.count < seek.framesBefore
        if isShort, seek.demuxerTarget > .zero,
            seek.leadTime < MediaTime(value: 64, timescale: 1)
        {
            post(.repeatSeek(.fartherBack, generation: decoderGeneration))
            return
        }
        if isShort {
            post(.endStepsBack(generation: decoderGeneration))
        }
        let frames = candidates + [next].compactMap { $0 }
        reaching = nil
        candidates = []
        if let first = frames.first {
            post(.land(at: film.time(of: first), generation: decoderGeneration))
        }
        for frame in frames { push(frame) }
    }

    private mutating func push(_ frame: Int) {
        guard decoderGeneration == frameGeneration else { return }
        entries.append(frame)
        post(.videoAdvanced(to: film.time(of: frame + 1), generation: decoderGeneration))
    }

    private mutating func endStream() {
        if let seek = reached {
            if seek.framesBefore > 0 {
                landOnStep(seek, next: nil)
            } else {
                reaching = nil
                if let last = candidates.last { push(last) }
            }
        }
        guard decoderGeneration == packetGeneration else { return }
        hasSentEnd = true
        hasEnded = true
        post(.videoEnded(at: film.videoEnd, generation: decoderGeneration))
        post(.look)
    }

    private mutating func decodeAudio() -> Bool {
        guard film.hasAudio, transport.tracks.isAlive, !transport.seek.demuxerMustMove
        else { return false }
        if isReverse { return decodeAudioBackwards() }
        if audioGeneration != packetGeneration {
            let landing = transport.landingTime(generation: packetGeneration, playhead: time)
            guard let landing, landing.isValid else { return false }
            audioGeneration = packetGeneration
            audioTrack = (transport.tracks.audio?.id ?? 2) - 2
            (audioStart, audioReached, hasAudioEnded) = (landing, landing, false)
            post(.audioFlushed(generation: audioGeneration))
            return true
        }
        guard !hasAudioEnded, audioReached - max(time, audioStart) < Self.ringDuration else {
            return false
        }
        let end = film.audioEnds[audioTrack]
        let limit = isResting ? min(loadedEnd, end) : end
        if audioReached < limit {
            audioReached = min(audioReached + Self.audioStep, limit)
            if transport.waitsForMedia { post(.look) }
            return true
        }
        if isResting { return runDry(\.isAudioDry) }
        hasAudioEnded = true
        post(.audioEnded(at: end, generation: audioGeneration))
        post(.look)
        return true
    }

    private mutating func decodeAudioBackwards() -> Bool {
        if audioGeneration != packetGeneration {
            audioGeneration = packetGeneration
            audioTrack = (transport.tracks.audio?.id ?? 2) - 2
            (audioStart, audioReached, hasAudioEnded) = (time, time, false)
            post(.audioFlushed(generation: audioGeneration))
            // There is no audio before the beginning.
            if audioReached <= .zero { post(.look) }
            return true
        }
        guard audioReached > .zero, min(time, audioStart) - audioReached < Self.ringDuration else {
            return false
        }
        audioReached = max(audioReached - Self.audioStep, .zero)
        if transport.waitsForMedia { post(.look) }
        return true
    }

    /// Decodes a frame of a video track beside the first one.
    private mutating func decodeFurther() -> Bool {
        guard transport.tracks.isAlive, isReverse || !transport.seek.demuxerMustMove else {
            return false
        }
        for index in further.indices where further[index].isAdded {
            if decodeFurther(index) { return true }
        }
        return false
    }

    private mutating func decodeFurther(_ index: Int) -> Bool {
        let generation = packetGeneration
        let feed = further[index]
        if feed.generation != generation || isReverse {
            guard feed.generation != generation else { return false }
            var landing = time
            if !isReverse {
                guard
                    let known = transport.landingTime(generation: generation, playhead: time),
                    known.isValid
                else { return false }
                landing = known
            }
            further[index].begin(generation, at: min(film.frame(at: landing), feed.count - 1))
            if isReverse { post(.furtherVideoAdvanced(generation: generation)) }
            return true
        }
        let seen = min(film.frame(at: time), feed.count - 1)
        guard !feed.hasEnded, feed.position - seen < TransportModel.frameLimit else { return false }
        if feed.position < min(loaded, feed.count) {
            further[index].position = max(feed.position, seen) + 1
            further[index].isDry = false
            post(.furtherVideoAdvanced(generation: generation))
        } else if feed.position >= feed.count {
            further[index].hasEnded = true
            post(
                .furtherVideoEnded(
                    track: feed.track.id, at: film.time(of: feed.count), generation: generation))
            post(.look)
        } else {
            guard !feed.isDry else { return false }
            further[index].isDry = true
            post(.look)
        }
        return true
    }

    private mutating func decodeBackwards() -> Bool {
        guard transport.tracks.isAlive, isReverse, let reversal = transport.seek.reversal else {
            return false
        }
        if reversalGeneration != reversal.generation {
            reversalGeneration = reversal.generation
            reversePosition = film.frame(at: reversal.time)
        }
        guard !hasEnded else { return false }
        let first = max(0, reversePosition) / film.keyframeInterval * film.keyframeInterval
        if reversePosition >= 0 {
            entries = Array(first...reversePosition) + entries
            reversePosition = first - 1
            post(.videoAdvanced(to: nil, generation: reversalGeneration))
        } else {
            hasEnded = true
            post(.look)
        }
        return true
    }

    /// Discards frames behind the playhead.
    private mutating func discard() {
        guard let index = index(at: time) else { return }
        if isReverse { entries.removeSubrange((index + 1)...) } else { entries.removeFirst(index) }
    }

    func isShown(_ frame: Int) -> Bool {
        !visibleEnd.isNumeric || film.time(of: frame) + TransportModel.tolerance < visibleEnd
    }

    func index(at time: MediaTime) -> Int? {
        guard !entries.isEmpty else { return nil }
        let begun = entries.lastIndex {
            film.time(of: $0) <= time + TransportModel.tolerance && isShown($0)
        }
        return begun ?? 0
    }
}
