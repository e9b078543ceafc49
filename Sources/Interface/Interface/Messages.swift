// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadLayers
import PlayheadText
import PlayheadTime

/// The words over a film: what was just done, statistics, and why there is no picture.
@MainActor final class Messages {
    /// How long what was done is told.
    private static let duration = MediaTime(value: 1, timescale: 1)

    /// Pixels of the screen for a pixel of the design.
    private let scale: Double
    /// Nil where there is no font: then there are no words, and the film still plays.
    private let rasterizer = try? TextRasterizer()
    private var spoken: (picture: PixelBuffer, until: MediaTime)?
    private var statistics: (text: PixelBuffer, graph: PixelBuffer)?
    private var notice: (text: String, picture: PixelBuffer)?
    private var statisticsDue = MediaTime.zero
    /// Of the contents, in pixels.
    private var windowWidth = 0

    /// Whether statistics are on.
    var showsStatistics = false

    init(scale: Double) {
        self.scale = max(1, scale)
    }

    /// Whether something is on that goes away or changes by itself.
    var isChanging: Bool { spoken != nil || showsStatistics }

    /// Shows a line for a moment, broken where the window ends.
    func say(_ line: String, windowWidth: Int) {
        self.windowWidth = windowWidth
        guard let picture = picture(of: line, size: 26) else { return }
        spoken = (picture, HostClock.shared.time + Self.duration)
    }

    /// Makes anew what has changed. Called every few milliseconds, but while nothing moves.
    func update(
        statistics: () -> (text: String, graph: PixelBuffer), notice text: String?, windowWidth: Int
    ) {
        if windowWidth != self.windowWidth { notice = nil }
        self.windowWidth = windowWidth
        let now = HostClock.shared.time
        if let spoken, spoken.until < now { self.spoken = nil }
        if !showsStatistics {
            self.statistics = nil
        } else if now >= statisticsDue || self.statistics == nil {
            let (text, graph) = statistics()
            self.statistics = picture(of: text, size: 16).map { ($0, graph) }
            statisticsDue = now + MediaTime(value: 1, timescale: 4)
        }
        if text != notice?.text {
            notice = text.flatMap { text in
                picture(of: text, size: 28).map { (text, $0) }
            }
        }
    }

    /// The words as layers of a target of a size in pixels.
    func layers(width: Int, height: Int) -> [Layer] {
        var layers: [Layer] = []
        let margin = Double(margin)
        if let notice {
            let picture = notice.picture
            let frame = LayerRect(
                x: Double((width - picture.width) / 2), y: Double((height - picture.height) / 2),
                width: Double(picture.width), height: Double(picture.height))
            layers.append(Layer(.image(picture), frame: .pixels(frame), gravity: .resize))
        }
        var top = margin
        for picture in [spoken?.picture, statistics?.graph, statistics?.text].compactMap({ $0 }) {
            let frame = LayerRect(
                x: margin, y: top, width: Double(picture.width), height: Double(picture.height))
            layers.append(Layer(.image(picture), frame: .pixels(frame), gravity: .resize))
            top += frame.height + margin / 2
        }
        return layers
    }

    /// Between the words and the edge of the window, in pixels.
    private var margin: Int { Int((16 * scale).rounded()) }

    private func picture(of text: String, size: Double) -> PixelBuffer? {
        let style = TextStyle(
            size: size * scale, outlineWidth: 1.5 * scale, boxColor: [0, 0, 0, 0.45],
            padding: Int(8 * scale))
        let width = max(64, windowWidth - 2 * margin)
        return try? rasterizer?.picture(of: text, style: style, maximumWidth: width)
    }
}
