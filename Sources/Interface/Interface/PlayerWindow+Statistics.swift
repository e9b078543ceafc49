// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAuthoring
import PlayheadBuffers
import PlayheadCommands
import PlayheadControls
import PlayheadDisplay
import PlayheadLayers
import PlayheadPlayback
import PlayheadPresentation
import PlayheadTextures
import PlayheadTime
import PlayheadWindow

/// What `i` shows: what the ledger, the queues and the renderer know, on five pages as mpv's.
extension PlayerWindow {
    func showStatistics(_ page: Int, stays: Bool) {
        pages.toggle(.statistics(min(max(page, 1), 5)), stays: stays)
        presenter.setMeasuresGPU(pages.showsStatistics)
    }

    func hideStatistics() {
        pages.hide()
        presenter.setMeasuresGPU(effectPanel.isVisible)
    }

    /// Where pages have their words from.
    var pageSources: WindowPages.Sources {
        WindowPages.Sources(
            statistics: { [self] in statisticsText(page: $0) },
            graph: { [self] in statisticsGraph },
            bindings: bindings, playlist: { [self] in playlistText },
            tracks: { [self] in tracksText })
    }

    private func statisticsText(page: Int) -> String {
        askRenderer()
        let lines =
            switch page {
            case 2: frameLines
            case 3: cacheLines
            case 5: ["Tracks", tracksText]
            default: generalLines
            }
        return (lines + [Self.footer(page)]).joined(separator: "\n")
    }

    private static func footer(_ page: Int) -> String {
        let names = ["general", "frames", "cache", "keys", "tracks"]
        return names.enumerated().map { index, name in
            index + 1 == page ? "[\(index + 1) \(name)]" : "\(index + 1) \(name)"
        }.joined(separator: "  ")
    }

    /// Page 1: the film, and how it goes.
    private var generalLines: [String] {
        let statistics = presenter.ledger.statistics
        guard let item = player.currentItem else { return ["no film"] }
        var lines = [item.asset.displayName]
        if let description = item.assetDescription {
            lines.append(
                "\(description.container)  \(PlayerController.clock(description.duration))"
                    + (description.dataRate > 0 ? "  \(description.dataRate / 1000) kbit/s" : ""))
        }
        if let video = item.playingTracks.video, let format = video.formatDescription.video {
            lines.append(
                "video: \(video.formatDescription.codec)  \(format.width)x\(format.height)  "
                    + "\(Self.hundredths(video.nominalFrameRate)) fps  \(format.pixelFormat)")
        }
        if let audio = item.playingTracks.audio, let format = audio.formatDescription.audio {
            lines.append(
                "sound: \(audio.formatDescription.codec)  \(format.sampleRate) Hz  "
                    + "\(format.channelLayout)")
        }
        lines.append(
            "\(item.currentTime.clockDescription)  "
                + "\(Self.tenths(statistics.framesPerSecond)) fps  "
                + "shown \(statistics.presented)  dropped \(statistics.dropped)  "
                + "repeated \(statistics.repeated)  late \(statistics.late)")
        if let state = rendererState, !state.colorPath.isEmpty { lines.append(state.colorPath) }
        return lines
    }

    /// Page 2: how long frames take, and how well they meet their vsyncs.
    private var frameLines: [String] {
        let statistics = presenter.ledger.statistics
        let source = statistics.source?.rawValue ?? "none"
        let period = presenter.ledger.latestRecords(1).first?.period ?? 0
        var lines = [
            "vsync \(source)"
                + (period > 0 ? " \(Self.hundredths(1e9 / Double(period))) Hz" : "")
                + "  slot error p50 \(Int(statistics.slotError.p50 * 1000)) us  "
                + "p99 \(Int(statistics.slotError.p99 * 1000)) us",
            "upload \(Self.hundredths(statistics.upload.p50)) ms  "
                + "draw \(Self.hundredths(statistics.draw.p50)) ms",
        ]
        if statistics.gpuDraw.count > 0 {
            lines.append(
                "GPU upload \(Self.hundredths(statistics.gpuUpload.p50)) ms  "
                    + "draw \(Self.hundredths(statistics.gpuDraw.p50)) ms")
        }
        return lines
    }

    /// Page 3: what waits in queues, and what memory holds.
    private var cacheLines: [String] {
        var lines: [String] = []
        if let item = player.currentItem {
            let depths = item.queueDepths
            lines.append(
                "queues: \(depths.frames) frames, \(depths.packets) packets "
                    + "(\(depths.packetBytes >> 10) KiB), \(Int(depths.sound.seconds * 1000)) ms sound"
            )
            for range in item.loadedTimeRanges {
                lines.append(
                    "loaded \(range.start.clockDescription) – \(range.end.clockDescription)")
            }
        }
        if let state = rendererState {
            let objects = state.objectCounts.values.reduce(0, +)
            lines.append(
                "OpenGL: \(Self.tenths(Double(state.byteCount) / Double(1 << 20))) MiB in \(objects) "
                    + "objects, uploads \(state.conversion == .cpu ? "converted" : state.upload.rawValue)"
            )
        }
        return lines
    }

    /// The graph of the last frames.
    private var statisticsGraph: PixelBuffer {
        FrameGraph.picture(
            of: presenter.ledger.latestRecords(FrameGraph.barCount + 1),
            scale: Int(window.contentScale.rounded()))
    }

    /// Has the render thread say how it draws, for the next time.
    func askRenderer() {
        presenter.rendererState { [weak self] state in
            Task { @MainActor in self?.rendererState = state }
        }
    }

    private static func tenths(_ value: Double) -> String {
        let number = Int((value * 10).rounded())
        return "\(number / 10).\(number % 10)"
    }

    private static func hundredths(_ value: Double) -> String {
        let number = Int((value * 100).rounded())
        return "\(number / 100).\(number / 10 % 10)\(number % 10)"
    }
}
