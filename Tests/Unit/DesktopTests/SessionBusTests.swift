// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBus
import PlayheadCommands
import PlayheadPlayback
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadDesktop

@Suite(
    "Session bus", .serialized,
    .enabled(if: PrivateBus.isAvailable, "\(PrivateBus.absence)"))
@MainActor struct SessionBusTests {
    /// The part of a desktop's screen saver that handles inhibition.
    private final class ScreenSaver: Sendable {
        struct State {
            var cookies: Set<UInt32> = []
            var last: UInt32 = 40
            var count = 0
        }

        let bus: SessionBus
        let state = Monitor(State())

        init?(_ address: String) {
            guard let bus = SessionBus(address: address) else { return nil }
            self.bus = bus
            let ready = Monitor(false)
            bus.addObject("/org/freedesktop/ScreenSaver") { [state] call in
                let argument = call.read()
                return state.change { state in
                    switch call.member {
                    case "Inhibit":
                        state.last += 1
                        state.count += 1
                        state.cookies.insert(state.last)
                        return .values([.uint32(state.last)])
                    case "UnInhibit":
                        if case .uint32(let cookie)? = argument { state.cookies.remove(cookie) }
                        return .values([])
                    default: return .unknown
                    }
                }
            }
            bus.requestName("org.freedesktop.ScreenSaver") { _ in ready.change { $0 = true } }
            ready.wait { $0 ? true : nil }
        }
    }

    @MainActor private struct Stage {
        let bus: PrivateBus
        let clock = ManualClock()
        let player: Player
        let controller: PlayerController
        let session: DesktopSession

        init(hasPictures: Bool = true) throws {
            bus = try PrivateBus()
            let duration = MediaTime(value: 20, timescale: 1)
            let times = SyntheticFrameTimes(framesPerSecond: 10, duration: duration)
            let media =
                hasPictures
                ? SyntheticMedia(frameTimes: times, sounds: [])
                : SyntheticMedia(
                    frameTimes: nil, sounds: [SyntheticSound(duration: duration)])
            let item = PlayerItem(asset: SyntheticAsset(media))
            player = Player(playerItem: item, audioSink: nil, masterClock: clock)
            controller = PlayerController(player: player)
            session = try #require(
                DesktopSession(controller: controller, address: bus.address))
        }

        private nonisolated static let name = "org.mpris.MediaPlayer2.playhead"
        private nonisolated static let path = "/org/mpris/MediaPlayer2"

        func get(_ property: String, of interface: String = "Player") async throws -> String {
            let address = bus.address
            return try await onThread {
                try ProcessRunner.check([
                    "busctl", "--address=\(address)", "get-property", Self.name, Self.path,
                    "org.mpris.MediaPlayer2" + (interface.isEmpty ? "" : ".\(interface)"), property,
                ]).text.trimmingCharacters(in: .whitespacesAndNewlines)
            }
        }

        func call(_ member: String, _ arguments: String...) async throws {
            let address = bus.address
            try await onThread {
                try ProcessRunner.check(
                    [
                        "busctl", "--address=\(address)", "call", Self.name, Self.path,
                        "org.mpris.MediaPlayer2.Player", member,
                    ] + arguments)
                return ()
            }
        }

        /// Returns the error of setting a property; an empty string on success.
        func set(_ property: String, _ signature: String, _ value: String) async throws -> String {
            let address = bus.address
            return try await onThread {
                try ProcessRunner.run([
                    "busctl", "--address=\(address)", "set-property", Self.name, Self.path,
                    "org.mpris.MediaPlayer2.Player", property, signature, value,
                ]).standardError
            }
        }

