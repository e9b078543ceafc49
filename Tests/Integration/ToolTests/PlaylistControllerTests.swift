// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadPlayback
import PlayheadTime
import Testing

@testable import PlayheadTool

/// The playlist of a window, with a player that has no window.
@Suite(
    .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"), .timeLimit(.minutes(20)))
@MainActor struct PlaylistControllerTests {
    private let folder = TemporaryFolder()
    private let player = QueuePlayer(audioSink: nil)

    /// Returns the playlist of some films of a second, with options.
    private func playlist(_ names: String..., options: [String] = []) throws -> PlaylistController {
        for name in names {
            try FileManager.default.copyItem(
                atPath: try Films.silent(seconds: 1), toPath: path(name))
        }
        let options = try PlayOptions.parse(names.map(path) + options)
        return PlaylistController(try PlaySettings(options), player)
    }

    private func path(_ name: String) -> String { folder.appending(name).path }

    /// Updates the playlist until a condition is true.
    private func update(
        _ films: PlaylistController, until what: String, _ condition: () -> Bool
    ) throws {
        try eventually(what) {
            _ = films.update()
            films.addNext()
            return condition()
        }
    }

    @Test func `a file that is held stays open at its end, also before one that loops`() throws {
        let films = try playlist("a.mp4", "b.mp4", options: ["--loop"])
        try update(films, until: "the first file") { films.current?.file == path("a.mp4") }
        #expect(films.hasNext && !films.isLooping)
        films.isHeld = true
        #expect(player.actionAtItemEnd == .pause)
        player.play()
        try update(films, until: "its end") { films.item?.hasPlayedToEnd == true }
        #expect(films.current?.file == path("a.mp4") && films.item === player.currentItem)

        films.isHeld = false
        try update(films, until: "the second file") { films.isLooping }
        #expect(films.current?.file == path("b.mp4") && player.actionAtItemEnd == .advance)
        let round = films.item
        try update(films, until: "another round") { films.item !== round }
        #expect(films.current?.file == path("b.mp4"))
        player.removeAllItems()
    }

    @Test func `a file that loops goes on although the file before it was held`() throws {
        let films = try playlist("a.mp4", "b.mp4", options: ["--loop"])
        try update(films, until: "the first file") { films.current?.file == path("a.mp4") }
        films.isHeld = true
        // The user plays the other file while the first one is held.
        films.play(at: 1)
        player.play()
        try update(films, until: "the second file") { films.isLooping }
        films.isHeld = false
        #expect(player.actionAtItemEnd == .advance)
        let round = films.item
        try update(films, until: "another round") { films.item !== round }
        player.removeAllItems()
    }

    @Test func `a file that was replaced is opened again in its place, from its start`() throws {
        let films = try playlist("a.mp4", "b.mp4", "c.mp4", options: ["--start", "0.5"])
        films.play(at: 1)
        try update(films, until: "the second file") { films.current?.file == path("b.mp4") }
        let (before, count) = (films.item, films.files.count)
        films.reopen()
        try update(films, until: "the file again") {
            films.item !== before && films.item?.status == .readyToPlay
        }
        #expect(films.position == 1 && films.files.count == count)
        #expect(films.current?.file == path("b.mp4") && films.current?.isNamed == false)
        #expect(films.item?.currentTime == .zero)
        #expect(films.hasNext)
        player.removeAllItems()
    }
}
