// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

@testable import PlayheadPlayback

/// The environment of a transport in one thread: a timeline, queues, a demuxer and decoders that do
/// one thing at a time, on request.
struct TransportWorld {
    let film: TransportModel.Film
    private(set) var transport = Transport()
    private(set) var clock = MediaTime(value: 100, timescale: 1)
    private(set) var results: [Int: [Bool]] = [:]
    /// Faults that are detected without a model.
    private(set) var faults: [String] = []
    private(set) var answer = false

    // The timeline.
    private var anchorTime = MediaTime.zero
    private var anchorClock = MediaTime.zero
    private(set) var rate = 0.0
    private(set) var playerRate = 0.0
    private var alarms: [TransportAlarm: MediaTime] = [:]

    // The queues.
    private var packetGeneration = 0
    private var frameGeneration = 0
    private var isReverse = false
    private var entries: [Int] = []
    private var hasEnded = false
    private var visibleEnd = MediaTime.invalid

    // The threads.
    private var decoderGeneration = 0
    private var position = 0
    private var needsFlush = false
    private var isRedirected = false
    private var reaching: Seek?
    private var candidates: [Int] = []
    private var recent: [Int] = []
    private var hasSentEnd = false
    private var reversalGeneration = -1
    private var reversePosition = -1

    init(film: TransportModel.Film) {
        self.film = film
        var description = AssetDescription(container: "film", duration: film.end)
        let track = AssetTrack(
            id: 1, mediaType: .video, formatDescription: FormatDescription(codec: "film"),
            frameDuration: film.frameDuration)
        description.tracks = [track]
        post(.begin(waitsToMinimizeStalling: true, endAction: .pause))
        post(.becomeCurrent(keepingStart: false))
        post(.opened(hasTransfer: false, limits: MediaLimits()))
        post(.ready(description, video: track, audio: nil, choosableAudio: []))
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

    // MARK: - Events and actions

    mutating func seek(to target: MediaTime, isTolerant: Bool, number: Int, _ log: TransportLog) {
        var seek = Seek(target: target)
        if isTolerant { seek.toleranceBefore = .positiveInfinity }
        seek.completion = { log.note(number, $0) }
        post(.seek(seek, isLeaving: false))
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
        case .redirect(let generation, let target, _, _):
            guard !needsFlush, film.keyframe(for: target) <= position else {
                return .redirected(false)
            }
            packetGeneration = generation
            isRedirected = true
            return .redirected(true)
        case .setVisibleEnd(let end): visibleEnd = end
        case .setPlayerRate(let rate): playerRate = rate
        case .setAlarm(let alarm, let time): alarms[alarm] = time
        case .look: return .look
        case .lookAtStart: return .started
        default: break
        }
        return nil
    }

    private mutating func anchor(at time: MediaTime, clock: MediaTime, rate: Double) {
        (anchorTime, anchorClock, self.rate) = (time, clock, rate)
    }

    /// Checks the invariants.
    private mutating func check() {
        let state = transport
        if state.start.isRunning != (rate != 0) { faults.append("runs at \(rate)") }
        if state.seek.generation != frameGeneration { faults.append("frames of another seek") }
        if state.seek.generation != packetGeneration { faults.append("packets of another seek") }
        if let seek = state.seek.requested, !seek.followsTimeline, state.start.isRunning {
            faults.append("runs during a seek")
        }
        if state.start.isRunning, state.start.desiredRate == 0 { faults.append("runs unasked") }
        if (state.seek.direction == .reverse) != isReverse { faults.append("direction") }
    }

    /// The state, for a report.
    var summary: String {
        """
        generations \(transport.seek.generation), packets \(packetGeneration), decoder \
        \(decoderGeneration), at \(position), frames \(entries), ended \(hasEnded)
        \(transport.seek)
        \(transport.steps)
        \(transport.start)
        \(transport.ending)
        """
    }

    // MARK: - Threads

