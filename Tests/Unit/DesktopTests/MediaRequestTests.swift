// SPDX-License-Identifier: Apache-2.0

import PlayheadBus
import Testing

@testable import PlayheadDesktop

@Suite("Media requests")
struct MediaRequestTests {
    private let player = MediaStatus.playerInterface

    @Test func `calls are read with their arguments, and refused without`() {
        #expect(MediaRequest("PlayPause", of: player, []) == .playPause)
        #expect(MediaRequest("Seek", of: player, [.int64(-5)]) == .seek(-5))
        #expect(MediaRequest("Seek", of: player, []) == nil)
        #expect(MediaRequest("Seek", of: player, [.text("5")]) == nil)
        #expect(
            MediaRequest("SetPosition", of: player, [.path("/t/1"), .int64(7)])
                == .setPosition(7, track: "/t/1"))
        #expect(MediaRequest("Quit", of: player, []) == nil)
        #expect(MediaRequest("Quit", of: MediaStatus.rootInterface, []) == .quit)
        #expect(MediaRequest("Nonsense", of: player, []) == nil)
    }

    @Test func `properties are set by values of their kind`() {
        func set(_ name: String, _ value: BusValue) -> MediaRequest? {
            MediaRequest(setting: name, of: player, to: value)
        }
        #expect(set("Rate", .variant(.double(2))) == .setRate(2))
        #expect(set("Rate", .variant(.double(0))) == .pause)
        #expect(set("Rate", .variant(.double(.nan))) == nil)
        #expect(set("Volume", .variant(.double(-1))) == .setVolume(0))
        #expect(set("LoopStatus", .variant(.text("Track"))) == .setLoop(.track))
        #expect(set("LoopStatus", .variant(.text("None"))) == .setLoop(.none))
        #expect(set("LoopStatus", .variant(.text("Playlist"))) == .setLoop(.playlist))
        #expect(set("LoopStatus", .variant(.text("Other"))) == nil)
        // Shuffled playback is not supported.
        #expect(set("Shuffle", .variant(.flag(true))) == nil)
        #expect(set("Metadata", .variant(.text("x"))) == nil)
    }

    @Test func `every property has a type that D-Bus knows, and what is mandatory is there`() {
        let status = MediaStatus()
        for value in (status.playerProperties.merging(status.rootProperties) { $1 }).values {
            #expect(["b", "d", "s", "as", "a{sv}"].contains(value.signature))
        }
        // MPRIS 2.2, the player's interface.
        let mandatory = [
            "PlaybackStatus", "Rate", "Metadata", "Volume", "MinimumRate", "MaximumRate",
            "CanGoNext", "CanGoPrevious", "CanPlay", "CanPause", "CanSeek", "CanControl",
        ]
        #expect(mandatory.allSatisfy { status.playerProperties[$0] != nil })
    }

    @Test(arguments: [-16, -1, 1.0 / 16, 1, 16])
    func `the rate lies within its bounds, backwards too`(rate: Double) throws {
        var status = MediaStatus()
        status.rate = rate
        let least = try #require(status.playerProperties["MinimumRate"]?.number)
        let most = try #require(status.playerProperties["MaximumRate"]?.number)
        #expect((least...most).contains(rate))
        // MPRIS 2.2: the minimum is at most 1, the maximum at least 1.
        #expect(least <= 1 && most >= 1)
    }
}
