// SPDX-License-Identifier: Apache-2.0

import PlayheadTime
import TransportTestSupport

@testable import PlayheadPlayback

/// Random events of a transport and of its model, which must reach the same result.
struct TransportHistory {
    /// The number of events of a history.
    static let length = 50

    private var world: TransportWorld
    private var model: TransportModel
    private let log = TransportLog()
    private var random: any RandomNumberGenerator
    private var number = 0
    private var events: [String] = []
    /// The number of events so far.
    private(set) var eventCount = 0
    private(set) var failure: String?

    init(_ random: some RandomNumberGenerator) {
        var random: any RandomNumberGenerator = random
        func pick(_ range: Range<Int>) -> Int { Self.int(range, &random) }
        let rates = [24, 25, 30, 50]
        var film = TransportModel.Film(
            frameCount: pick(1..<90),
            frameDuration: MediaTime(value: 1, timescale: Int32(rates[pick(0..<4)])),
            keyframeInterval: [1, 2, 5, 12, 30][pick(0..<5)])
        film.isRemote = pick(0..<3) == 0
        for _ in 0..<[0, 1, 2][pick(0..<3)] {
            // Over a network, audio lasts to the end of the video.
            let offset = MediaTime(
                value: Int64(pick((film.isRemote ? 0 : -900)..<900)), timescale: 1000)
            film.audioEnds.append(max(film.videoEnd + offset, MediaTime(value: 1, timescale: 10)))
        }
        for _ in 0..<[0, 0, 1, 2][pick(0..<4)] {
            film.furtherVideoCounts.append(pick(0..<5) == 0 ? 0 : pick(1..<film.frameCount + 1))
        }
        film.latency = MediaTime(value: Int64(pick(0..<3) * 20), timescale: 1000)
        // Otherwise, it waits in a queue.
        let isCurrent = film.isRemote || pick(0..<4) != 0
        self.random = random
        world = TransportWorld(film: film, isCurrent: isCurrent)
        model = TransportModel(film: film, isCurrent: isCurrent)
        events = ["\(film)"]
    }

    private static func int(_ range: Range<Int>, _ random: inout any RandomNumberGenerator) -> Int {
        func draw(_ generator: inout some RandomNumberGenerator) -> Int {
            Int.random(in: range, using: &generator)
        }
        return draw(&random)
    }

    private mutating func int(_ range: Range<Int>) -> Int { Self.int(range, &random) }

    /// Runs the whole history; returns the difference of the transport, if there is one.
    mutating func run() -> String? {
        settle()
        for _ in 0..<Self.length where failure == nil {
            event()
            if failure == nil, model.isClosed { break }
        }
        return failure
    }

    private mutating func event() {
        eventCount += 1
        // Most seeks land before the next event. Of those that do not, many are superseded or
        // cancelled.
        if model.isSeeking, int(0..<4) == 0 { return int(0..<3) == 0 ? cancelSeeks() : seek() }
        let kind = int(0..<124)
        switch kind {
        case 100..<106 where world.film.audioEnds.count > 0: switchAudio()
        case 100..<112 where world.film.isRemote: changeNetwork()
        case 100..<112 where !model.isCurrent: follow()
        case 112..<115 where !model.isCurrent: becomeCurrent()
        case 112..<113 where !world.film.isRemote: leave()
        case 100..<115: advance()
        case 115..<118: setLoop()
        case 118..<124 where !world.film.furtherVideoCounts.isEmpty: switchVideo()
        case 118..<124: seek()
        case 0..<22: advance()
        case 22..<40: setRate()
        case 40..<58: seek()
        case 58..<70: step()
        case 70..<76: declare()
        case 76..<83: setEnds()
        case 83..<87: setEndAction()
        case 87..<92: preroll()
        case 92..<95: cancel()
        case 95: adjust()
        case 96..<99: look()
        default: if int(0..<4) == 0 { close() }
        }
    }

