// SPDX-License-Identifier: Apache-2.0

import Dispatch
import PlayheadAssets
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

@Suite struct TimeObserverTests {
    private let dispatch = DispatchQueue(label: "test")
    private var queue: ObservationQueue { ObservationQueue(dispatch) }

    private static func at(_ value: Int64, _ timescale: Int32 = 10) -> MediaTime {
        MediaTime(value: value, timescale: timescale)
    }

    /// Returns the notifications after all pending ones have arrived.
    private func settled<Value: Sendable>(_ rig: Rig, _ heard: Monitor<Value>) -> Value {
        rig.item.timebase.waitForNotifications()
        dispatch.sync {}
        return heard.withLock { $0 }
    }

    private func play(_ rig: Rig, rate: Double = 1) {
        rig.player.rate = rate
        rig.waitUntil { $0.isRunning && $0.seek == nil }
    }

    @Test func `a periodic observer is called at every multiple, and at starts, stops and jumps`() {
        let rig = Rig(.silent(), isPlaying: false)
        let heard = Monitor<[MediaTime]>([])
        let token = rig.player.addPeriodicTimeObserver(forInterval: Self.at(1), on: queue) { time in
            heard.change { $0.append(time) }
        }
        #expect(settled(rig, heard).isEmpty)
        play(rig)
        #expect(settled(rig, heard) == [.zero])
        rig.advance(to: Self.at(35, 100))
        #expect(settled(rig, heard) == [.zero, Self.at(1), Self.at(2), Self.at(3)])
        rig.player.pause()
        #expect(settled(rig, heard).last == Self.at(35, 100))
        heard.change { $0 = [] }
        rig.seek(to: Self.at(15))
        #expect(settled(rig, heard) == [Self.at(15)])
        play(rig, rate: 2)
        rig.advance(to: rig.clock.time + Self.at(1))
        #expect(settled(rig, heard) == [15, 15, 16, 17].map { Self.at($0) })
        token.cancel()
    }

    @Test(arguments: [1.0, 2, -1])
    func `a periodic observer gets no time beyond the end`(rate: Double) throws {
        let rig = Rig(.silent(), isPlaying: false)
        let (start, end) = rate > 0 ? (Self.at(18), Self.at(20)) : (Self.at(2), .zero)
        rig.seek(to: start)
        let heard = Monitor<[MediaTime]>([])
        let token = rig.player.addPeriodicTimeObserver(
            forInterval: Self.at(7, 1000), on: queue
        ) { time in heard.change { $0.append(time) } }
        play(rig, rate: rate)
        rig.waitUntil { rate < 0 || $0.expectedEnd != nil }
        // The clock steps over the end, as a thread does that wakes late.
        rig.clock.advance(by: Self.at(19, 100) * (1 / abs(rate)))
        rig.item.timebase.waitForNotifications()
        rig.clock.advance(by: Self.at(15, 1000))
        rig.waitUntil { $0.hasPlayedToEnd }
        let times = settled(rig, heard)
        #expect(times.last == end && times.allSatisfy { rate > 0 ? $0 <= end : $0 >= end })
        // Zero is a multiple of the interval too.
        #expect(times.count { $0 == end } <= (rate > 0 ? 1 : 2), "\(times)")
        token.cancel()
    }

    @Test func `a periodic observer follows the player to another item`() {
        let rig = Rig(.silent(), isPlaying: false)
        let heard = Monitor<[MediaTime]>([])
        let token = rig.player.addPeriodicTimeObserver(forInterval: Self.at(5), on: queue) { time in
            heard.change { $0.append(time) }
        }
        let next = PlayerItem(asset: SyntheticAsset(.silent()))
        next.seek(to: Self.at(8))
        rig.player.replaceCurrentItem(with: next)
        #expect(heard.wait { $0.count == 1 ? $0 : nil } == [Self.at(8)])
        rig.item.seek(to: Self.at(1))
        next.pipeline.control.wait { $0.seek == nil ? true : nil }
        rig.player.play()
        next.pipeline.control.wait { $0.isRunning ? true : nil }
        rig.clock.advance(by: Self.at(4))
        next.timebase.waitForNotifications()
        dispatch.sync {}
        #expect(heard.withLock { $0 } == [8, 8, 10].map { Self.at($0) })
        token.cancel()
    }

