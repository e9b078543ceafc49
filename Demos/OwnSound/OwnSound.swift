// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import PlayheadUI

/// A video in sync with audio that the program generates. Both start at the same host time, and the
/// offset between them is measured at each beat.
@main final class OwnSound: Demo {
    static let title = "OwnSound"
    /// The duration of a beat. The subject of the built-in clip hops at 96 beats per minute.
    static let beat = MediaTime(value: 5, timescale: 8)
    private static let round = MediaTime(value: 10, timescale: 1)
    private static let step = MediaTime(value: 10, timescale: 1000)

    private let stage: Stage
    private let sink: any AudioSink
    private let band: Band
    private let player: Player
    private let item: PlayerItem
    private let output: WatchedOutput
    private var chart: OffsetChart
    /// The intended delay of the video behind the audio.
    private var shift = MediaTime.zero
    /// The host time at which the first beat of the current round is heard.
    private var start = MediaTime.invalid
    private(set) var isReady = false
    private let key: EffectInstance
    private let room: EffectInstance

    init(stage: Stage) throws {
        self.stage = stage
        sink = stage.makeSink()
        band = Band(format: sink.format, beat: Self.beat.seconds)
        sink.start(band) {}
        sink.resume()
        item = PlayerItem(asset: stage.films[0])
        let output = PlayerItemVideoOutput()
        item.add(output)
        self.output = WatchedOutput(output)
        // The player plays no audio of its own. It follows the clock of the program's audio.
        player = Player(playerItem: item, audioSink: nil)
        player.masterClock = sink.clock
        chart = OffsetChart(stage)
        key = try DemoEffects.chromaKey()
        room = try DemoEffects.backdrop([0.36, 0.22, 0.24, 1])
        stage.register(player)
        Task { await begin() }
    }

    /// Starts the audio and the video at a time that is far enough ahead.
    private func begin() async {
        _ = await item.seek(to: .zero)
        _ = await player.preroll(atRate: 1)
        start = stage.time + sink.latency + MediaTime(value: 50, timescale: 1000)
        band.play(at: sink.clock.time(atHostTime: start))
        player.setRate(1, time: .zero, atHostTime: start + shift)
        isReady = true
    }

    func handle(_ event: WindowEvent) {
        guard case .key(let key) = event, key.action != .release else { return }
        switch key.key {
        case .up: move(by: Self.step)
        case .down: move(by: -Self.step)
        case .space:
            if player.rate == 0 {
                Task { await begin() }
            } else {
                player.pause()
                band.stop()
                // The video starts again at the beginning of the loop.
                item.seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero)
            }
        default: return
        }
        tell()
    }

    /// Shows the intended offset and the last measured offset.
    private func tell() {
        let wanted = Int((shift.seconds * 1000).rounded())
        let measured = chart.offsets.last.map { ", measured \(Int($0.timeline.rounded())) ms" }
        let state = player.rate == 0 ? " (stopped)" : ""
        stage.title = "OwnSound – video \(wanted) ms late\(measured ?? "")\(state)"
    }

    /// Moves the start time of the video to an earlier or later time. The video then catches up.
    private func move(by step: MediaTime) {
        shift = shift + step
        if player.rate != 0 { player.setRate(1, time: .zero, atHostTime: start + shift) }
    }

    func scene() -> Scene {
        measure()
        if isReady { tell() }
        // The video is as long as the tune, and both start again together.
        if player.rate != 0, stage.time > start + Self.round {
            start = start + Self.round
            player.setRate(1, time: .zero, atHostTime: start + shift)
        }
        let picture = LayerRect(x: 0, y: 0, width: stage.width, height: stage.height - 150)
        return Scene(
            background: .color(Palette.background),
            layers: [
                stage.generator(room, in: picture),
                stage.film(output, in: picture, effects: [key]),
            ]
                + chart.layers(
                    in: LayerRect(
                        x: 24, y: picture.height + 16, width: stage.width - 48, height: 118),
                    beat: currentBeat))
    }

    /// The current beat of the round, including the fraction of it that has passed.
    private var currentBeat: Double? {
        guard player.rate != 0, start.isNumeric, stage.time >= start else { return nil }
        return (stage.time - start).seconds / Self.beat.seconds
    }

    /// Compares the times of the audio and the video.
    private func measure() {
        for showing in output.takeShowings() { chart.note(showing) }
        for onset in band.takeOnsets() {
            chart.note(heardBeatAt: sink.clock.hostTime(at: onset))
        }
    }
}
