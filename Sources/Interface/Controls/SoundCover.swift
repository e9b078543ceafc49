// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadImages
import PlayheadLayers
import PlayheadPlayback

/// What is seen of sound: the picture that its file carries, or a note, and what it is.
///
/// - Concurrency: the main thread.
@MainActor final class SoundCover {
    /// In pixels; larger ones are made smaller when they are read.
    private static let side = 640

    private weak var item: PlayerItem?
    private var picture: PixelBuffer?
    private var title = ""
    private var subtitle = ""
    private var task: Task<Void, Never>?
    /// Raised when it looks different.
    private(set) var generation = 0
    /// Called when a picture has come.
    var changeHandler: @MainActor () -> Void = {}

    deinit { task?.cancel() }

    func follow(_ item: PlayerItem?, isShown: Bool) {
        guard isShown, let item, item !== self.item else { return }
        self.item = item
        picture = nil
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
            guard !Task.isCancelled, let self, let image = image ?? nil else { return }
            picture = PixelBuffer(image)
            generation += 1
            changeHandler()
        }
    }

    /// - Parameter bottom: where the controls begin.
    func paint(_ painter: inout PanelLayers, width: Int, height: Int, above bottom: Double) {
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
        } else {
            painter.panel(square, radius: (12 * scale).rounded())
            painter.icon(.note, in: square, side: side * 0.5, opacity: 0.4)
        }
        y += side + titleSize * 0.25
        let line = LayerRect(x: 0, y: y, width: Double(width), height: titleSize * 1.5)
        painter.text(title, in: line, size: titleSize, alignment: .center, isBold: true)
        guard !subtitle.isEmpty else { return }
        painter.text(
            subtitle,
            in: LayerRect(
                x: 0, y: y + titleSize * 1.4, width: Double(width), height: subtitleSize * 1.5),
            size: subtitleSize, alignment: .center, color: PanelLayers.Palette.dim)
    }
}
