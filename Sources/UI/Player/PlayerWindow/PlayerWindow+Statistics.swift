// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadCommands
import PlayheadDisplay
import PlayheadLayers
import PlayheadPlayback
import PlayheadPresentation
import PlayheadTextures
import PlayheadTime
import PlayheadWindow

/// The statistics of frames, queues and the renderer, on five pages as in mpv.
extension PlayerWindow {
    func showStatistics(_ page: Int, stays: Bool) {
        pages.toggle(.statistics(min(max(page, 1), 5)), stays: stays)
        followMeasuring()
    }

    func hideStatistics() {
        pages.hide()
        followMeasuring()
    }

    /// The data that pages show.
    var pageSources: WindowPages.Sources {
        WindowPages.Sources(
            statistics: { [self] in statisticsPage($0) },
            graph: { [self] in statisticsGraph },
            bindings: bindings, playlist: { [self] in playlistList },
            tracks: { [self] in trackList })
    }

    private func statisticsPage(_ number: Int) -> StatisticsPage {
        askRenderer()
        let names = ["General", "Frames", "Cache", "Keys", "Tracks"]
        let footer = names.enumerated().filter { $0.offset + 1 != number }
            .map { "\($0.offset + 1) \($0.element.lowercased())" }.joined(separator: "   ")
        var page = StatisticsPage(title: names[number - 1], footer: footer)
        switch number {
        case 2: page.rows = frameRows
        case 3: page.rows = cacheRows
        case 5: page.text = trackList.text
        default: page.rows = generalRows
        }
        return page
    }

    /// Page 1: the media, and the counts of frames.
    private var generalRows: [StatisticsPage.Row] {
        let statistics = presenter.ledger.statistics
        guard let item = player.currentItem else { return [("Title", "none")] }
        var rows: [StatisticsPage.Row] = [("Title", item.asset.displayName)]
        if let description = item.assetDescription {
            rows.append(
                (
                    "File",
                    "\(description.container), \(PlayerController.clock(description.duration))"
                        + (description.dataRate > 0
                            ? ", \(description.dataRate / 1000) kbit/s" : "")
                ))
        }
        if let video = item.playingTracks.video, let format = video.formatDescription.video {
            rows.append(
                (
                    "Video",
                    "\(video.formatDescription.codec), \(format.width) × \(format.height), "
                        + "\(Self.hundredths(video.nominalFrameRate)) fps, \(format.pixelFormat)"
                ))
        }
        if let state = rendererState, !state.colorPath.isEmpty {
            rows.append(("Colour", state.colorPath))
        }
        if let audio = item.playingTracks.audio, let format = audio.formatDescription.audio {
            rows.append(
                (
                    "Audio",
                    "\(audio.formatDescription.codec), \(format.sampleRate) Hz, "
                        + "\(format.channelLayout)"
                ))
        }
        rows.append(("Time", item.currentTime.clockDescription))
        rows.append(
            (
                "Frames",
                "\(statistics.presented) shown, \(statistics.dropped) dropped, "
                    + "\(statistics.repeated) repeated, \(statistics.late) late; "
                    + "\(Self.tenths(statistics.framesPerSecond)) fps"
            ))
        return rows
    }

    /// Page 2: the durations of frames, and their deviations from vsync times.
    private var frameRows: [StatisticsPage.Row] {
        let statistics = presenter.ledger.statistics
        let source = statistics.source?.rawValue ?? "none"
        let period = presenter.ledger.latestRecords(1).first?.period ?? 0
        var rows: [StatisticsPage.Row] = [
            (
                "Display",
                (period > 0 ? "\(Self.hundredths(1e9 / Double(period))) Hz, " : "")
                    + "timed by \(source)"
            ),
            (
                "Slot error",
                "\(Self.hundredths(statistics.slotError.p50)) ms median, "
                    + "\(Self.hundredths(statistics.slotError.p99)) ms 99th percentile"
            ),
            (
                "CPU",
                "upload \(Self.hundredths(statistics.upload.p50)) ms, "
                    + "draw \(Self.hundredths(statistics.draw.p50)) ms"
            ),
        ]
        if statistics.gpuDraw.count > 0 {
            rows.append(
                (
                    "GPU",
                    "upload \(Self.hundredths(statistics.gpuUpload.p50)) ms, "
                        + "draw \(Self.hundredths(statistics.gpuDraw.p50)) ms"
                ))
        }
        return rows
    }

    /// Page 3: the queues, and memory.
    private var cacheRows: [StatisticsPage.Row] {
        var rows: [StatisticsPage.Row] = []
        if let item = player.currentItem {
            let depths = item.queueDepths
            rows = [
                (
                    "Decoded",
                    "\(depths.frames) frames, \(Int(depths.sound.seconds * 1000)) ms of audio"
                ),
                ("Read", "\(depths.packets) packets, \(depths.packetBytes >> 10) KiB"),
            ]
            for (index, range) in item.loadedTimeRanges.enumerated() {
                rows.append(
                    (
                        index == 0 ? "Loaded" : "",
                        "\(range.start.clockDescription) – \(range.end.clockDescription)"
                    ))
            }
        }
        if let state = rendererState {
            let objects = state.objectCounts.values.reduce(0, +)
            rows.append(
                (
                    "OpenGL",
                    "\(Self.tenths(Double(state.byteCount) / Double(1 << 20))) MiB "
                        + "in \(objects) objects"
                ))
            rows.append(
                ("Uploads", state.conversion == .cpu ? "converted" : state.upload.rawValue))
        }
        return rows
    }

    /// The graph of the durations of the last frames.
    private var statisticsGraph: PixelBuffer {
        FrameGraph.picture(
            of: presenter.ledger.latestRecords(FrameGraph.barCount + 1),
            scale: Int(window.contentScale.rounded()))
    }

    /// Requests the state of the renderer, for use in the next update.
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
