// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import PlayheadEditing
import PlayheadUI

/// Four videos in one picture, drawn by the demo's own compositor.
@main final class Compositor: Demo {
    static let title = "Compositor"
    private static let seconds: Int64 = 30

    private let stage: Stage
    private var playing: (player: Player, item: PlayerItem, output: PlayerItemVideoOutput)?
    private(set) var isReady = false

    init(stage: Stage) throws {
        self.stage = stage
        Task {
            do {
                try await open()
            } catch {
                DemoOptions.fail(error)
            }
        }
    }

    /// Makes a track of each video, and composes the tracks into one picture.
    private func open() async throws {
        let named = stage.options.films.map { URLAsset($0) }
        let composition = MutableComposition()
        var rules = VideoComposition(
            renderSize: (640, 360), frameDuration: MediaTime(value: 1, timescale: 30))
        var ids: [Int] = []
        for index in 0..<4 {
            let asset = named.isEmpty ? Self.channel(index) : named[index % named.count]
            let track = try composition.addMutableTrack(withMediaType: .video)
            let description = try await asset.load(.description)
            guard let source = description.preferredTrack(of: .video) else { continue }
            let duration = MediaTime(value: Self.seconds, timescale: 1)
            let end =
                description.end.isNumeric
                ? min(description.end, description.startTime + duration) : duration
            try track.insertTimeRange(
                MediaTimeRange(start: description.startTime, end: end), of: source, in: asset,
                at: .zero)
            ids.append(track.trackID)
        }
        var instruction = VideoCompositionInstruction(
            timeRange: MediaTimeRange(start: .zero, end: composition.duration))
        instruction.additionalSourceTrackIDs = ids
        rules.instructions = [instruction]
        rules.makeTextureCompositor = { [ids] in MovingPanes(trackIDs: ids) }

        let item = PlayerItem(asset: rules.makeAsset(from: composition.makeAsset()))
        let output = PlayerItemVideoOutput()
        item.add(output)
        let player = stage.makePlayer(item)
        playing = (player, item, output)
        _ = await player.preroll(atRate: 1)
        stage.transport = Transport([player], step: MediaTime(value: 5, timescale: 1)) {
            [weak self] in self?.play(from: $0)
        }
        isReady = true
        play(from: .zero)
    }

    private func play(from time: MediaTime) {
        playing?.player.setRate(1, time: time, atHostTime: stage.time)
    }

    func scene() -> Scene {
        guard let playing else { return Scene(background: .color(Palette.background)) }
        if playing.item.hasPlayedToEnd { play(from: .zero) }
        let frame = LayerRect(x: 0, y: 0, width: stage.width, height: stage.height)
        let time = playing.item.currentTime.clockDescription
        return Scene(
            background: .color(Palette.background),
            layers: [
                stage.film(playing.output, in: frame),
                stage.text("Four videos, one shader", size: 20, at: [20, 16], isBold: true),
                stage.text(time, size: 14, at: [stage.width - 20, 20], align: .right),
            ])
    }

    private static func channel(_ index: Int) -> Asset {
        Films.synthetic(
            "Channel \(index + 1)", seconds: seconds, framesPerSecond: [24, 25, 30, 60][index]
        ) { $0.sounds = [] }
    }
}
