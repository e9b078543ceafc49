// SPDX-License-Identifier: Apache-2.0

import PlayheadDisplay
import PlayheadTime
import Testing

@Suite struct VsyncFollowerTests {
    /// A window system that answers requests like Present, on its own clock.
    private struct Server {
        var now: Int64 = 1_000_000_000_000
        var rate: Double
        var count: UInt64 = 1000
        var jitter: Int64 = 30_000
        /// A Boolean value that indicates whether it sends no reports, while its display continues.
        var isSilent = false
        /// The number of vsyncs by which an answer is later than the request.
        var lateness: UInt64 = 0
        private(set) var last: Int64 = 1_000_000_000_000
        private var pending: [UInt64] = []
        private var answers: [(target: UInt64, count: UInt64, time: Int64)] = []
        private var generator = Generator(seed: 1)

        init(rate: Double) { self.rate = rate }

        private var next: Int64 { last + Int64(1e9 / rate) }

        mutating func restartCount(at count: UInt64) { (self.count, pending) = (count, []) }

        private mutating func catchUp() {
            while next <= now {
                last = next
                count += 1
                let due = pending.filter { $0 + lateness <= count }
                pending.removeAll { $0 + lateness <= count }
                guard !isSilent else { continue }
                let time = last + .random(in: 0...jitter, using: &generator)
                for target in due { answers.append((target, count, time)) }
            }
        }

        mutating func request(_ target: UInt64) {
            catchUp()
            guard target <= count else { return pending.append(target) }
            if !isSilent { answers.append((target, count, last)) }
        }

        mutating func takeAnswers() -> [(target: UInt64, count: UInt64, time: Int64)] {
            catchUp()
            defer { answers = [] }
            return answers
        }

        /// Advances to a time, or to an answer before it.
        mutating func sleep(until end: Int64) {
            catchUp()
            while answers.isEmpty, now < end {
                now = min(end, next + jitter + 40_000)
                catchUp()
            }
        }
    }

    /// A program that waits for vsyncs, and is busy between them.
    private struct Program {
        var server: Server
        var follower: VsyncFollower
        /// The duration of work, in nanoseconds.
        var work: Int64 = 300_000

        init(rate: Double, saidToBe nominal: Double? = nil) {
            server = Server(rate: rate)
            follower = VsyncFollower(nominalPeriod: Int64(1e9 / (nominal ?? rate)))
        }

        mutating func waitForVsync() -> VsyncEvent {
            follower.beginWait(at: server.now)
            while true {
                for answer in server.takeAnswers() {
                    follower.add(
                        answerTo: UInt32(truncatingIfNeeded: answer.target), count: answer.count,
                        at: answer.time)
                }
                if let event = follower.takeVsync(at: server.now) { return event }
                while let target = follower.nextRequest() { server.request(target) }
                if let event = follower.takeTimedVsync(at: server.now) { return event }
                server.sleep(until: max(follower.nextLook(at: server.now), server.now + 1000))
            }
        }

        /// Runs for a duration, and returns the reported vsyncs.
        mutating func run(seconds: Double) -> [VsyncEvent] {
            let end = server.now + Int64(seconds * 1e9)
            var events: [VsyncEvent] = []
            while server.now < end {
                events.append(waitForVsync())
                server.now += work
            }
            return events
        }
    }

