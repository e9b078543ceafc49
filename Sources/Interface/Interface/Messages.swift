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
    private var statistics: PixelBuffer?
    private var notice: (text: String, picture: PixelBuffer)?
    private var statisticsDue = MediaTime.zero

    /// Whether the statistics line is on.
    var showsStatistics = false

    init(scale: Double) {
        self.scale = max(1, scale)
    }

    /// Whether something is on that goes away or changes by itself.
    var isChanging: Bool { spoken != nil || showsStatistics }

    func say(_ line: String) {
        guard let picture = picture(of: line, size: 26) else { return }
        spoken = (picture, HostClock.shared.time + Self.duration)
    }

    func update(statistics line: () -> String, notice text: String?) {
        let now = HostClock.shared.time
        if let spoken, spoken.until < now { self.spoken = nil }
        if !showsStatistics {
            statistics = nil
        } else if now >= statisticsDue || statistics == nil {
            statistics = picture(of: line(), size: 18)
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
        let margin = (16 * scale).rounded()
        if let notice {
            let picture = notice.picture
            let frame = LayerRect(
                x: Double((width - picture.width) / 2), y: Double((height - picture.height) / 2),
                width: Double(picture.width), height: Double(picture.height))
            layers.append(Layer(.image(picture), frame: .pixels(frame), gravity: .resize))
        }
        var top = margin
        for picture in [spoken?.picture, statistics].compactMap({ $0 }) {
            let frame = LayerRect(
                x: margin, y: top, width: Double(picture.width), height: Double(picture.height))
            layers.append(Layer(.image(picture), frame: .pixels(frame), gravity: .resize))
            top += frame.height + margin / 2
        }
        return layers
    }

    private func picture(of text: String, size: Double) -> PixelBuffer? {
        let style = TextStyle(
            size: size * scale, outlineWidth: 1.5 * scale, boxColor: [0, 0, 0, 0.45],
            padding: Int(8 * scale))
        return try? rasterizer?.picture(of: text, style: style, maximumWidth: Int(1600 * scale))
    }
}
