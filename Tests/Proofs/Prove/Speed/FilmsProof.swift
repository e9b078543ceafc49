// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadUI

/// `prove films`: sixteen videos at once in one window, each 640 x 360 at 30 frames a second.
///
/// Every frame must be shown, unless the processors are busy: then decoding alone is the limit. The
/// proof prints the number of frames, the processor time, and the memory.
struct FilmsProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "films", abstract: "Sixteen videos at once.")

    @Flag(help: "Runs for 5 seconds instead of 20.")
    var short = false

    private static let count = 16
    /// The minimum share of frames shown, if the processors are not the limit.
    private static let share = 0.999
    /// The load from which on the processors are the limit.
    private static let busyShare = 0.95
    /// The maximum processor time to decode and draw a frame: more than twice the usual value, so
    /// that inefficient code does not pass as a limit of the machine.
    private static let mostMilliseconds = 1.5

    func run() throws {
        guard SyntheticClip.isAvailable else {
            throw CannotProve("films: ffmpeg is missing; apt-get install ffmpeg")
        }
        let seconds: Int64 = short ? 5 : 20
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 30, duration: MediaTime(value: seconds, timescale: 1)),
            sounds: [])
        (media.width, media.height) = (640, 360)
        media.keyframeInterval = 60
        Progress.show("making the video")
        let file = try SyntheticClip(media).url().path
        var report = Report("films")
        try report.measure(attempts: 3) { report in
            Progress.show(Machine.waitUntilQuiet(seconds: 60))
            let usage = Machine.usage
            try play(file, seconds: Double(seconds), &report)
            return Machine.others(since: usage)
        }
        Progress.clear()
        try report.finish()
    }

    private func play(_ file: String, seconds: Double, _ report: inout Report) throws {
        let before = Machine.residentMegabytes
        let presenter = try Presenter(
            surface: OffscreenSurface(width: 1280, height: 720),
            vsyncs: SimulatedDisplay(schedule: VsyncSchedule(vsyncs: 60)))
        var films: [(player: Player, item: PlayerItem)] = []
        var layers: [Layer] = []
        for index in 0..<Self.count {
            let item = PlayerItem(asset: URLAsset(file))
            let player = Player(playerItem: item, audioSink: nil)
            let output = PlayerVideoOutput(player: player)
            films.append((player, item))
            let frame = LayerRect(
                x: Double(index % 4) * 320, y: Double(index / 4) * 180, width: 320, height: 180)
            layers.append(Layer(.video(output), frame: .pixels(frame)))
            if index == 0 { presenter.observe(output) }
        }
        presenter.scene = Scene(layers: layers)
        presenter.isPaused = false
        let deadline = HostClock.nanoseconds + Int64((seconds + 60) * 1e9)
        while films.contains(where: { $0.item.status != .readyToPlay }),
            HostClock.nanoseconds < deadline
        {
            usleep(5000)
        }
        let (usage, own) = (Machine.usage, Machine.ownSeconds)
        for film in films { film.player.play() }
        var memory = 0
        while films.contains(where: { !$0.item.hasPlayedToEnd && $0.item.error == nil }),
            HostClock.nanoseconds < deadline
        {
            usleep(20_000)
            memory = max(memory, Machine.residentMegabytes)
        }
        let wall = Machine.usage.wall - usage.wall
        let processor = Machine.ownSeconds - own
        let counts = films.map(\.item.frameCounts)
        let statistics = presenter.ledger.statistics
        presenter.invalidate()
        let all = counts.reduce(0) { $0 + $1.decoded }
        let dropped = counts.reduce(0) { $0 + $1.dropped }
        let share = all > 0 ? 1 - Double(dropped) / Double(all) : 0
        let busy = processor / wall / Double(Machine.processorCount)
        report.add("videos", "\(Self.count), \(all) frames, \(dropped) not shown")
        report.add("the first one", "\(statistics.presented) presented, \(statistics.late) late")
        report.add("processor load", Machine.percent(busy))
        report.add(
            "processor a frame", "\(Machine.hundredths(processor * 1000 / Double(max(1, all)))) ms")
        report.add("memory", "\(memory) MB, \(before) before")
        report.require(
            share >= Self.share || busy >= Self.busyShare,
            "\(dropped) of \(all) frames were not shown although the processors were not the limit")
        let milliseconds = processor * 1000 / Double(max(1, all))
        report.require(
            milliseconds <= Self.mostMilliseconds,
            "a frame takes \(Machine.hundredths(milliseconds)) ms of processor time")
        report.require(
            Double(all) >= Double(Self.count) * seconds * 30 * Self.share,
            "only \(all) frames were decoded")
        report.require(
            films.allSatisfy { $0.item.hasPlayedToEnd },
            "not all played to their end")
    }
}
