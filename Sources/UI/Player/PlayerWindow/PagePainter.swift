// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadLayers

/// Draws pages: statistics, lists, notices and the list of keys.
///
/// - Concurrency: the main thread.
@MainActor struct PagePainter {
    let width: Double
    let height: Double
    let scale: Double
    var panels: PanelLayers
    /// The rectangle of the page in the upper left corner, or nil.
    private(set) var page: LayerRect?

    init(width: Int, height: Int, scale: Double) {
        self.width = Double(width)
        self.height = Double(height)
        self.scale = scale
        panels = PanelLayers(scale: scale)
    }

    var layers: [Layer] { panels.layers }

    func points(_ value: Double) -> Double { (value * scale).rounded() }

    /// Adds a notice in the middle of the window.
    mutating func paintNotice(_ notice: PageNotice) {
        let inset = points(18)
        let room = max(64, width - 2 * points(24) - 2 * inset)
        func rasterized(_ text: String) -> PixelBuffer? {
            PanelLayers.picture(ofMessage: text, size: points(22), maximumWidth: Int(room))
        }
        guard let picture = rasterized(notice.text), let widest = rasterized(notice.widest) else {
            return
        }
        let (textWidth, textHeight) = (Double(widest.width), Double(widest.height))
        let panel = LayerRect(
            x: ((width - textWidth) / 2 - inset).rounded(),
            y: ((height - textHeight) / 2 - inset).rounded(), width: textWidth + 2 * inset,
            height: textHeight + 2 * inset)
        panels.panel(panel, radius: points(14))
        paint(picture, x: panel.x + inset, y: panel.y + inset)
    }

    /// Adds statistics in the upper left corner.
    mutating func paintStatistics(_ page: StatisticsPage, graph: PixelBuffer?) {
        let (margin, inset, size) = (points(16), points(14), points(14))
        let (gap, titleHeight) = (points(12), points(22))
        let labels = page.rows.map {
            PanelLayers.picture(of: $0.label, size: size, color: PanelPalette.dim)
        }
        let labelWidth = labels.compactMap { $0?.width }.max().map { Double($0) + gap } ?? 0
        let room = max(64, width - 2 * (margin + inset) - labelWidth)
        // Values can have two lines, so rows are laid out one by one to keep each label beside its
        // value.
        let values = (page.text.isEmpty ? page.rows.map(\.value) : [page.text]).map {
            PanelLayers.picture(of: $0, size: size, maximumWidth: Int(room))
        }
        let lineHeight = (size * 1.3).rounded()
        let heights = values.map { max(lineHeight, Double($0?.height ?? 0) + lineHeight - size) }
        let title = PanelLayers.picture(of: page.title, size: size, isBold: true)
        let footer = PanelLayers.picture(
            of: page.footer, size: points(12), color: PanelPalette.dim,
            maximumWidth: Int(max(64, width - 2 * (margin + inset))))
        let graphHeight = graph.map { Double($0.height) + gap } ?? 0
        let textWidth = labelWidth + (values.compactMap { $0?.width }.max().map { Double($0) } ?? 0)
        let widths = [textWidth, Double(graph?.width ?? 0), Double(footer?.width ?? 0)]
        let panel = LayerRect(
            x: margin, y: margin, width: (widths.max() ?? 0) + 2 * inset,
            height: titleHeight + heights.reduce(0, +) + graphHeight + points(10)
                + Double(footer?.height ?? 0) + 2 * inset)
        self.page = panel
        panels.panel(panel, radius: points(12), ground: PanelPalette.page)
        let x = panel.x + inset
        var y = panel.y + inset
        if let title { paint(title, x: x, y: y) }
        y += titleHeight
        for (index, (value, height)) in zip(values, heights).enumerated() {
            if labels.indices.contains(index), let label = labels[index] {
                paint(label, x: x, y: y)
            }
            if let value { paint(value, x: x + labelWidth, y: y) }
            y += height
        }
        if let graph {
            paint(graph, x: x, y: y + gap / 2)
            y += graphHeight
        }
        if let footer { paint(footer, x: x, y: y + points(8)) }
    }

    /// Adds a list with its title in the upper left corner. If the space above the controls is too
    /// small, only a part of the list is shown.
    mutating func paintList(_ list: PageList, above bottom: Double) {
        let (margin, inset) = (points(16), points(14))
        let (size, mark, heading) = (points(16), points(22), points(24))
        let lineHeight = (size * 1.4).rounded()
        let height = min(bottom, self.height) - 2 * (margin + inset) - heading
        let rows = list.rows(atMost: max(1, Int(height / lineHeight)))
        let title =
            rows.count < list.rows.count
            ? "\(list.title), \(rows.count) of \(list.rows.count)" : list.title
        let widths = rows.map { PanelLayers.picture(of: $0.text, size: size)?.width ?? 0 }
        let room = max(64, width - 2 * (margin + inset) - mark)
        let textWidth = min(room, Double(widths.max() ?? 0))
        let panel = LayerRect(
            x: margin, y: margin, width: max(textWidth + mark, points(120)) + 2 * inset,
            height: Double(rows.count) * lineHeight + heading + 2 * inset)
        page = panel
        panels.panel(panel, radius: points(12), ground: PanelPalette.page)
        var line = LayerRect(
            x: panel.x + inset, y: panel.y + inset, width: textWidth + mark, height: points(15))
        panels.text(
            title, in: line, size: points(15), color: PanelPalette.dim, isBold: true,
            truncates: true)
        line.y += heading
        line.height = lineHeight
        for row in rows {
            if row.isCurrent { panels.text("▶", in: line, size: size) }
            panels.text(
                row.text,
                in: LayerRect(x: line.x + mark, y: line.y, width: textWidth, height: lineHeight),
                size: size, truncates: true)
            line.y += lineHeight
        }
    }

    private mutating func paint(_ picture: PixelBuffer, x: Double, y: Double) {
        panels.picture(
            picture,
            in: LayerRect(
                x: x.rounded(), y: y.rounded(), width: Double(picture.width),
                height: Double(picture.height)), radius: 0)
    }
}
