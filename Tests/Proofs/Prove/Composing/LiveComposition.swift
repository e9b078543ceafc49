// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadEditing
import PlayheadUI

/// Four videos of 720p as the quarters of one picture, played in real time in a window on Xvfb.
@MainActor struct LiveComposition {
    private static let size = (width: 1280, height: 720)
    private static let seconds: Int64 = 10

    func play(_ report: inout Report) throws {
        let (asset, composition) = try makeAsset()
        let item = PlayerItem(asset: asset)
        item.videoComposition = composition
        let player = Player(playerItem: item, audioSink: nil)
        let output = PlayerVideoOutput(player: player)
        let window = try Window(
            WindowConfiguration(
                title: "video-composition",
                size: WindowSize(width: Self.size.width, height: Self.size.height)))
        let presenter = try Presenter(
            surface: WindowSurface(window.context), vsyncs: window.makeVsyncSource())
        defer {
            presenter.invalidate()
            window.close()
        }
        presenter.observe(output)
        presenter.scene = Scene(layers: [Layer(.video(output))])
        presenter.isPaused = false
        let deadline = HostClock.nanoseconds + (Self.seconds + 60) * 1_000_000_000
        // Playback does not wait for a presenter, and its first picture takes longer than a frame
        // lasts.
        while presenter.ledger.presentedCount == 0, HostClock.nanoseconds < deadline {
            MainLoop.shared.turn(waitingAtMost: 0.005)
        }
        let (usage, own) = (Machine.usage, Machine.ownSeconds)
        player.play()
        while !item.hasPlayedToEnd, item.error == nil, HostClock.nanoseconds < deadline {
            MainLoop.shared.turn(waitingAtMost: 0.02)
        }
        let wall = Machine.usage.wall - usage.wall
        let processor = Machine.ownSeconds - own
        // The item may end before the display shows the last frame, which is never dropped.
        while !presenter.isResting, HostClock.nanoseconds < deadline {
            MainLoop.shared.turn(waitingAtMost: 0.005)
        }
        let (counts, statistics) = (item.frameCounts, presenter.ledger.statistics)
        let records = presenter.ledger.latestRecords()
        // The first picture is drawn before playback, when no picture is due.
        let late = records.filter { $0.isLate && $0.itemTime > .zero }
        report.add("renderer", window.context.capabilities.renderer)
        report.add("vsyncs from", statistics.source?.rawValue ?? "nowhere")
        report.add(
            "four 720p videos as quarters, 30 fps",
            "\(statistics.presented) presented, \(counts.dropped) dropped, \(late.count) late")
        report.add(
            "processor time a frame",
            String(format: "%.2f ms", processor * 1000 / Double(max(1, statistics.presented))))
        report.add(
            "processor load",
            Machine.percent(processor / wall / Double(Machine.processorCount)))
        for record in late {
            let milliseconds = { (time: Int64?) in
                time.map { String(format: "%.1f", Double($0 - record.slotHostTime) / 1e6) } ?? "?"
            }
            report.add(
                "late frame \(Int((record.itemTime.seconds * 30).rounded())), ms from its vsync",
                "uploaded \(milliseconds(record.uploadedHostTime)), drawn "
                    + "\(milliseconds(record.drawnHostTime)), swapped "
                    + "\(milliseconds(record.swappedHostTime)), presented "
                    + "\(milliseconds(record.presentedHostTime))")
        }
        report.require(item.error == nil, "\(item.error.map { "\($0)" } ?? "")")
        report.require(item.hasPlayedToEnd, "the composition was not played to its end")
        report.require(
            counts.dropped == 0 && late.isEmpty,
            "\(counts.dropped) frames dropped, \(late.count) late")
        let shown = Set(records.map { Int(($0.itemTime.seconds * 30).rounded()) })
        let missing = (0..<Int(Self.seconds) * 30).filter { !shown.contains($0) }
        report.require(
            missing.isEmpty,
            "\(missing.count) frames were not presented: \(missing.prefix(10))")
        report.require(
            statistics.presented == shown.count,
            "\(statistics.presented) presentations of \(shown.count) frames")
    }

    private func makeAsset() throws -> (Asset, VideoComposition) {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 30, duration: MediaTime(value: Self.seconds, timescale: 1)),
            sounds: [])
        (media.width, media.height) = Self.size
        media.keyframeInterval = 30
        Progress.show("making the video")
        let file = URLAsset(url: try SyntheticClip(media).url())
        let track = try AssetReader(asset: file).description.tracks[0]
        let composition = MutableComposition()
        var layers: [VideoCompositionLayerInstruction] = []
        for index in 0..<4 {
            let target = try composition.addMutableTrack(withMediaType: .video)
            try target.insertTimeRange(
                MediaTimeRange(
                    start: .zero, duration: MediaTime(value: Self.seconds, timescale: 1)),
                of: track, in: file, at: .zero)
            var layer = VideoCompositionLayerInstruction(trackID: target.trackID)
            layer.setTransform(
                Transform2D.scale(x: 0.5, y: 0.5).concatenating(
                    .translation(x: Double(index % 2) * 640, y: Double(index / 2) * 360)),
                at: .zero)
            layers.append(layer)
        }
        var rules = VideoComposition(
            renderSize: Self.size, frameDuration: MediaTime(value: 1, timescale: 30))
        rules.instructions = [
            VideoCompositionInstruction(
                timeRange: MediaTimeRange(start: .zero, end: composition.duration),
                layerInstructions: layers)
        ]
        return (composition.makeAsset(), rules)
    }
}
