// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import Foundation
import PlayheadEditing
import PlayheadUI

/// An animated title over a video: live on the left, where it is exchanged while the video plays,
/// and burnt into an exported file on the right.
@main final class Titles: Demo {
    static let title = "Titles"
    private static let length = MediaTime(value: 6, timescale: 1)
    private static let picture = (width: 480, height: 270)

    private let stage: Stage
    private var composition: MutableComposition?
    private var trackID = 0
    private var isUnlike = false
    private var design = TitleDesign.lowerThird
    private var live: (player: Player, item: PlayerItem, output: PlayerItemVideoOutput)?
    private var burnt: (player: Player, item: PlayerItem, output: PlayerItemVideoOutput)?
    private var session: AssetExportSession?
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "playhead-titles-\(UUID().uuidString)")
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

    /// Makes a composition of the first seconds of the video.
    private func open() async throws {
        let asset = stage.films[0]
        let composition = MutableComposition()
        let description = try await asset.load(.description)
        let track = try composition.addMutableTrack(withMediaType: .video)
        guard let source = description.preferredTrack(of: .video) else {
            throw NoVideo(name: asset.displayName)
        }
        let start = description.startTime
        let end = description.end
        let range = MediaTimeRange(
            start: start, end: end.isNumeric ? min(end, start + Self.length) : start + Self.length)
        try track.insertTimeRange(range, of: source, in: asset, at: .zero)
        trackID = track.trackID
        // The built-in clip is in front of a green screen.
        isUnlike = stage.options.films.isEmpty
        self.composition = composition

        let item = PlayerItem(asset: composition.makeAsset())
        item.videoComposition = try rules()
        let output = PlayerItemVideoOutput()
        item.add(output)
        let player = stage.makePlayer(item)
        live = (player, item, output)
        _ = await player.preroll(atRate: 1)
        play(from: .zero)
        if stage.options.isHeadless {
            try await export()
        } else {
            beginExport()
        }
        isReady = true
    }

    /// Returns the rules for the pictures: the video, and the title over it.
    private func rules() throws -> VideoComposition {
        let size = Self.picture
        var layer = VideoCompositionLayerInstruction(trackID: trackID)
        var rules = VideoComposition(
            renderSize: size, frameDuration: MediaTime(value: 1, timescale: 30))
        guard let composition else { return rules }
        let natural = composition.naturalSize
        let scale = max(
            Double(size.width) / natural.width, Double(size.height) / natural.height)
        layer.setTransform(
            .scale(x: scale, y: scale).concatenating(
                .translation(
                    x: (Double(size.width) - natural.width * scale) / 2,
                    y: (Double(size.height) - natural.height * scale) / 2)), at: .zero)
        rules.instructions = [
            VideoCompositionInstruction(
                timeRange: MediaTimeRange(start: .zero, end: composition.duration),
                layerInstructions: [layer], backgroundColor: SIMD4(0, 0, 0, isUnlike ? 0 : 1))
        ]
        if isUnlike {
            rules.setEffects(
                [EffectInstance(try EffectLibrary.load("chroma_key"))], ofTrack: trackID)
        }
        let canvas = PlainCanvas(isWordless: stage.isWordless)
        let titles = design.layers(
            on: canvas, width: Double(size.width), height: Double(size.height))
        let backdrop = isUnlike ? Self.backdrop : []
        rules.animationTool = VideoCompositionAnimationTool { backdrop + [$0] + titles }
        return rules
    }

    /// Bands of colour behind the keyed video, which drift.
    private static var backdrop: [Layer] {
        let (width, height) = (Double(picture.width), Double(picture.height))
        var layers = [
            Layer(
                .color(SIMD4(0.10, 0.11, 0.19, 1)),
                frame: .pixels(
                    LayerRect(x: 0, y: 0, width: width, height: height)))
        ]
        for index in 0..<7 {
            var band = Layer(
                .color(Palette.faded(Palette.hue(0.55 + Double(index) * 0.035), 0.30)),
                frame: .pixels(
                    LayerRect(x: -80, y: height / 2 - 34, width: width + 160, height: 68)))
            band.transform = .rotation(angle: -0.35, x: 0, y: 0, z: 1).concatenating(
                .translation(x: 0, y: Double(index - 3) * 62))
            band.animate(
                .translation([SIMD3(0, -14, 0), SIMD3(0, 14, 0), SIMD3(0, -14, 0)]),
                beginTime: MediaTime(value: Int64(-index), timescale: 2),
                duration: length * Int32(2))
            layers.append(band)
        }
        return layers
    }

    // MARK: - Burning in

    private func beginExport() {
        session?.cancelExport()
        Task {
            do {
                try await export()
            } catch let error as MediaWritingError where error.code == .cancelled {
                // Another title was chosen meanwhile.
            } catch {
                DemoOptions.fail(error)
            }
        }
    }

    /// Exports the picture with the title, and plays the file beside the live one.
    private func export() async throws {
        guard let composition else { return }
        burnt = nil
        let session = AssetExportSession(asset: composition.makeAsset(), preset: .losslessFFV1)
        session.videoComposition = try rules()
        self.session = session
        let file = folder.appendingPathComponent("\(UUID().uuidString).mkv").path
        try await session.export(to: file)
        guard self.session === session else { return }
        let item = PlayerItem(asset: URLAsset(file))
        let output = PlayerItemVideoOutput()
        item.add(output)
        let player = stage.makePlayer(item)
        _ = await player.preroll(atRate: 1)
        guard self.session === session, let live else { return }
        burnt = (player, item, output)
        stage.transport = Transport([live.player, player]) { [weak self] in self?.play(from: $0) }
        play(from: stage.options.isHeadless ? .zero : live.item.currentTime)
    }

    private func play(from time: MediaTime) {
        for player in [live?.player, burnt?.player] {
            player?.setRate(1, time: time, atHostTime: stage.time)
        }
    }

    private func choose(_ design: TitleDesign) {
        guard design != self.design, let live else { return }
        self.design = design
        do {
            live.item.videoComposition = try rules()
        } catch {
            DemoOptions.fail(error)
        }
        beginExport()
    }

    // MARK: - The window

    func handle(_ event: WindowEvent) {
        guard case .key(let key) = event, key.action == .press else { return }
        switch key.shortcutKey {
        case Key("1"): choose(.lowerThird)
        case Key("2"): choose(.letters)
        case Key("3"): choose(.credits)
        default: break
        }
    }

    func scene() -> Scene {
        guard let live else { return Scene(background: .color(Palette.background)) }
        if live.item.hasPlayedToEnd { play(from: .zero) }
        let width = (stage.width - 60) / 2
        let height = (width * 9 / 16).rounded()
        let top = ((stage.height - height) / 2).rounded()
        let left = LayerRect(x: 20, y: top, width: width, height: height)
        let right = LayerRect(x: 40 + width, y: top, width: width, height: height)
        var layers = [
            stage.text("Titles", size: 20, at: [20, 16], isBold: true),
            stage.text(
                live.item.currentTime.clockDescription, size: 14, at: [stage.width - 20, 20],
                align: .right),
            stage.film(live.output, in: left),
            stage.text("Live", size: 16, at: [left.x, top - 28], isBold: true),
            stage.text("Burnt in", size: 16, at: [right.x, top - 28], isBold: true),
            stage.text(
                "1, 2 and 3 choose a title while the video plays: \(design.name)", size: 14,
                at: [20, top + height + 18], color: Palette.dimmed),
        ]
        if let burnt {
            layers.append(stage.film(burnt.output, in: right))
        } else {
            layers.append(stage.box(right, color: Palette.panel))
            var progress = 0.0
            if case .exporting(let share) = session?.state { progress = share }
            layers.append(
                stage.box(
                    LayerRect(
                        x: right.x + 40, y: top + height / 2 - 3,
                        width: max(1, (width - 80) * progress), height: 6), color: Palette.accent,
                    cornerRadius: 3))
        }
        return Scene(background: .color(Palette.background), layers: layers)
    }
}

/// The error for a file without video.
private struct NoVideo: Error, CustomStringConvertible {
    let name: String

    var description: String { "\(name): it has no video; name another file" }
}
