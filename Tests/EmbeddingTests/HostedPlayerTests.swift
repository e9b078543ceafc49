// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import MediaTestSupport
import PlayheadAssets
import PlayheadPlayback
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
}