        /// Waits until the video is ready, and until the player can be called: its name is taken on
        /// the bus's own thread, after the session is created.
        func ready() async throws {
            #expect(await eventually { player.currentItem?.status == .readyToPlay })
            session.update()
            let address = bus.address
            try await onThread {
                let deadline = ContinuousClock.now + patience
                while ContinuousClock.now < deadline {
                    let answer = try ProcessRunner.check([
                        "busctl", "--address=\(address)", "call", "org.freedesktop.DBus",
                        "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameHasOwner", "s",
                        Self.name,
                    ])
                    if answer.text.hasPrefix("b true") { return }
                }
                Issue.record("no program owns the name \(Self.name)")
            }
        }
    }

    @Test func `without a bus there is no session`() {
        #expect(SessionBus(address: "unix:path=/nonexistent/bus") == nil)
    }

    @Test func `a player is visible and controllable through MPRIS`() async throws {
        let stage = try Stage()
        defer { stage.session.close() }
        try await stage.ready()
        #expect(try await stage.get("Identity", of: "") == "s \"Playhead\"")
        #expect(try await stage.get("PlaybackStatus") == "s \"Paused\"")
        #expect(try await stage.get("Metadata").contains("\"mpris:length\" x 20000000"))
        try await stage.call("PlayPause")
        #expect(await eventually { stage.player.timeControlStatus == .playing })
        stage.session.update()
        #expect(try await stage.get("PlaybackStatus") == "s \"Playing\"")
        try await stage.call("Seek", "x", "5000000")
        #expect(await eventually { stage.player.currentItem?.currentTime.seconds ?? 0 >= 5 })
        #expect(try await stage.get("Position").hasPrefix("x 5"))
        try await stage.call("Pause")
        #expect(await eventually { stage.player.timeControlStatus == .paused })
    }

    @Test func `an invalid property change is refused without an effect`() async throws {
        let stage = try Stage()
        defer { stage.session.close() }
        try await stage.ready()
        #expect(try await stage.set("LoopStatus", "s", "Track") == "")
        #expect(await eventually { stage.controller.value(of: .loopFile) == .text("inf") })
        stage.session.update()
        let answer = try await stage.set("LoopStatus", "s", "Playlist")
        #expect(answer.contains("invalid value for LoopStatus"), "\(answer)")
        #expect(try await stage.get("LoopStatus") == "s \"Track\"")
        #expect(try await stage.set("Shuffle", "b", "true").contains("unknown property"))
        #expect(try await stage.set("CanSeek", "b", "false").contains("invalid value for CanSeek"))
        #expect(try await stage.set("LoopStatus", "s", "None") == "")
        #expect(await eventually { stage.controller.value(of: .loopFile) == .no })
    }

    @Test func `a position for another file changes nothing`() async throws {
        let stage = try Stage()
        defer { stage.session.close() }
        try await stage.ready()
        try await stage.call("SetPosition", "ox", "/org/playhead/track/99", "5000000")
        try await stage.call("SetPosition", "ox", "/org/playhead/track/1", "99000000")
        try await stage.call("SetPosition", "ox", "/org/playhead/track/1", "7000000")
        #expect(await eventually { stage.player.currentItem?.currentTime.seconds == 7 })
    }

    @Test func `playerctl, where it is, knows the player`() async throws {
        guard ProcessRunner.has("playerctl") else { return }
        let stage = try Stage()
        defer { stage.session.close() }
        try await stage.ready()
        let address = stage.bus.address
        func playerctl(_ arguments: String...) async throws -> String {
            try await onThread {
                try ProcessRunner.check(
                    ["playerctl", "-p", "playhead"] + arguments,
                    environment: ["DBUS_SESSION_BUS_ADDRESS": address]
                ).text.trimmingCharacters(in: .whitespacesAndNewlines)
            }
        }
        #expect(try await playerctl("status") == "Paused")
        #expect(try await playerctl("metadata", "mpris:length") == "20000000")
        _ = try await playerctl("play")
        #expect(await eventually { stage.player.timeControlStatus == .playing })
        _ = try await playerctl("position", "3")
        #expect(await eventually { stage.player.currentItem?.currentTime.seconds == 3 })
        _ = try await playerctl("volume", "0.5")
        #expect(await eventually { stage.player.volume == 0.5 })
    }

    @Test func `the screen stays on while a video plays, and only then`() async throws {
        let stage = try Stage()
        let saver = try #require(ScreenSaver(stage.bus.address))
        defer { saver.bus.close() }
        try await stage.ready()
        func inhibitions() -> Int { saver.state.withLock { $0.cookies.count } }
        #expect(inhibitions() == 0)
        stage.player.play()
        #expect(
            await eventually {
                stage.session.update()
                return inhibitions() == 1
            })
        stage.player.pause()
        #expect(
            await eventually {
                stage.session.update()
                return inhibitions() == 0
            })
        stage.player.play()
        #expect(
            await eventually {
                stage.session.update()
                return inhibitions() == 1
            })
        // A client that closes before the answer has come leaves the release to the bus, which this
        // saver does not query. Once the client has another name, its answer is on the way, and
        // later answers come after it.
        await withCheckedContinuation { continuation in
            saver.bus.requestName("org.playhead.test") { _ in continuation.resume() }
        }
        _ = try await stage.get("PlaybackStatus")
        stage.session.close()
        #expect(await eventually { inhibitions() == 0 })
        #expect(saver.state.withLock { $0.count } == 2)
    }

    @Test func `the screen may turn off while there is only audio`() async throws {
        let stage = try Stage(hasPictures: false)
        let saver = try #require(ScreenSaver(stage.bus.address))
        defer { saver.bus.close() }
        try await stage.ready()
        stage.player.play()
        stage.session.update()
        // The answer comes after those of all previous requests.
        #expect(try await stage.get("PlaybackStatus") == "s \"Playing\"")
        #expect(saver.state.withLock { $0.count } == 0)
    }
}