    private static func expectSteady(
        _ events: [VsyncEvent], rate: Double, seconds: Double,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(
            abs(Double(events.count) - rate * seconds) <= 2, "\(events.count) vsyncs",
            sourceLocation: sourceLocation)
        #expect(
            events.allSatisfy { $0.source == .xPresent }, sourceLocation: sourceLocation)
        let pairs = Array(zip(events, events.dropFirst()))
        #expect(
            pairs.allSatisfy { $1.sequence == $0.sequence + 1 }, sourceLocation: sourceLocation)
        let worst = pairs.map { abs(($1.hostTime - $0.hostTime).seconds - 1 / rate) }.max() ?? 1
        #expect(worst < 0.0001, sourceLocation: sourceLocation)
    }

    static let rates: [Double] = [24, 30, 48, 60, 75, 120, 144, 240]

    @Test(arguments: rates, [1, 0.96])
    func `every vsync is reported once, with its stamp`(rate: Double, nominal: Double) {
        var program = Program(rate: rate, saidToBe: rate * nominal)
        _ = program.run(seconds: 0.3)
        Self.expectSteady(program.run(seconds: 3), rate: rate, seconds: 3)
    }

    @Test(arguments: rates, rates)
    func `an unannounced change of the display's rate is followed`(before: Double, after: Double) {
        var program = Program(rate: before)
        let events = program.run(seconds: 2)
        program.server.rate = after
        let changing = program.run(seconds: 2)
        Self.expectSteady(program.run(seconds: 3), rate: after, seconds: 3)
        let all = events + changing
        for (event, next) in zip(all, all.dropFirst()) {
            #expect(next.sequence > event.sequence)
        }
    }

    @Test(arguments: [UInt64(3), 900, 1_000_000, 1 << 40])
    func `sequence numbers continue if the count restarts`(count: UInt64) {
        var program = Program(rate: 60)
        let events = program.run(seconds: 2)
        program.server.restartCount(at: count)
        let later = program.run(seconds: 4)
        Self.expectSteady(Array(later.suffix(120)), rate: 60, seconds: 2)
        let all = events + later
        for (event, next) in zip(all, all.dropFirst()) {
            #expect((1...15).contains(next.sequence - event.sequence))
        }
    }

    @Test func `without reports a timer continues until the display reports again`() {
        var program = Program(rate: 60)
        let before = program.run(seconds: 1)
        program.server.isSilent = true
        let silent = program.run(seconds: 2)
        program.server.isSilent = false
        let after = program.run(seconds: 2)
        // The estimate bridges the start; then 150 ms without a report start the timer.
        let timed = silent.filter { $0.source == .timer }
        #expect((100...111).contains(timed.count), "\(timed.count)")
        Self.expectSteady(Array(after.suffix(60)), rate: 60, seconds: 1)
        let all = before + silent + after
        for (event, next) in zip(all, all.dropFirst()) {
            #expect(next.sequence > event.sequence)
            #expect(next.hostTime > event.hostTime)
        }
    }

    @Test func `a display without a vsync so far is asked for its first one`() {
        var follower = VsyncFollower(nominalPeriod: 16_666_667)
        #expect(follower.nextRequest() == 0)
        follower.add(answerTo: 0, count: 0, at: 1_000_000_000)
        // The thread was late, so earlier reports are discarded.
        #expect(follower.takeVsync(at: 1_200_000_000) == nil)
        #expect(follower.nextRequest() == 1)
    }

    @Test(arguments: [24.0, 144])
    func `a timer continues with another period`(rate: Double) {
        var program = Program(rate: 60)
        program.server.isSilent = true
        _ = program.run(seconds: 60)
        program.follower.nominalPeriod = Int64(1e9 / rate)
        let events = program.run(seconds: 2)
        #expect(abs(Double(events.count) - 2 * rate) <= 2)
        for (event, next) in zip(events, events.dropFirst()) {
            #expect(next.sequence == event.sequence + 1)
        }
    }

    @Test(arguments: [3.5, 6.2, 11.9])
    func `a busy program gets the latest vsync, and none twice`(periods: Double) {
        var program = Program(rate: 60)
        _ = program.run(seconds: 1)
        program.work = Int64(periods * 1e9 / 60)
        var last: VsyncEvent?
        for _ in 0..<60 {
            let event = program.waitForVsync()
            // A vsync in the last tenth of a period may still be reported by its answer.
            let age = Double(program.server.now) - event.hostTime.seconds * 1e9
            #expect(age < 1.2e9 / 60, "\(age)")
            if let last { #expect(event.sequence > last.sequence) }
            last = event
            program.server.now += program.work
        }
    }

    @Test func `a server that is always late is believed`() {
        var program = Program(rate: 60)
        program.server.lateness = 1
        _ = program.run(seconds: 1)
        Self.expectSteady(program.run(seconds: 2), rate: 60, seconds: 2)
    }
}
