// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadAudio
import PlayheadCommands
import PlayheadPlayback
import PlayheadTime
import Testing

/// Commands and properties on a real player with a stopped clock.
@Suite @MainActor struct PlayerControllerTests {
    private let player: Player
    private let controller: PlayerController
    private let clock = ManualClock()

    init() async throws {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 30, duration: MediaTime(value: 20, timescale: 1)))
        media.name = "test film"
        media.sounds.append(SyntheticSound(duration: media.duration, languageTag: "de"))
        let item = PlayerItem(asset: SyntheticAsset(media))
        player = Player(
            playerItem: item, audioSink: NullAudioSink(clock: clock), masterClock: clock)
        controller = PlayerController(player: player)
        try await item.waitUntilReady()
    }

    private var position: Double? { controller.value(of: .timePosition)?.number }

    @Test func `seeks add up, stay within the file, and can be undone`() throws {
        try controller.perform("seek 5")
        #expect(position == 5)
        try controller.perform("seek 2; seek -3 exact")
        #expect(position == 4)
        try controller.perform("seek 50 absolute-percent")
        #expect(position == 10)
        try controller.perform("seek -5 absolute")
        #expect(position == 15)
        try controller.perform("revert-seek")
        #expect(position == 10)
        try controller.perform("seek -60")
        #expect(position == 0)
        try controller.perform("seek 60")
        #expect(position == 20)
        // Only the command counts negative times from the end; the property stops at the beginning.
        try controller.perform("seek 3 absolute; add time-pos -10")
        #expect(position == 0)
        try controller.perform("set time-pos 1.5")
        #expect(position == 1.5)
        #expect(controller.value(of: .timeRemaining) == .number(18.5))
    }

    @Test(arguments: ["seek 100 absolute-percent", "seek 1:00", "set time-pos 20"])
    func `eof-reached is set by a paused seek to the end or past it`(seek: String) async throws {
        #expect(controller.value(of: .hasEnded) == .flag(false))
        try controller.perform(seek)
        try #require(await eventually { controller.value(of: .hasEnded) == .flag(true) })
        try controller.perform("seek -5")
        try #require(await eventually { controller.value(of: .isSeeking) == .flag(false) })
        #expect(controller.value(of: .hasEnded) == .flag(false))
    }

    /// A playlist of three videos, of which the second plays.
    private final class Films: PlayerPlaylist {
        var files = ["a", "b", "c"]
        var position: Int? = 1
        func play(at index: Int) { position = index }
        func append(_ file: String) { files.append(file) }
        func stop() { position = nil }
    }

    /// A playlist that can be rearranged.
    private final class ArrangeableFilms: PlayerPlaylist {
        var files = ["a", "b", "c"]
        var position: Int? = 1
        func play(at index: Int) { position = index }
        func append(_ file: String) { files.append(file) }
        func stop() { position = nil }
        var isRepeated = false
        var canBeRepeated: Bool { true }
        func setRepeated(_ isRepeated: Bool) { self.isRepeated = isRepeated }
        func arrange(_ places: [Int]) -> Bool {
            files = places.map { files[$0] }
            position = position.flatMap { places.firstIndex(of: $0) }
            return true
        }
    }

    @Test func `a playlist is arranged where it can be, by places that it has`() throws {
        #expect(throws: CommandError.unsupported("playlist-clear")) {
            try controller.perform("playlist-clear")
        }
        let fixed = Films()
        controller.playlist = fixed
        #expect(throws: CommandError.unsupported("playlist-shuffle")) {
            try controller.perform("playlist-shuffle")
        }
        let films = ArrangeableFilms()
        controller.playlist = films
        for (command, expected) in [
            ("playlist-move 0 3", "bca"), ("playlist-move 2 0", "abc"),
            ("playlist-move 1 1", "abc"),
            ("playlist-move 0 99", "bca"), ("playlist-shuffle", "abc"), ("playlist-remove 2", "ab"),
        ] {
            try controller.perform(CommandSequence(command))
            if command == "playlist-shuffle" { films.files.sort() }
            #expect(films.files.joined() == expected, "\(command)")
        }
        for command in ["playlist-remove 2", "playlist-remove -1", "playlist-move 2 0"] {
            #expect(throws: CommandError.self) { try controller.perform(CommandSequence(command)) }
        }
        films.position = 0
        try controller.perform("playlist-clear")
        #expect(films.files == ["a"])
        try controller.perform("playlist-remove current")
        #expect(films.files.isEmpty && films.position == nil)
        #expect(throws: CommandError.unavailable(.playlistPosition)) {
            try controller.perform("playlist-remove current")
        }
    }

    /// A frame taken for a coming vsync is visible if a pause comes before that vsync.
    @Test func `after a pause seeks by a distance count from what is seen`() throws {
        let item = try #require(player.currentItem)
        let output = PlayerItemVideoOutput()
        item.add(output)
        try controller.perform("seek 1 exact; set pause no")
        try eventually("the video to run") {
            clock.advance(by: MediaTime(value: 1, timescale: 1000))
            return item.currentTime > MediaTime(value: 1, timescale: 1)
        }
        let coming = output.itemTime(
            forHostTime: clock.time + MediaTime(value: 1, timescale: 30))
        _ = output.waitForPixelBuffer(after: coming)
        let seen = try #require(output.copyPixelBuffer(forItemTime: coming)).displayTime
        try controller.perform("set pause yes")
        #expect(item.currentTime < seen)
        try controller.perform("seek 5 exact")
        #expect(position == (seen + MediaTime(value: 5, timescale: 1)).seconds)
    }

    @Test func `properties of video and audio have mpv's names and meanings`() throws {
        func value(_ name: String) throws -> PropertyValue? {
            let (property, path) = try #require(PlayerProperty.atPath(name), "\(name)")
            let whole = controller.value(of: property)
            return path.map { whole?.part($0) } ?? whole
        }
        try controller.perform("set speed 2; seek 4 absolute exact")
        let expected: [(String, PropertyValue?)] = [
            ("playtime-remaining", .number(8)), ("time-remaining", .number(16)),
            ("core-idle", .flag(true)), ("playback-abort", .flag(false)),
            ("container-fps", .number(30)), ("estimated-frame-number", .number(120)),
            ("estimated-frame-count", .number(600)), ("volume-max", .number(130)),
            ("loop-playlist", .no), ("video-params/rotate", .number(0)),
            ("audio-params/channel-count", try value("track-list/1/demux-channel-count")),
            ("current-tracks/audio/id", .number(1)), ("current-tracks/video/id", .number(1)),
            ("current-tracks/sub", nil), ("chapter-metadata", nil),
            ("playlist-pos-1", nil), ("options/speed", .number(2)), ("file-size", nil),
        ]
        for (name, expected) in expected {
            let found = try value(name)
            #expect(found == expected, "\(name)")
        }
        for name in ["dwidth", "dheight", "width", "height", "pid", "video-params/w"] {
            let number = try value(name)?.number ?? 0
            #expect(number > 0, "\(name)")
        }
        for name in [
            "video-format", "video-codec", "audio-codec", "audio-codec-name", "file-format",
            "working-directory", "video-params/pixelformat", "audio-params/format",
        ] {
            let isText = if case .text? = try value(name) { true } else { false }
            #expect(isText, "\(name)")
        }
        guard case .list(let names)? = try value("property-list") else {
            Issue.record("no list")
            return
        }
        for name in ["playtime-remaining", "playback-time", "property-list"] {
            #expect(names.contains(.text(name)), "\(name)")
        }
        #expect(try value("command-list")?.part("0/name") != nil)
        try controller.perform("set pause no")
        #expect(controller.value(of: .isCoreIdle) == .flag(player.timeControlStatus != .playing))
        let films = Films()
        controller.playlist = films
        #expect(try value("playlist-pos-1") == .number(2))
        try controller.perform("set playlist-pos-1 1")
        #expect(films.position == 0)
        films.position = nil
        #expect(try value("playlist-pos") == .number(-1))
        #expect(throws: CommandError.unavailable(.loopPlaylist)) {
            try controller.perform("set loop-playlist inf")
        }
        try controller.perform("set loop-playlist no")
    }

    @Test func `an impossible frame rate is not reported`() async throws {
        let media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 600, duration: MediaTime(value: 1, timescale: 1)), sounds: [])
        let item = PlayerItem(asset: SyntheticAsset(media))
        player.replaceCurrentItem(with: item)
        try await item.waitUntilReady()
        for property in [PlayerProperty.frameRate, .frameCount, .frameNumber, .audioCodec] {
            #expect(controller.value(of: property) == nil, "\(property)")
        }
    }

    @Test func `insert-next adds an entry after the current one`() throws {
        let films = ArrangeableFilms()
        controller.playlist = films
        try controller.perform("loadfile x insert-next; loadfile y insert-next-play -1")
        #expect(films.files.joined() == "abyxc" && films.position == 1)
        films.position = nil
        try controller.perform("loadfile z insert-next")
        #expect(films.files.joined() == "abyxcz")
        films.position = 5
        try controller.perform("loadfile w insert-next 0")
        #expect(films.files.joined() == "abyxczw")
        #expect(throws: CommandError.self) {
            try controller.perform("loadfile x append -1 start=5")
        }
    }

    @Test func `a list that is repeated goes round both ways`() throws {
        let films = ArrangeableFilms()
        controller.playlist = films
        try controller.perform("set loop-playlist inf; playlist-next force; playlist-next weak")
        #expect(films.position == 0)
        try controller.perform("playlist-prev")
        #expect(films.position == 2)
        #expect(controller.value(of: .loopPlaylist) == .text("inf"))
        try controller.perform("cycle loop-playlist; playlist-next")
        #expect(films.position == 2)
    }

    @Test func `properties are read and set by name`() throws {
        #expect(controller.value(of: .duration) == .number(20))
        #expect(controller.value(of: .mediaTitle) == .text("test film"))
        #expect(controller.value(of: .pause) == .flag(true))
        try controller.perform("cycle pause")
        #expect(player.rate == 1)
        try controller.perform("set speed 2")
        #expect(player.rate == 2)
        // At the start, reverse playback would end at once.
        try controller.perform("seek 5; multiply speed -1")
        #expect(player.rate == -2)
        try controller.perform("set pause yes")
        #expect(player.rate == 0)
        try controller.perform("set volume 50; add volume 5; cycle mute")
        #expect(player.volume == 0.55)
        #expect(player.isMuted)
        try controller.set(.volume, to: .number(1000))
        #expect(controller.value(of: .volume) == .number(130))
        #expect(!player.isMuted)
        #expect(controller.value(of: .chapter) == nil)
        #expect(controller.value(of: .width) == .number(320))
    }

    @Test func `tracks are cycled through, and can be off`() throws {
        #expect(controller.value(of: .audioTrack) == .number(1))
        try controller.perform("cycle audio")
        #expect(controller.value(of: .audioTrack) == .number(2))
        #expect(controller.trackName(2, of: .audioTrack) == "German")
        try controller.perform("cycle audio")
        #expect(controller.value(of: .audioTrack) == PropertyValue.no)
        try controller.perform("cycle audio")
        #expect(controller.value(of: .audioTrack) == .number(1))
        try controller.perform("set vid no")
        #expect(controller.value(of: .videoTrack) == PropertyValue.no)
        #expect(throws: CommandError.self) { try controller.perform("set aid 3") }
    }

    @Test func `revert-seek returns within the same file only`() async throws {
        try controller.perform("seek 5; seek 10 absolute; revert-seek")
        #expect(position == 5)
        let other = PlayerItem(asset: SyntheticAsset(SyntheticMedia()))
        player.replaceCurrentItem(with: other)
        try await other.waitUntilReady()
        #expect(throws: CommandError.unsupported("revert-seek")) {
            try controller.perform("revert-seek")
        }
    }

    @Test func `chapter steps go beyond the first and the last chapter`() async throws {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 30, duration: MediaTime(value: 60, timescale: 1)))
        media.chapters = [(5, 20), (20, 40), (40, 60)].map { start, end in
            Chapter(
                title: "",
                timeRange: MediaTimeRange(
                    start: MediaTime(value: start, timescale: 1),
                    end: MediaTime(value: end, timescale: 1)))
        }
        let item = PlayerItem(asset: SyntheticAsset(media))
        player.replaceCurrentItem(with: item)
        try await item.waitUntilReady()
        for (time, step, place) in [
            (50, 1, 60), (2, -1, 0), (2, 1, 5), (6, -1, 0), (22, -1, 5), (30, -1, 20), (30, 1, 40),
            (50, -2, 20),
        ] as [(Int, Int, Double)] {
            try controller.perform("seek \(time) absolute exact; add chapter \(step)")
            #expect(position == place, "\(step) from \(time)")
        }
    }

    @Test func `a repeated video restarts after each end`() async throws {
        try controller.perform("set loop-file inf; seek 19 absolute")
        player.play()
        for _ in 0..<2 {
            try #require(await eventually { player.timeControlStatus == .playing })
            clock.advance(by: MediaTime(value: 3, timescale: 2))
            try #require(
                await eventually {
                    controller.update()
                    return (position ?? 20) < 10
                })
            #expect(player.rate == 1)
            try controller.perform("seek 19 absolute")
        }
    }

    @Test func `A and B apply in either order, and equal ones do not loop`() throws {
        try controller.perform("set ab-loop-a 6; set ab-loop-b 6")
        #expect(!controller.isRepeating)
        // The position is beyond the range: it returns to the start of the range.
        try controller.perform("seek 9 absolute; set ab-loop-b 3")
        #expect(controller.isRepeating)
        #expect(position == 3)
    }

    @Test func `a part is repeated from its beginning to its end`() throws {
        try controller.perform("seek 4; ab-loop; seek 6; ab-loop")
        #expect(controller.value(of: .loopStart) == .number(4))
        #expect(controller.value(of: .loopEnd) == .number(10))
        #expect(controller.isRepeating)
        try controller.perform("ab-loop")
        #expect(controller.value(of: .loopStart) == PropertyValue.no)
        #expect(!controller.isRepeating)
        try controller.perform("cycle-values loop-file inf no")
        #expect(controller.isRepeating)
    }

    @Test func `a part is repeated backwards, from its end to its beginning`() async throws {
        try controller.perform("set speed -1; seek 5 absolute; set ab-loop-a 3; set ab-loop-b 6")
        player.play()
        let item = try #require(player.currentItem)
        for round in 1...2 {
            try #require(await eventually { player.timeControlStatus == .playing })
            while item.loopProgress.done < round {
                clock.advance(by: MediaTime(value: 1, timescale: 10))
                // At the bound the next round begins by itself.
                try #require(
                    await eventually {
                        let isWithin = item.loopProgress.done == round || (position ?? 0) > 3
                        return isWithin && !item.state.isSeeking
                    })
            }
            #expect(position == 6)
        }
    }

    @Test func `observers receive each change once`() throws {
        var seen: [PropertyValue?] = []
        let observation = controller.observe(.pause) { seen.append($0) }
        try controller.perform("cycle pause")
        controller.update()
        player.pause()
        controller.update()
        #expect(seen == [.flag(false), .flag(true)])
        observation.cancel()
        try controller.perform("cycle pause")
        #expect(seen.count == 2)
    }

    @Test func `other objects provide properties and commands`() throws {
        var delay = 0.0
        var heard: [PlayerCommand] = []
        #expect(throws: CommandError.unavailable(.subtitleDelay)) {
            try controller.perform("add sub-delay 0.1")
        }
        #expect(throws: CommandError.unsupported("quit")) { try controller.perform("quit") }
        controller.provide(
            .subtitleDelay,
            PropertyAccess(get: { .number(delay) }) { delay = $0.number ?? 0 })
        controller.addPerformer { command in
            heard.append(command)
            return command == .quit()
        }
        try controller.perform("add sub-delay 0.1; quit")
        #expect(delay == 0.1)
        #expect(heard == [.add(.subtitleDelay, 0.1), .quit()])
    }

    @Test func `audio can be delayed or advanced, within what is decoded ahead`() throws {
        try controller.perform("add audio-delay 0.1; add audio-delay 0.1")
        #expect(player.audioDelay == MediaTime(value: 1, timescale: 5))
        #expect(controller.value(of: .audioDelay) == .number(0.2))
        try controller.perform("set audio-delay -30")
        #expect(player.audioDelay == MediaTime(value: -2, timescale: 1))
    }

    @Test func `the message of a step shows its frame`() throws {
        var reported: [PlayerFeedback] = []
        controller.feedbackHandler = { reported.append($0) }
        try controller.perform("frame-step; frame-back-step")
        #expect(reported == [.frame, .frame])
    }

    @Test func `commands are confirmed unless no-osd is given`() throws {
        var reported: [PlayerFeedback] = []
        controller.feedbackHandler = { reported.append($0) }
        try controller.perform("set volume 65; no-osd set volume 60; seek 1; cycle pause")
        #expect(reported == [.level("Volume 65 %", 0.5), .progress, .text("Playing")])
    }
}