    @Test func `an invalid interval leaves only calls at changes`() {
        for interval: MediaTime in [
            .invalid, .indefinite, .positiveInfinity, .negativeInfinity, .zero, Self.at(-1),
        ] {
            let rig = Rig(.silent(), isPlaying: false)
            let heard = Monitor<[MediaTime]>([])
            let token = rig.player.addPeriodicTimeObserver(forInterval: interval, on: queue) {
                time in
                heard.change { $0.append(time) }
            }
            play(rig)
            rig.advance(to: Self.at(10))
            #expect(settled(rig, heard) == [.zero])
            token.cancel()
        }
    }

    @Test func `a slow handler gets the newest time`() {
        let rig = Rig(.silent())
        let heard = Monitor<[MediaTime]>([])
        let isBusy = Monitor(true)
        dispatch.async { _ = isBusy.wait { $0 ? nil : true } }
        let token = rig.player.addPeriodicTimeObserver(
            forInterval: Self.at(1, 1_000_000_000), on: queue
        ) { time in heard.change { $0.append(time) } }
        rig.advance(to: Self.at(10))
        rig.item.timebase.waitForNotifications()
        isBusy.change { $0 = false }
        let times = settled(rig, heard)
        #expect(times.count == TimeMarks.limit)
        #expect(times.last == Self.at(10))
        token.cancel()
    }

    @Test func `a boundary observer is called for passed times, not for jumps`() {
        let rig = Rig(.silent(), isPlaying: false)
        let count = Monitor(0)
        let token = rig.player.addBoundaryTimeObserver(
            forTimes: [
                Self.at(5), Self.at(12), Self.at(5), .invalid, .indefinite, .positiveInfinity,
            ], on: queue
        ) { count.change { $0 += 1 } }
        play(rig)
        rig.advance(to: Self.at(49, 100))
        #expect(settled(rig, count) == 0)
        rig.advance(to: Self.at(5))
        #expect(settled(rig, count) == 1)
        rig.player.pause()
        rig.seek(to: Self.at(15))
        play(rig)
        rig.advance(to: rig.clock.time + Self.at(1))
        #expect(settled(rig, count) == 1)
        rig.player.pause()
        rig.seek(to: Self.at(11))
        play(rig)
        rig.advance(to: rig.clock.time + Self.at(2))
        #expect(settled(rig, count) == 2)
        token.cancel()
    }

    @Test func `a boundary is passed again after a seek back, and not when playing starts at it`() {
        let rig = Rig(.silent(), isPlaying: false)
        let count = Monitor(0)
        let token = rig.player.addBoundaryTimeObserver(forTimes: [Self.at(5)], on: queue) {
            count.change { $0 += 1 }
        }
        for passing in 1...3 {
            rig.seek(to: Self.at(4))
            play(rig)
            rig.advance(to: rig.clock.time + Self.at(2))
            #expect(settled(rig, count) == passing)
            rig.player.pause()
        }
        rig.seek(to: Self.at(5))
        play(rig)
        rig.advance(to: rig.clock.time + Self.at(2))
        #expect(settled(rig, count) == 3)
        token.cancel()
    }

    @Test func `boundaries are passed backwards`() {
        let timebase = Timebase(masterClock: HostClock.shared)
        let clock = ManualClock()
        timebase.master = .clock(clock)
        let heard = Monitor<[MediaTime]>([])
        let observer = TimeObserver(
            marks: TimeMarks([Self.at(5), Self.at(8), Self.at(12)]), tellsChanges: false,
            gate: ObservationGate(), queue: queue
        ) { time in heard.change { $0.append(time) } }
        observer.follow(timebase, isFirst: true)
        timebase.setRate(-2, time: Self.at(10), atMasterTime: .zero)
        clock.advance(by: Self.at(3))
        timebase.rate = 1
        clock.advance(by: Self.at(2))
        timebase.waitForNotifications()
        dispatch.sync {}
        #expect(heard.withLock { $0 } == [8, 5, 5].map { Self.at($0) })
        observer.cancel()
    }

    @Test func `an item that follows without a gap is observed from its start`() {
        let clock = ManualClock()
        let (ending, following) = (Timebase(masterClock: clock), Timebase(masterClock: clock))
        let heard = Monitor<[MediaTime]>([])
        let observer = TimeObserver(
            marks: TimeMarks([.zero, Self.at(1, 1000), Self.at(1)]), tellsChanges: false,
            gate: ObservationGate(), queue: queue
        ) { time in heard.change { $0.append(time) } }
        observer.follow(ending, isFirst: true)
        following.setRate(1, time: .zero, atMasterTime: Self.at(1), holdingUntilThen: true)
        clock.advance(to: Self.at(105, 1000))
        observer.follow(following)
        dispatch.sync {}
        #expect(heard.withLock { $0 } == [Self.at(1, 1000)])
        clock.advance(to: Self.at(2))
        following.waitForNotifications()
        dispatch.sync {}
        #expect(heard.withLock { $0 } == [Self.at(1, 1000), Self.at(1)])
        observer.cancel()
    }