    /// Makes one of the threads do its next piece of work; returns false if it has none.
    mutating func work(_ thread: Int) -> Bool {
        for offset in 0..<3 {
            switch (thread + offset) % 3 {
            case 0: if demux() { return true }
            case 1: if decode() { return true }
            default: if decodeBackwards() { return true }
            }
        }
        return false
    }

    private mutating func demux() -> Bool {
        let seek = transport.seek
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
        guard entries.count < FrameQueue.frameLimit, !hasSentEnd else { return false }
        guard position < film.frameCount else {
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
        post(.videoEnded(at: film.end, generation: decoderGeneration))
        post(.look)
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

    private func isShown(_ frame: Int) -> Bool {
        !visibleEnd.isNumeric || film.time(of: frame) + TransportModel.tolerance < visibleEnd
    }

    private func index(at time: MediaTime) -> Int? {
        guard !entries.isEmpty else { return nil }
        let begun = entries.lastIndex {
            film.time(of: $0) <= time + TransportModel.tolerance && isShown($0)
        }
        return begun ?? 0
    }
}

/// The completions of requests, by number.
final class TransportLog: @unchecked Sendable {
    // Unchecked: one thread uses it.
    private(set) var results: [Int: [Bool]] = [:]

    func note(_ number: Int, _ result: Bool) { results[number, default: []].append(result) }
    func forget() { results = [:] }
}

extension TransportWorld: TransportView {
    var packets: PacketLevel { PacketLevel([], byteCount: 0, isFull: false, hasEnded: hasEnded) }
    var transfer: TransferReading? { nil }

    func isVideoPrimed(at time: MediaTime) -> Bool { hasEnded || hasFrame(after: time) }

    func hasFrame(after time: MediaTime) -> Bool {
        guard let index = index(at: time) else { return false }
        return isReverse ? index > 0 : index + 1 < entries.count
    }

    func isStarved(at time: MediaTime) -> Bool {
        if isReverse {
            guard !hasEnded, let first = entries.first else { return false }
            return time + TransportModel.tolerance < film.time(of: first)
        }
        guard !hasEnded, let last = entries.last else { return false }
        return time >= film.time(of: last + 1)
    }

    func frameStart(at time: MediaTime) -> MediaTime? {
        index(at: time).map { film.time(of: entries[$0]) }
    }

    func seenTime(at time: MediaTime) -> MediaTime { time }

    func step(
        from time: MediaTime, by count: Int
    ) -> (time: MediaTime, taken: Int, isLast: Bool) {
        guard let index = index(at: time) else { return (time, 0, hasEnded) }
        let last = entries.lastIndex(where: isShown) ?? index
        let target = min(index + count, max(index, last))
        let isLast = last < entries.count - 1 || hasEnded
        return (film.time(of: entries[target]), target - index, isLast && target >= last)
    }

    var isVideoFullOrEnded: Bool { hasEnded || isReverse || entries.count >= FrameQueue.frameLimit }
    var framesEnd: MediaTime { entries.last.map { film.time(of: $0 + 1) } ?? .invalid }
    func keptFrame(at time: MediaTime, byteLimit: Int) -> Bool? { nil }

    var hasAudio: Bool { false }
    func isAudioPrimed(at time: MediaTime) -> Bool { true }
    func areFurtherTracksPrimed(at time: MediaTime, generation: Int) -> Bool { true }
    var bufferedAudioEnd: MediaTime { .negativeInfinity }
    var enqueuedAudioEnd: MediaTime? { nil }
    var audioLatency: MediaTime { .zero }
    var isAudioAwake: Bool { true }
    var underrunFrames: Int { 0 }
    var firstMissedTime: MediaTime? { nil }

    func masterTime(atHostTime hostTime: MediaTime) -> MediaTime { hostTime }
    func alignedToVsync(_ start: MediaTime, anchor: MediaTime, rate: Double) -> MediaTime { start }
    var heldDuration: MediaTime? { nil }
}
