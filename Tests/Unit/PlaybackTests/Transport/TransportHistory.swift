// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

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
    private(set) var failure: String?

    init(_ random: some RandomNumberGenerator) {
        var random: any RandomNumberGenerator = random
        func pick(_ range: Range<Int>) -> Int { Self.int(range, &random) }
        let rates = [24, 25, 30, 50]
        let film = TransportModel.Film(
            frameCount: pick(1..<90),
            frameDuration: MediaTime(value: 1, timescale: Int32(rates[pick(0..<4)])),
            keyframeInterval: [1, 2, 5, 12, 30][pick(0..<5)])
        self.random = random
        world = TransportWorld(film: film)
        model = TransportModel(film: film)
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
        let kind = int(0..<100)
        switch kind {
        case 0..<22: advance()
        case 22..<40: setRate()
        case 40..<58: seek()
        case 58..<70: step()
        case 70..<76: declare()
        case 76..<83: setEnds()
        case 83..<87: setEndAction()
        case 87..<92: preroll()
        case 92..<95: cancel()
        case 95..<98: adjust()
        case 98: look()
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
        number += 1
        note("seek \(number) to \(target)\(isTolerant ? ", tolerant" : "")")
        world.seek(to: target, isTolerant: isTolerant, number: number, log)
        model.seek(to: target, isTolerant: isTolerant, number: number)
        compare(isSettled: false)
        if int(0..<2) == 0 { settle() } else { work() }
    }

    /// Makes the threads start with a seek. Once it has landed, everything possible is decoded.
    private mutating func work() {
        for _ in 0..<int(0..<12) where model.isSeeking {
            _ = world.work(int(0..<3))
            if world.transport.seek.requested == nil { settle() }
        }
    }

    private mutating func step() {
        let count = int(-12..<13)
        note("step \(count)")
        world.post(.step(count))
        model.step(by: count)
        if int(0..<2) == 0 { settle() }
    }

    private mutating func declare() {
        settle()
        let rate = [1, 1, 0.5, 2, -1][int(0..<5)]
        let target = int(0..<2) == 0 ? time() : nil
        let start = world.clock + MediaTime(value: Int64(int(-500..<500)), timescale: 1000)
        note("declare \(rate) \(target as Any) at \(start)")
        world.post(
            .declare(
                DeclaredStart(rate: rate, time: target ?? .invalid, hostTime: start)))
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

    private mutating func setEndAction() {
        settle()
        // Past the end, the last frames are gone.
        if model.hasPlayedToEnd, model.isRunning { return }
        let stays = int(0..<3) != 0
        note("at the end \(stays ? "pause" : "nothing")")
        world.post(.setEndAction(stays ? .pause : .none))
        model.setEndAction(stays: stays)
        settle()
    }

    private mutating func preroll() {
        number += 1
        note("preroll \(number)")
        let (log, number) = (log, number)
        world.post(.preroll { log.note(number, $0) })
        model.preroll(number)
        if int(0..<2) == 0 { settle() }
    }

    private mutating func cancel() {
        if int(0..<2) == 0 {
            note("cancel prerolls")
            // A frame that is already decoded has been returned.
            settle()
            world.post(.cancelPrerolls)
            model.cancelPrerolls()
        } else {
            settleSteps()
            note("cancel seeks")
            world.post(.cancelSeeks)
            model.cancelSeeks()
        }
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

    private mutating func look() {
        note("look")
        world.post(.look)
        if model.isSeeking { compare(isSettled: false) }
    }

    private mutating func close() {
        settle()
        note("close")
        world.post(.close)
        model.close()
        settle()
    }

    /// Steps that do not wait for a seek are performed as their frames are decoded.
    private mutating func settleSteps() { if !model.isSeeking { settle() } }

    // MARK: Comparing

    /// Makes the threads work in any order until none has anything to do.
    private mutating func settle() {
        guard failure == nil else { return }
        var count = 0
        while world.work(int(0..<3)) {
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
        func expect(_ what: String, _ actual: some Equatable, _ expected: some Equatable) {
            if "\(actual)" != "\(expected)" {
                fail("\(what) is \(actual), and not \(expected)")
            }
        }
        if (world.time - model.time).magnitude > MediaTime(value: 1, timescale: 1_000_000_000) {
            fail("time is \(world.time), and not \(model.time)")
        }
        expect("rate", transport.start.desiredRate, model.rate)
        expect("the player's rate", world.playerRate, model.rate)
        guard isSettled, !model.isClosed else { return }
        expect("running", transport.start.isRunning, model.isRunning)
        expect("reverse", transport.seek.direction == .reverse, model.isReverse)
        expect("at the end", transport.ending.hasPlayedToEnd, model.hasPlayedToEnd)
        expect("ends", transport.ending.count, model.endCount)
        expect("seeking", transport.seek.requested != nil, false)
        expect("steps", transport.steps.pending, [Int]())
        expect("jumps back", transport.seek.isPutOff, false)
        let results = model.seekResults.merging(model.prerollResults) { $1 }
        for number in 1..<(number + 1) {
            expect(
                "completion \(number)", log.results[number] ?? [],
                results[number].map { [$0] } ?? [])
        }
    }

    private mutating func fail(_ description: String) {
        guard failure == nil else { return }
        failure =
            description + "\n\(world.summary)\n"
            + events.map { "    \($0)" }.joined(separator: "\n")
    }
}
