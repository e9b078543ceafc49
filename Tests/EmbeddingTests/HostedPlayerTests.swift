// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import MediaTestSupport
import PlayheadAssets
import PlayheadEffects
import PlayheadGL
import PlayheadLayers
import PlayheadPlayback
import PlayheadThreads
import PlayheadTime
import Synchronization
import Testing

@testable import PlayheadC

/// Calls that fall into the middle of others.
@Suite("Players of hosts, called from everywhere")
struct HostedPlayerTests {
    private static func player() throws -> HostedPlayer {
        HostedPlayer(
            try HostedPlayer.makeDevice(
                clockMode: PLAYHEAD_CLOCK_TICK, clock: nil, clockUser: nil,
                soundMode: PLAYHEAD_SOUND_NONE, rate: 0, channels: 0))
    }

    private static func asset() -> SyntheticAsset {
        SyntheticAsset(
            SyntheticMedia(
                frameTimes: SyntheticFrameTimes(
                    framesPerSecond: 25, duration: MediaTime(value: 2, timescale: 1)),
                sounds: []))
    }

    private static func device(_ player: HostedPlayer) -> Player {
        player.control.withLock { $0.device.player }
    }

    /// What the host has open, and what its player plays.
    private static func items(
        _ player: HostedPlayer
    ) -> (opened: PlayerItem?, played: PlayerItem?) {
        (player.control.withLock { $0.film?.item }, device(player).currentItem)
    }

    /// Has something happen once the film that is open is given up, and before its player is given
    /// another one.
    private static func whenNextIsOpened(
        _ player: HostedPlayer, _ body: @escaping @Sendable () -> Void
    ) {
        let isDone = Atomic(false)
        let token = ObservationToken(gate: ObservationGate()) {
            if !isDone.exchange(true, ordering: .relaxed) { body() }
        }
        player.control.withLock { control in
            guard control.film != nil else { return }
            control.film?.tokens.append(token)
        }
    }

    @Test("a pause holds that comes between the end of a round and the next one")
    func pausesBetweenRounds() throws {
        let player = try Self.player()
        try player.open(Self.asset())
        let item = try player.film().item
        try player.setLoop(-1, start: 0, end: 60_000_000)
        player.play()
        #expect(Self.device(player).rate == 1)
        player.pause()
        // What was on its way is told now.
        player.reachedEnd(of: item, isFilmsEnd: false)
        #expect(Self.device(player).rate == 0)
        player.setRate(2)
        player.reachedEnd(of: item)
        #expect(Self.device(player).rate == 0)
        #expect(player.control.withLock { $0.loop.done } == 2)
        player.play()
        player.reachedEnd(of: item)
        #expect(Self.device(player).rate == 2)
        player.setRate(0)
        player.reachedEnd(of: item)
        #expect(Self.device(player).rate == 0)
        try player.start(at: 0, clockTime: 0, rate: 1)
        player.reachedEnd(of: item)
        #expect(Self.device(player).rate == 1)
    }

    @Test("a round begins though the player has come to its end by itself")
    func beginsRounds() throws {
        let player = try Self.player()
        try player.open(Self.asset())
        try player.setLoop(-1, start: 0, end: noTime)
        player.play()
        Self.device(player).rate = 0
        player.reachedEnd(of: try player.film().item)
        #expect(Self.device(player).rate == 1)
    }

    @Test("a loop begins again at the bound that it is played towards, and at no other")
    func loopsBothWays() throws {
        let player = try Self.player()
        try player.open(Self.asset())
        try player.setLoop(5, start: 800_000_000, end: 1_200_000_000)
        try player.seek(to: 1_600_000_000, mode: playhead_seek_mode(PLAYHEAD_SEEK_EXACT))
        player.setRate(-2)
        player.play()
        // On the way in the end is passed, which is no round.
        try Self.tick(player, 300_000_000, to: 1_000_000_000)
        #expect(player.control.withLock { $0.loop.left } == 5)
        try Self.tick(player, 110_000_000, to: 1_200_000_000)
        #expect(player.control.withLock { $0.loop.left } == 4)
        try Self.tick(player, 100_000_000, to: 1_000_000_000)
        #expect(player.control.withLock { $0.loop.left } == 4)
        player.setRate(2)
        try Self.tick(player, 110_000_000, to: 800_000_000)
        #expect(player.control.withLock { $0.loop.left } == 3)
    }

