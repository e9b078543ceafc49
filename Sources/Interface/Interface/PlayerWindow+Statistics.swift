// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadDisplay
import PlayheadLayers
import PlayheadPlayback
import PlayheadPresentation
import PlayheadTextures
import PlayheadTime
import PlayheadWindow

/// What `i` shows: what the ledger, the queues and the renderer know.
extension PlayerWindow {
    func toggleStatistics() {
        messages.showsStatistics.toggle()
        presenter.setMeasuresGPU(messages.showsStatistics)
    }

    /// The lines under the frame graph.
    var statisticsText: String {
        askRenderer()
        let statistics = presenter.ledger.statistics
        let item = player.currentItem
        let source = statistics.source?.rawValue ?? "none"
        let period = presenter.ledger.latestRecords(1).first?.period ?? 0
        var lines = [
            "\(item?.currentTime.clockDescription ?? "--:--")  "
                + "\(Self.tenths(statistics.framesPerSecond)) fps  "
                + "shown \(statistics.presented)  dropped \(statistics.dropped)  "
                + "repeated \(statistics.repeated)  late \(statistics.late)",
            "slot error p99 \(Int(statistics.slotError.p99 * 1000)) us  vsync \(source)"
                + (period > 0 ? " \(Self.hundredths(1e9 / Double(period))) Hz" : ""),
            "upload \(Self.hundredths(statistics.upload.p50)) ms  "
                + "draw \(Self.hundredths(statistics.draw.p50)) ms"
                + (statistics.gpuDraw.count == 0
                    ? ""
                    : "  GPU \(Self.hundredths(statistics.gpuUpload.p50)) + "
                        + "\(Self.hundredths(statistics.gpuDraw.p50)) ms"),
        ]
        if let depths = item?.queueDepths {
            lines.append(
                "queues: \(depths.frames) frames, \(depths.packets) packets "
                    + "(\(depths.packetBytes >> 10) KiB), \(Int(depths.sound.seconds * 1000)) ms sound"
            )
        }
        if let state = rendererState {
            let objects = state.objectCounts.values.reduce(0, +)
            lines.append(
                "OpenGL: \(Self.tenths(Double(state.byteCount) / Double(1 << 20))) MiB in \(objects) "
                    + "objects, uploads \(state.conversion == .cpu ? "converted" : state.upload.rawValue)"
            )
            if !state.colorPath.isEmpty { lines.append(state.colorPath) }
        }
        return lines.joined(separator: "\n")
    }

    /// The graph of the last frames.
    var statisticsGraph: PixelBuffer {
        FrameGraph.picture(
            of: presenter.ledger.latestRecords(FrameGraph.barCount + 1),
            scale: Int(window.contentScale.rounded()))
    }

    /// Has the render thread say how it draws, for the next time.
    private func askRenderer() {
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
