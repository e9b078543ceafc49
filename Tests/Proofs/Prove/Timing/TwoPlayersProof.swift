// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadUI

/// `prove two-players`: two players with one clock and one start time show the same frames.
///
/// Two players, each with its own item, decoder and output, play the same video of 640 x 360 at 30
/// frames a second. At each vsync of 60 Hz both outputs are read, and the numbers in the pixels
/// compared. Both must also be that of the expected frame.
struct TwoPlayersProof: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "two-players", abstract: "Players on one clock show the same frames.")

    @Flag(help: "Runs for 20 s instead of 60.")
    var short = false

    func run() async throws {
        guard SyntheticClip.isAvailable else {
            throw CannotProve("two-players: ffmpeg is missing; apt-get install ffmpeg")
        }
        let seconds: Int64 = short ? 20 : 60
        var film = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 30, duration: MediaTime(value: seconds, timescale: 1)), sounds: [])
        (film.width, film.height) = (640, 360)
        film.keyframeInterval = 60
        film.bidirectionalFrames = 2
        Progress.show("making the video")
        let file = try SyntheticClip(film).url().path
        let outputs = [PlayerItemVideoOutput(), PlayerItemVideoOutput()]
        let items = outputs.map { output in
            let item = PlayerItem(asset: URLAsset(file))
            item.add(output)
            return item
        }
        let players = items.map { Player(playerItem: $0, audioSink: nil) }
        for player in players {
            player.masterClock = HostClock.shared
            try await player.currentItem?.waitUntilReady()
            _ = await player.preroll(atRate: 1)
        }
        var report = Report("two-players")
        let before = Machine.usage
        let watch = VsyncWatch(outputs, hertz: 60)
        let start = HostClock.shared.time + MediaTime(value: 100, timescale: 1000)
        for player in players { player.setRate(1, time: .zero, atHostTime: start) }
        // Asks the players, since an item ends with its player.
        func isOver(_ player: Player) -> Bool {
            player.currentItem?.hasPlayedToEnd != false || player.currentItem?.error != nil
        }
        while !players.allSatisfy(isOver) {
            Progress.show("playing, \(items[0].currentTime.clockDescription) of \(seconds) s")
            try await Task.sleep(for: .milliseconds(100))
        }
        let sightings = watch.end()
        for item in items { if let error = item.error { throw error } }
        let pairs = zip(sightings[0], sightings[1]).filter { $0.0.target >= start }
        let unequal = pairs.filter { $0.0.frame != $0.1.frame }
        let wrong = pairs.filter { pair in
            // The clock has nanoseconds: a microsecond before a frame counts as within it.
            let time = pair.0.target - start + MediaTime(value: 1, timescale: 1_000_000)
            let count = film.frameTimes?.count ?? 0
            let due = film.frameTimes?.index(at: time) ?? count - 1
            return pair.0.frame != due
        }
        report.add(
            "machine", "others used \(Machine.others(since: before))")
        report.add("vsyncs", pairs.count)
        report.add("with different frames", unequal.count)
        report.add("with an unexpected frame", wrong.count)
        report.require(pairs.count >= Int(seconds) * 60 - 2, "vsyncs were missed")
        report.require(unequal.isEmpty, "players differ at \(unequal.count) vsyncs")
        report.require(wrong.isEmpty, "\(wrong.count) vsyncs had an unexpected frame")
        try report.finish()
    }
}
