// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadImages
import PlayheadLayers
import PlayheadPlayback

/// The view for audio without video. It shows the title, and either the cover art of the file or a
/// spectrum. If there is neither cover art nor received audio, it shows a note icon.
///
/// - Concurrency: the main thread.
@MainActor final class SoundCover {
    /// The maximum side of cover art, in pixels. Larger images are scaled down when they are read.
    private static let side = 640

    private weak var item: PlayerItem?
    private var picture: PixelBuffer?
    private var title = ""
    private var subtitle = ""
    private var task: Task<Void, Never>?
    /// The spectrum; nil until it is known that the file has no cover art.
    private var spectrum: SoundSpectrum?
    /// The number of changes of the cover art or the title.
    private var generation = 0
    private var painted: (key: Key, layers: [Layer])?

    /// The values from which the layers were built.
    private struct Key: Equatable {
        var generation: Int
        var width: Int
        var height: Int
        var scale: Double
        var bottom: Double
        /// The heights of the bars; nil if there are none.
        var levels: [Double]?
    }

    /// The handler that is called when the cover art is ready.
    var changeHandler: @MainActor () -> Void = {}

    deinit { task?.cancel() }

    func follow(_ item: PlayerItem?, isShown: Bool) {
        guard isShown, let item, item !== self.item else { return }
        self.item = item
        picture = nil
        spectrum = nil
        let metadata = item.assetDescription?.metadata ?? []
        func fact(_ key: MetadataCommonKey) -> String? {
            metadata.filtered(by: key).first?.stringValue
        }
        title = fact(.title) ?? item.asset.displayName
        subtitle = [fact(.artist), fact(.albumName)].compactMap { $0 }.joined(separator: " – ")
        generation += 1
        task?.cancel()
        task = Task(priority: .utility) { [weak self] in
            let size = (Self.side, Self.side)
            let image = try? await ImageGenerator.artwork(of: item.asset, maximumSize: size)
            guard !Task.isCancelled, let self else { return }
            if let image = image ?? nil {
                picture = PixelBuffer(image)
            } else {
                spectrum = SoundSpectrum(item)
            }
            generation += 1
            changeHandler()
        }
    }

    /// A Boolean value that indicates whether the view changes while the item plays.
    var isMoving: Bool { spectrum != nil }

    /// Updates the spectrum for the current time.
    func look() {
        if let item { spectrum?.look(at: item.currentTime) }
    }

    /// Returns the layers for a view of the given size, in pixels.
    ///
    /// - Parameter bottom: the upper edge of the controls.
    func layers(
        width: Int, height: Int, scale: Double, above bottom: Double, icons: IconPictures
    ) -> [Layer] {
        let bars = spectrum.flatMap { $0.isHearing ? $0.levels : nil }
        let key = Key(
            generation: generation, width: width, height: height, scale: scale, bottom: bottom,
            levels: bars)
        if let painted, painted.key == key { return painted.layers }
        var painter = PanelLayers(scale: scale, icons: icons)
        paint(&painter, width: width, height: height, above: bottom)
        painted = (key, painter.layers)
        return painter.layers
    }

    private func paint(
        _ painter: inout PanelLayers, width: Int, height: Int, above bottom: Double
    ) {
        let scale = painter.scale
        let (titleSize, subtitleSize) = ((21 * scale).rounded(), (15 * scale).rounded())
        let words = titleSize * 1.5 + (subtitle.isEmpty ? 0 : subtitleSize * 1.5)
        let room = min(bottom, Double(height))
        let side = min(room * 0.62, Double(width) * 0.6, room - words - 24 * scale)
        guard side > 32 * scale else { return }
        var y = ((room - side - words) / 2).rounded()
        let square = LayerRect(
            x: ((Double(width) - side) / 2).rounded(), y: y, width: side.rounded(),
            height: side.rounded())
        if let picture {
            painter.picture(picture, in: square, radius: (12 * scale).rounded())
        } else if let spectrum, spectrum.isHearing {
            let wide = min(side * 1.6, Double(width) * 0.86).rounded()
            spectrum.paint(
                &painter,
                in: LayerRect(
                    x: ((Double(width) - wide) / 2).rounded(), y: y + side * 0.1, width: wide,
                    height: side * 0.85))
        } else {
            painter.panel(square, radius: (12 * scale).rounded())
            painter.icon(.note, in: square, side: side * 0.5, opacity: 0.4)
        }
        y += side + titleSize * 0.25
        let margin = (12 * scale).rounded()
        var line = LayerRect(
            x: margin, y: y, width: Double(width) - 2 * margin, height: titleSize * 1.5)
        painter.text(
            title, in: line, size: titleSize, alignment: .center, isBold: true, truncates: true)
        guard !subtitle.isEmpty else { return }
        line.y += titleSize * 1.4
        line.height = subtitleSize * 1.5
        painter.text(
            subtitle, in: line, size: subtitleSize, alignment: .center,
            color: PanelPalette.dim, truncates: true)
    }
}
