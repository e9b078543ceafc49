// SPDX-License-Identifier: Apache-2.0

import PlayheadLayers
import PlayheadTime

/// Creates the layers of the folder browser.
///
/// - Concurrency: the main thread.
@MainActor struct BrowserPainter {
    let model: BrowserModel
    let cards: BrowserCards
    /// The name of the folder.
    let title: String
    /// The text in place of the grid; nil if there are entries.
    let message: String?
    /// The host time.
    let time: MediaTime

    private static let ground = SIMD4(SIMD3<Float>(CardPainter.ground) / 255, 1)
    private static let box = SIMD4(SIMD3<Float>(CardPainter.box) / 255, 1)
    private static let bar: SIMD4<Float> = [0.105, 0.11, 0.13, 1]

    private var layout: BrowserLayout { model.layout }

    private func points(_ value: Double) -> Double { (value * layout.scale).rounded() }

    func layers() -> [Layer] {
        var painter = PanelLayers(scale: layout.scale)
        painter.append(grid)
        if let message { paint(message, &painter) }
        // The header covers the cards that are scrolled under it.
        paintHeader(&painter)
        paintBar(&painter)
        return painter.layers
    }

    // MARK: Grid

    /// The cards. While the grid moves, they are an animation of their group, which the render
    /// thread evaluates at each vsync.
    private var grid: Layer {
        var painter = PanelLayers(scale: layout.scale)
        let scroll = model.scroll
        // Cards that rest between two rows of pixels would be soft.
        let offset = scroll.target.rounded()
        for index in model.visible(from: time) {
            let entry = model.entries[index]
            var rect = layout.rect(of: index)
            rect.y += layout.viewport.y - offset
            let isSelected = index == model.selection
            if isSelected || index == model.hovered {
                let edge = points(isSelected ? 4 : 2)
                painter.fill(
                    rect.inset(by: -edge), isSelected ? PanelPalette.accent : Self.hover,
                    radius: points(7))
            }
            guard let card = cards[entry.key] else {
                painter.fill(rect, Self.ground)
                rect.height = Double(layout.card.pictureHeight)
                painter.fill(rect, Self.box)
                continue
            }
            painter.append(Layer(.image(card.picture), frame: .pixels(rect), gravity: .resize))
        }
        var group = Layer(sublayers: painter.layers)
        group.name = "grid"
        guard scroll.isMoving(at: time) else { return group }
        group.animations = [
            LayerAnimation(
                .translation([SIMD3(0, offset - scroll.start, 0), .zero]),
                beginTime: scroll.beginTime, duration: BrowserScroll.duration,
                timingFunction: BrowserScroll.curve, fillMode: .both)
        ]
        return group
    }

    private static let hover: SIMD4<Float> = [0.36, 0.37, 0.42, 1]

    private func paint(_ message: String, _ painter: inout PanelLayers) {
        let look = TextLook(size: points(16), color: PanelPalette.soft)
        let room = max(1, layout.viewport.width - 2 * points(24))
        let block = TextBlock(message, look, room: room)
        let count = max(1, Int(layout.viewport.height / look.lineHeight))
        for (index, line) in block.lines.prefix(count).enumerated() {
            let top = max(0, (layout.viewport.height - block.height) / 2)
            painter.line(
                line, look,
                in: LayerRect(
                    x: (layout.viewport.width - room) / 2,
                    y: layout.viewport.y + top + Double(index) * look.lineHeight, width: room,
                    height: look.lineHeight), alignment: .center)
        }
    }

    // MARK: Header

    private func paintHeader(_ painter: inout PanelLayers) {
        let header = layout.header
        painter.fill(header, Self.bar)
        var edge = header
        edge.height = max(1, layout.scale.rounded(.down))
        edge.y = header.height - edge.height
        painter.fill(edge, PanelPalette.line)
        let button = layout.backButton
        if model.isBackHovered {
            painter.fill(button, PanelPalette.hover, radius: button.height / 2)
        }
        painter.text("←", in: button, size: points(18), alignment: .center)
        let look = TextLook(size: points(15), isBold: true)
        var rect = LayerRect(
            x: button.x + button.width + points(8), y: 0, width: 0, height: header.height)
        rect.width = max(0, header.width - rect.x - points(16))
        guard rect.width > points(24) else { return }
        let soft = TextLook(
            size: points(13), color: model.filter.isEmpty ? PanelPalette.soft : PanelPalette.note)
        // The name of the folder gets at least half of the bar.
        let titleWidth = PanelLayers.width(of: title, look)
        let room = max(rect.width / 2, rect.width - titleWidth - points(16))
        if let text = facts.first(where: { PanelLayers.width(of: $0, soft) <= room }) {
            painter.line(text, soft, in: rect, alignment: .right)
            rect.width = max(0, rect.width - PanelLayers.width(of: text, soft) - points(16))
        }
        painter.line(title, look, in: rect)
    }

    /// The text on the right, in versions from the longest to the shortest.
    private var facts: [String] {
        let all = model.contents?.entries ?? []
        guard model.filter.isEmpty else {
            let count = "\(model.entries.count) of \(all.count)"
            return ["Filter: \(model.filter)   \(count)", "\(model.filter)   \(count)", count]
        }
        guard !all.isEmpty else { return [] }
        let folders = all.count { $0.kind == .folder }
        let files = all.count - folders
        let texts = [(folders, "folder"), (files, "file")].filter { $0.0 > 0 }
            .map { "\($0) \($1)\($0 == 1 ? "" : "s")" }
        return [texts.joined(separator: ", "), "\(all.count)"]
    }

    /// The scroll bar. While the grid moves, the thumb moves with it.
    private func paintBar(_ painter: inout PanelLayers) {
        let scroll = model.scroll
        guard var thumb = layout.thumb(offset: scroll.target) else { return }
        thumb.y = thumb.y.rounded()
        var layer = Layer(.color(PanelPalette.dim), frame: .pixels(thumb), gravity: .resize)
        layer.cornerRadius = thumb.width / 2
        if scroll.isMoving(at: time), let start = layout.thumb(offset: scroll.start) {
            layer.animations = [
                LayerAnimation(
                    .translation([SIMD3(0, start.y - thumb.y, 0), .zero]),
                    beginTime: scroll.beginTime, duration: BrowserScroll.duration,
                    timingFunction: BrowserScroll.curve, fillMode: .both)
            ]
        }
        painter.append(layer)
    }
}
