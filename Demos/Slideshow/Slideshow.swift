// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import Foundation
import PlayheadEditing
import PlayheadUI

/// Pictures and videos with transitions, cut to music.
@main final class Slideshow: Demo {
    static let title = "Slideshow"
    /// A measure of four beats, after which the next slide begins.
    private static let measure = Tune.beat * Int32(4)
    private static let overlap = Tune.beat
    private static let kinds: [VideoCompositionTransition.Kind] = [
        .dissolve, .push(from: .right), .wipe(from: .left), .push(from: .bottom),
    ]

    private let stage: Stage
    private var playing: (player: Player, item: PlayerItem, output: PlayerItemVideoOutput)?
    private var slides: [Slide] = []
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "playhead-slideshow-\(UUID().uuidString)")
    private(set) var isReady = false

    init(stage: Stage) throws {
        self.stage = stage
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        Task {
            do {
                try await open()
            } catch {
                DemoOptions.fail(error)
            }
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func open() async throws {
        slides =
            stage.options.films.isEmpty
            ? try Slide.made(in: folder) : stage.options.films.map { Slide(file: $0) }
        let (composition, rules) = try await compose()
        let music = try await composition.addMusic(
            Tune.write(in: folder, measures: slides.count + 1), duration: composition.duration)
        let item = PlayerItem(asset: composition.makeAsset())
        item.videoComposition = rules
        item.audioMix = music
        let output = PlayerItemVideoOutput()
        item.add(output)
        let player = stage.makePlayer(item, sink: stage.makeSink())
        playing = (player, item, output)
        _ = await player.preroll(atRate: 1)
        stage.transport = Transport([player]) { [weak self] in self?.play(from: $0) }
        isReady = true
        play(from: .zero)
    }

    /// Returns a composition with two tracks of video, between which slides change, and the rules
    /// for its pictures.
    private func compose() async throws -> (MutableComposition, VideoComposition) {
        let composition = MutableComposition()
        var tracks: [MutableCompositionTrack] = []
        for _ in 0..<2 { tracks.append(try composition.addMutableTrack(withMediaType: .video)) }
        var rules = VideoComposition(
            renderSize: Slide.pictureSize, frameDuration: MediaTime(value: 1, timescale: 30))
        var layers: [VideoCompositionLayerInstruction] = []
        for (index, slide) in slides.enumerated() {
            let start = Self.start(of: index)
            let duration = Self.measure + (index == slides.count - 1 ? .zero : Self.overlap)
            let range = MediaTimeRange(start: start, duration: duration)
            let track = tracks[index % 2]
            let size = try await slide.insert(into: track, in: range)
            layers.append(slide.layer(ofTrack: track.trackID, size: size, in: range, index))
        }
        for (index, layer) in layers.enumerated() {
            let start = Self.start(of: index)
            if index > 0 {
                var both = VideoCompositionInstruction(
                    timeRange: MediaTimeRange(start: start, duration: Self.overlap),
                    layerInstructions: [layers[index - 1], layer])
                both.transition = VideoCompositionTransition(
                    Self.kinds[(index - 1) % Self.kinds.count], from: layers[index - 1].trackID,
                    to: layer.trackID)
                rules.instructions.append(both)
            }
            let own = index == 0 ? start : start + Self.overlap
            rules.instructions.append(
                VideoCompositionInstruction(
                    timeRange: MediaTimeRange(start: own, end: Self.start(of: index + 1)),
                    layerInstructions: [layer]))
        }
        return (composition, rules)
    }

    private static func start(of index: Int) -> MediaTime { measure * Int32(index) }

    private func play(from time: MediaTime) {
        playing?.player.setRate(1, time: time, atHostTime: stage.time)
    }

    func scene() -> Scene {
        guard let playing else { return Scene(background: .color(Palette.background)) }
        if playing.item.hasPlayedToEnd { play(from: .zero) }
        let time = playing.item.currentTime
        let index = min(max(0, Int(time.seconds / Self.measure.seconds)), slides.count - 1)
        var layers = [
            stage.film(playing.output, in: stage.bounds, gravity: .resizeAspectFill),
            stage.box(
                LayerRect(x: 0, y: stage.height - 64, width: stage.width, height: 64),
                color: Palette.glass),
            stage.text(
                slides[index].name, size: 20, at: [20, stage.height - 46], isBold: true),
            stage.text(
                time.clockDescription, size: 14, at: [stage.width - 20, stage.height - 42],
                align: .right),
        ]
        // A mark for each slide, which fills while the slide is shown.
        let width = min(40, (stage.width - 320) / Double(slides.count) - 6)
        for mark in slides.indices {
            let share = time.seconds / Self.measure.seconds - Double(mark)
            let left = stage.width / 2 + (Double(mark) - Double(slides.count) / 2) * (width + 6)
            let place = LayerRect(x: left, y: stage.height - 34, width: width, height: 5)
            layers.append(stage.box(place, color: Palette.line, cornerRadius: 2))
            guard share > 0 else { continue }
            var filled = place
            filled.width = max(4, width * min(share, 1))
            layers.append(stage.box(filled, color: Palette.warm, cornerRadius: 2))
        }
        return Scene(background: .color(Palette.background), layers: layers)
    }
}

extension MutableComposition {
    /// Adds a file of music, and returns a mix that fades it out at the end.
    fileprivate func addMusic(_ file: String, duration: MediaTime) async throws -> AudioMix {
        let asset = URLAsset(file)
        guard let source = try await asset.load(.description).preferredTrack(of: .audio) else {
            return AudioMix()
        }
        let track = try addMutableTrack(withMediaType: .audio)
        try track.insertTimeRange(
            MediaTimeRange(start: .zero, duration: duration), of: source, in: asset, at: .zero)
        var parameters = AudioMixInputParameters(trackID: track.trackID)
        let fade = MediaTime(value: 1, timescale: 1)
        parameters.setVolumeRamp(
            from: 1, to: 0, timeRange: MediaTimeRange(start: duration - fade, duration: fade))
        return AudioMix(inputParameters: [parameters])
    }
}