    @Test func `an observer follows an item that changes while it begins`() {
        let clock = ManualClock()
        let (former, next) = (Timebase(masterClock: clock), Timebase(masterClock: clock))
        let heard = Monitor<[MediaTime]>([])
        let observer = TimeObserver(
            marks: TimeMarks([]), tellsChanges: true, gate: ObservationGate(), queue: queue
        ) { time in heard.change { $0.append(time) } }
        var isFirst = true
        observer.begin {
            guard isFirst else { return (next, { _ in nil }) }
            isFirst = false
            // The item is replaced just after it has been read.
            observer.follow(next)
            return (former, { _ in nil })
        }
        former.setTime(Self.at(1))
        next.setTime(Self.at(2))
        next.waitForNotifications()
        dispatch.sync {}
        let times = heard.withLock { $0 }
        #expect(times.last == Self.at(2) && !times.contains(Self.at(1)))
        observer.cancel()
    }

    @Test func `no observer is called once its token is cancelled or released`() {
        let rig = Rig(.silent())
        let count = Monitor(0)
        for step in 1...100 {
            let token = rig.player.addPeriodicTimeObserver(
                forInterval: Self.at(1, 1000), on: queue
            ) { _ in count.change { $0 += 1 } }
            rig.clock.advance(to: Self.at(Int64(step) * 5, 1000))
            token.cancel()
            let before = count.withLock { $0 }
            rig.clock.advance(by: Self.at(2, 1000))
            dispatch.sync {}
            #expect(count.withLock { $0 } == before)
        }
        #expect(count.withLock { $0 } > 0)
    }

    @Test func `an observer may cancel itself and release the player in its handler`() {
        let rig = Rig(.silent(), isPlaying: false)
        let held = Monitor<(token: ObservationToken?, player: Player?)>((nil, nil))
        let count = Monitor(0)
        do {
            let item = PlayerItem(asset: SyntheticAsset(.silent()))
            let player = Player(playerItem: item, audioSink: nil, masterClock: rig.clock)
            let token = player.addPeriodicTimeObserver(forInterval: Self.at(1), on: queue) { _ in
                held.withLock { $0.token }?.cancel()
                held.withLock { $0 = (nil, nil) }
                count.change { $0 += 1 }
            }
            held.change { $0 = (token, player) }
            player.play()
        }
        count.wait { $0 > 0 ? true : nil }
        dispatch.sync {}
        #expect(count.withLock { $0 } == 1)
    }

    @Test func `marks between two times are in the order of passing`() {
        let marks = TimeMarks([Self.at(3), Self.at(1), Self.at(2), .invalid, Self.at(2)])
        #expect(marks.passed(from: Self.at(1), to: Self.at(3)) == [Self.at(2), Self.at(3)])
        #expect(marks.passed(from: Self.at(3), to: .zero) == [Self.at(2), Self.at(1)])
        #expect(marks.passed(from: .invalid, to: Self.at(3)).isEmpty)
        #expect(marks.next(after: Self.at(3), isForward: true) == nil)
        let many = TimeMarks((1...40).map { Self.at($0) })
        let last = (25...40).map { Self.at($0) }
        #expect(many.passed(from: .zero, to: Self.at(40)) == last)
        #expect(
            many.passed(from: Self.at(41), to: .zero) == (1...16).reversed().map { Self.at($0) })
        let thirds = TimeMarks.multiples(of: Self.at(1, 3))
        #expect(thirds.next(after: Self.at(2, 3), isForward: true) == Self.at(1, 1))
        #expect(thirds.next(after: Self.at(2, 3), isForward: false) == Self.at(1, 3))
        #expect(thirds.next(after: Self.at(-1, 10), isForward: true) == .zero)
        #expect(thirds.next(after: Self.at(-1, 10), isForward: false) == Self.at(-1, 3))
        #expect(TimeMarks.multiples(of: nil).next(after: .zero, isForward: true) == nil)
        #expect(thirds.passed(from: .zero, to: Self.at(1000, 1)).count == TimeMarks.limit)
        #expect(thirds.passed(from: .zero, to: Self.at(1000, 1)).last == Self.at(1000, 1))
    }
}