    // MARK: Events

    private mutating func note(_ event: String) { events.append(event) }

    private mutating func time() -> MediaTime {
        let film = world.film
        if int(0..<2) == 0 { return film.time(of: int(0..<film.frameCount + 4)) }
        return MediaTime(value: Int64(int(0..<4000)), timescale: 1000)
    }

    private mutating func advance() {
        settle()
        let duration = MediaTime(value: Int64(int(1..<1500)), timescale: 1000)
        note("advance \(duration)")
        // The threads keep up with the clock.
        let step = MediaTime(value: 1, timescale: 100)
        var rest = duration
        while rest > .zero {
            let part = min(step, rest)
            rest = rest - part
            world.advance(by: part)
            model.advance(by: part)
            settle()
        }
    }

    private mutating func setRate() {
        settle()
        guard model.isCurrent else { return }
        let rate = [0, 0, 1, 1, 1, 2, 0.5, -1, -1, -2][int(0..<10)]
        note("rate \(rate)")
        world.post(.setRate(rate, isImmediate: false))
        model.setRate(rate)
        settle()
    }

    private mutating func seek() {
        settleSteps()
        let target = time()
        let isTolerant = int(0..<3) == 0
        // While the network rests, a seek that waits for it delays the ones after it.
        guard model.isAllLoaded || !model.isSeeking else { return }

        number += 1
        note("seek \(number) to \(target)\(isTolerant ? ", tolerant" : "")")
        world.seek(to: target, isTolerant: isTolerant, number: number, log)
        model.seek(to: target, isTolerant: isTolerant, number: number)
        compare(isSettled: false)
        if int(0..<2) == 0 { settle() } else { work() }
    }

    /// Makes the threads start with a seek. Once it has landed, everything possible is decoded.
    private mutating func work() {
        let rounds = world.transport.loop.progress.total
        for _ in 0..<int(0..<12) where model.isSeeking {
            _ = world.work(int(0..<5))
            settleIfLanded(since: rounds)
        }
    }

    /// Settles if a seek of the transport has landed, or if a round of a loop has begun.
    private mutating func settleIfLanded(since rounds: Int) {
        let hasLooped = world.transport.loop.progress.total != rounds
        if world.transport.seek.requested == nil || hasLooped { settle() }
    }

    private mutating func step() {
        let count = int(-12..<13)
        note("step \(count)")
        world.post(.step(count))
        model.step(by: count)
        settleSometimes()
    }

    private mutating func declare() {
        settle()
        guard model.isCurrent else { return }
        var rate = [1, 1, 0.5, 2, -1][int(0..<5)]
        var target = int(0..<2) == 0 ? time() : nil
        var offset = int(-500..<500)
        if !model.isAllLoaded {
            // The media that it continues with has arrived.
            guard !model.isSeeking, !model.isReverse, !model.hasPlayedToEnd else { return }
            (rate, target, offset) = (abs(rate), nil, abs(offset))
        }
        let start = world.clock + MediaTime(value: Int64(offset), timescale: 1000)
        note("declare \(rate) \(target as Any) at \(start)")
        world.post(
            .declare(DeclaredStart(rate: rate, time: target ?? .invalid, hostTime: start)))
        model.declare(rate: rate, time: target, atClock: start)
        settle()
    }

    private mutating func setEnds() {
        settle()
        // Between the starts of frames: data before a start is not decoded when it is set.
        let offset = MediaTime(value: 123, timescale: 1_000_000)
        let end = int(0..<3) == 0 ? MediaTime.invalid : time() + offset
        let isForward = int(0..<2) == 0
        note("\(isForward ? "forward" : "reverse") end \(end)")
        world.post(.setEnds(forward: isForward ? end : nil, reverse: isForward ? nil : end))
        model.setEnds(forward: isForward ? end : nil, reverse: isForward ? nil : end)
        settle()
    }

