// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import Glibc
import PlayheadUI

/// A band-pass filter for the audio of a video. The pointer sets the centre frequency and the
/// bandwidth.
@main final class BandPass: Demo {
    static let title = "BandPass"
    private static let octaves = 0.25...6.0

    private let stage: Stage
    private let film: PlayerItem
    private let player: QueuePlayer
    private let looper: PlayerLooper
    private let output: PlayerVideoOutput
    // The path of the audio: it is analysed, filtered, analysed again and measured.
    private let before = AudioAnalyzerTap()
    private let filter = AudioFilterTap(.bandPass, frequency: 800, bandwidth: 1.5)
    private let after = AudioAnalyzerTap()
    private let meter = AudioLevelMeterTap()
    private var isFiltering = true
    private var view: SpectrumView
    private let key: EffectInstance
    private let room: EffectInstance

    init(stage: Stage) throws {
        self.stage = stage
        film = PlayerItem(asset: stage.films[0])
        player = QueuePlayer(audioSink: stage.makeSink(), masterClock: stage.clock)
        output = PlayerVideoOutput(player: player)
        view = SpectrumView(stage)
        key = try DemoEffects.chromaKey()
        room = try DemoEffects.backdrop([0.20, 0.24, 0.42, 1])
        looper = PlayerLooper(player: player, templateItem: film)
        stage.register(player)
        stage.transport = Transport([player])
        setMix()
        player.play()
    }

    /// Sets the audio mix. Taps that stay in the mix keep their state, so the filter can be
    /// switched on and off without a click.
    private func setMix() {
        var parameters = AudioMixInputParameters()
        parameters.taps = isFiltering ? [before, filter, after, meter] : [before, after, meter]
        // A looped video consists of several items that alternate.
        for item in player.items + [film] {
            item.audioMix = AudioMix(inputParameters: [parameters])
        }
    }

    func handle(_ event: WindowEvent) {
        switch event {
        case .pointerMoved(let point):
            filter.frequency = view.frequency(at: point.x)
            let share = min(max(point.y / stage.height, 0), 1)
            let span = Self.octaves.upperBound / Self.octaves.lowerBound
            filter.bandwidth = Self.octaves.lowerBound * pow(span, share)
        case .button(let click) where click.button == .left && click.isPressed:
            isFiltering.toggle()
            setMix()
        default: break
        }
        stage.title = isFiltering ? "BandPass – \(settings)" : "BandPass – off"
    }

    private var settings: String {
        let tenths = Int((filter.bandwidth * 10).rounded())
        return "\(Int(filter.frequency.rounded())) Hz, \(tenths / 10).\(tenths % 10) octaves"
    }

    func scene() -> Scene {
        // The meters are read at the item's time, so they show the audio that is heard now and not
        // the audio that is being rendered.
        let time = player.currentItem?.currentTime ?? .invalid
        view.read(before: before, after: after, at: time)
        var layers = [
            stage.generator(room, in: stage.bounds),
            stage.film(output, in: stage.bounds, gravity: .resizeAspectFill, effects: [key]),
        ]
        layers += view.layers(filter: isFiltering ? filter : nil)
        layers += view.meters(meter.levels(at: time))
        layers.append(
            stage.box(
                LayerRect(x: 16, y: 14, width: 368, height: 68), color: Palette.glass,
                cornerRadius: 10))
        layers.append(
            stage.text(
                isFiltering ? settings : "Filter off", size: 24, at: [28, 22], isBold: true))
        layers.append(
            stage.text(
                "pointer: centre and bandwidth    click: on, off    space: pause", size: 13,
                at: [28, 56], color: Palette.dimmed))
        return Scene(layers: layers)
    }
}