    /// Ticks once the player runs, and waits until it is where it comes to.
    private static func tick(_ player: HostedPlayer, _ delta: Int64, to time: Int64) throws {
        let item = try player.film().item
        try eventually("playing") {
            player.transport == PLAYHEAD_PLAYING && !item.state.isSeeking
        }
        try player.tick(delta)
        try eventually("\(time) ns, not \(item.currentTime)") {
            !item.state.isSeeking && item.currentTime.hosted == time
        }
        // What was passed on the way is told there.
        let isHeard = Monitor(false)
        ObservationQueue.background.async { isHeard.change { $0 = true } }
        isHeard.wait { $0 ? true : nil }
    }

    @Test("what waits of a film goes with it, but for why it failed and for what the player does")
    func dropsEvents() throws {
        let player = try Self.player()
        func note(of item: PlayerItem) {
            for type in PLAYHEAD_EVENT_READY...PLAYHEAD_EVENT_TRACKS { player.note(type, of: item) }
        }
        func waiting(of item: PlayerItem) -> [Int] {
            var types: [Int] = []
            while let event = player.events.next() {
                if event.item == ObjectIdentifier(item) { types.append(event.type) }
            }
            return types
        }
        try player.open(Self.asset())
        let first = try player.film().item
        try eventually("the film") { first.status == .readyToPlay }
        note(of: first)
        try player.open(Self.asset())
        #expect(
            Set(waiting(of: first)) == [PLAYHEAD_EVENT_ERROR, PLAYHEAD_EVENT_TRANSPORT])
        // What comes too late is not heard.
        note(of: first)
        #expect(waiting(of: first) == [])
        let second = try player.film().item
        note(of: second)
        player.close()
        #expect(
            Set(waiting(of: second)) == [PLAYHEAD_EVENT_ERROR, PLAYHEAD_EVENT_TRANSPORT])
        note(of: second)
        #expect(waiting(of: second) == [])
    }

    @Test("a film that is closed while it is being opened is not played")
    func closesWhileOpening() throws {
        let player = try Self.player()
        try player.open(Self.asset())
        player.play()
        Self.whenNextIsOpened(player) { player.close() }
        try player.open(Self.asset())
        let items = Self.items(player)
        #expect(items.opened == nil)
        #expect(items.played == nil)
        try player.open(Self.asset())
        #expect(Self.items(player).played === (try player.film().item))
    }

    @Test("of two films that are opened at once the one that is open is played")
    func opensWhileOpening() throws {
        let player = try Self.player()
        try player.open(Self.asset())
        let last = Self.asset()
        Self.whenNextIsOpened(player) { try? player.open(last) }
        try player.open(Self.asset())
        let items = Self.items(player)
        #expect(items.opened?.asset === last)
        #expect(items.played === items.opened)
        try eventually("the film") { items.played?.status == .readyToPlay }
    }

    @Test("what is open is what is played, however many threads open and close")
    func opensAndClosesAnywhere() throws {
        let player = try Self.player()
        let threads = (0..<3).map { number in
            WorkerThread(name: "host \(number)") {
                for round in 0..<40 {
                    if (number + round).isMultiple(of: 3) {
                        player.close()
                    } else {
                        try? player.open(Self.asset())
                    }
                }
            }
        }
        for thread in threads { thread.join() }
        let items = Self.items(player)
        #expect(items.played === items.opened)
        try player.open(Self.asset())
        let film = try player.film()
        #expect(Self.items(player).played === film.item)
        try eventually("the film") { film.item.status == .readyToPlay }
    }

    @Test("of more events than wait the oldest are lost, whatever comes")
    func fullQueue() {
        let queue = EventQueue()
        for time in Int64(0)..<80 {
            queue.append(EventQueue.Event(type: PLAYHEAD_EVENT_SEEKED, time: time))
        }
        queue.append(EventQueue.Event(type: PLAYHEAD_EVENT_ENDED))
        queue.append(EventQueue.Event(type: PLAYHEAD_EVENT_ERROR))
        var events: [EventQueue.Event] = []
        while let event = queue.next() { events.append(event) }
        #expect(events.count == 64)
        #expect(events.suffix(2).map(\.type) == [PLAYHEAD_EVENT_ENDED, PLAYHEAD_EVENT_ERROR])
        #expect(events.dropLast(2).map(\.time) == Array(18..<80))
        #expect(queue.lostCount == 18)
    }

    @Test("a problem of drawing has the status of what is wrong")
    func problems() {
        let effect = EffectError.unreadable(path: "x.fs", reason: "it is gone")
        #expect(
            CallFailure(RenderReport.Problem.effect(effect)).status == CallFailure(effect).status)
        #expect(
            CallFailure(RenderReport.Problem.gl(.contextLost)).status
                == playhead_status(PLAYHEAD_CONTEXT_LOST))
    }
}