    private mutating func setLoop() {
        settle()
        // As for a set end; the range begins within the video.
        let offset = MediaTime(value: 123, timescale: 1_000_000)
        let start = int(0..<3) == 0 ? .zero : world.film.time(of: int(0..<world.film.frameCount))
        let end = int(0..<3) == 0 ? MediaTime.invalid : time() + offset
        let count = [0, 1, 2, 3, -1][int(0..<5)]
        note("loop from \(start) to \(end), \(count) times")
        world.post(.setLoop(from: start, to: end, count: count))
        model.setLoop(from: start, to: end, count: count)
        settle()
    }

    private mutating func setEndAction() {
        settle()
        switch int(0..<5) {
        case 0, 1:
            note("at the end pause")
            world.post(.setEndAction(.pause))
            model.setEndAction(.pause)
        case 2, 3:
            note("at the end nothing")
            world.post(.setEndAction(.none))
            model.setEndAction(.none)
        default:
            note("at the end advance")
            world.post(.setEndAction(.advance))
            model.setEndAction(.advance)
        }
        settle()
    }

    private mutating func preroll() {
        guard model.isCurrent else { return }
        number += 1
        note("preroll \(number)")
        let (log, number) = (log, number)
        world.post(.preroll { log.note(number, $0) })
        model.preroll(number)
        settleSometimes()
    }

    private mutating func switchAudio() {
        settle()
        guard model.isAllLoaded || !model.isRunning else { return }
        let track = int(0..<4) == 0 ? nil : int(0..<world.film.audioEnds.count)
        note("audio \(track as Any)")
        world.chooseAudio(track)
        if let track { model.chooseAudio(track) }
        if int(0..<2) == 0 { settle() }
    }

    /// Switches a video track on or off, sometimes the first one, which has no other effect either.
    private mutating func switchVideo() {
        if model.isAllLoaded || !model.isSeeking { settleSometimes() }
        let track = int(0..<world.film.furtherVideoCounts.count + 1)
        let isEnabled = int(0..<3) != 0
        note("video \(track) \(isEnabled ? "on" : "off")")
        let rounds = world.transport.loop.progress.total
        world.setVideo(track, isEnabled: isEnabled)
        // A seek lands if it waited for this track alone.
        settleIfLanded(since: rounds)
        settleSometimes()
    }

    /// Stops the network after a number of frames, or continues.
    private mutating func changeNetwork() {
        settle()
        if !model.isAllLoaded {
            note("the network goes on")
            world.goOn()
            model.goOn()
        } else if let decoded = world.decoded, !model.isReverse, !model.isSeeking {
            let least = max(decoded, world.film.frame(at: model.time) + 1) + 1
            guard least < world.film.frameCount else { return }
            let frames = int(least..<min(least + 20, world.film.frameCount))
            note("the network rests after \(frames) frames")
            world.rest(after: frames)
            model.rest(after: frames)
        }
        settle()
    }

    private mutating func follow() {
        settle()
        let rate = [1, 1, 2, 0.5][int(0..<4)]
        let remaining = MediaTime(value: Int64(int(-50..<500)), timescale: 1000)
        let start = int(0..<4) == 0 ? nil : world.clock + remaining
        note("follow \(start as Any) at \(rate)")
        world.follow(start, rate: rate, remaining: remaining)
        model.follow(start, rate: rate, remaining: remaining)
        settle()
    }

    private mutating func becomeCurrent() {
        settle()
        let keepsStart = int(0..<2) == 0
        note("become current \(keepsStart)")
        world.post(.becomeCurrent(keepingStart: keepsStart))
        model.becomeCurrent(keepingStart: keepsStart)
        compare(isSettled: false)
        setRate()
    }

    private mutating func leave() {
        settleSteps()
        let target = time()
        number += 1
        note("leave to \(target), seek \(number)")
        world.seek(to: target, isTolerant: false, isLeaving: true, number: number, log)
        model.leave(to: target, number: number)
        compare(isSettled: false)
        if int(0..<2) == 0 { settle() }
    }

    private mutating func cancel() {
        if int(0..<2) == 0 {
            note("cancel prerolls")
            // A preroll whose frames are decoded has completed.
            settle()
            world.post(.cancelPrerolls)
            model.cancelPrerolls()
            compare(isSettled: false)
        } else {
            cancelSeeks()
        }
    }

    private mutating func cancelSeeks() {
        settleSteps()
        guard model.isAllLoaded || !model.isSeeking else { return }
        note("cancel seeks")
        world.post(.cancelSeeks)
        model.cancelSeeks()
        compare(isSettled: false)
    }

    private mutating func adjust() {
        settle()
        let factor = [0.995, 1, 1.005][int(0..<3)]
        note("adjust \(factor)")
        world.post(.setRateAdjustment(factor))
        model.setAdjustment(factor)
        settle()
    }

    /// Posts an event that allows nothing new.
    private mutating func look() {
        let kind = int(0..<26)
        note("look, or late report \(kind)")
        if kind < 12 { world.post(.look) } else { world.reportLate(kind - 12, at: time()) }
        if model.isSeeking { compare(isSettled: false) }
    }

    private mutating func close() {
        settle()
        note("close")
        world.post(.close)
        model.close()
        settle()
    }

    /// While the network rests, the result depends on what has been decoded by the next event.
    private mutating func settleSometimes() {
        if int(0..<2) == 0 || !model.isAllLoaded { settle() }
    }

    /// Steps that do not wait for a seek are performed as their frames are decoded.
    private mutating func settleSteps() { if !model.isSeeking { settle() } }

    // MARK: Comparing

    /// Makes the threads work in any order until none has anything to do.
    private mutating func settle() {
        guard failure == nil else { return }
        var count = 0
        while world.work(int(0..<5)) {
            count += 1
            if count > 100_000 {
                fail("does not settle")
                return
            }
        }
        model.settle()
        compare(isSettled: true)
    }

    private mutating func compare(isSettled: Bool) {
        guard failure == nil else { return }
        let transport = world.transport
        if let fault = world.faults.first { return fail(fault) }
        func expect<Value: Equatable>(_ what: String, _ actual: Value, _ expected: Value) {
            if actual != expected { fail("\(what) is \(actual), and not \(expected)") }
        }
        // The first track may have landed while others are on their way.
        let times = [model.time] + (isSettled ? [] : [model.landing].compactMap { $0 })
        let precision = MediaTime(value: 1, timescale: 1_000_000_000)
        if times.allSatisfy({ (world.time - $0).magnitude > precision }) {
            fail("time is \(world.time), and not \(model.time)")
        }
        expect("rate", transport.start.desiredRate, model.rate)
        expect("the player's rate", world.playerRate, model.playerRate)
        guard isSettled, !model.isClosed else { return }
        expect("running", transport.start.isRunning, model.isRunning)
        expect("reverse", transport.seek.direction == .reverse, model.isReverse)
        expect("at the end", transport.ending.hasPlayedToEnd, model.hasPlayedToEnd)
        expect("ends", transport.ending.count, model.endCount)
        expect("rounds", transport.loop.progress.total, model.roundCount)
        expect("rounds left", transport.loop.progress.left, model.loopsLeft)
        expect("seeking", transport.seek.requested != nil, model.isSeeking)
        expect("steps", transport.steps.pending, model.pendingSteps)
        expect("playing", transport.isPlaying, model.isPlaying)
        expect("stalls", transport.buffering.stallCount, model.stallCount)
        expect("declared succession", transport.ending.succession != nil, model.succession != nil)
        expect("completions", log.results, model.results)
    }

    private mutating func fail(_ description: String) {
        guard failure == nil else { return }
        failure =
            description + "\n\(model)\n\(world.summary)\n"
            + events.map { "    \($0)" }.joined(separator: "\n")
    }
}
