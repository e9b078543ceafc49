// SPDX-License-Identifier: Apache-2.0

import PlayheadLayers

/// Where an open menu stands: over the button that opened it, its rows from top to bottom.
struct MenuLayout: Sendable, Equatable {
    var panel: LayerRect
    var title: LayerRect
    var rows: [LayerRect] = []

    /// - Parameters:
    ///   - width: of the widest of its rows' words, in pixels.
    ///   - button: above which it stands.
    init(itemCount: Int, textWidth: Double, over button: LayerRect, in layout: ControlsLayout) {
        let (rowHeight, inset) = (layout.points(27), layout.points(6))
        let titleHeight = layout.points(26)
        // No higher than there is room for; what does not fit is reached by key.
        let room = max(0, layout.panel.y - 2 * layout.points(8) - titleHeight - 2 * inset)
        let count = min(itemCount, Int(room / rowHeight))
        let width = min(
            max(textWidth + layout.points(54), layout.points(128)),
            layout.width - 2 * layout.points(8))
        let height = Double(count) * rowHeight + titleHeight + 2 * inset
        let x = min(
            max(button.x + button.width / 2 - width / 2, layout.points(8)),
            layout.width - width - layout.points(8))
        panel = LayerRect(
            x: x.rounded(), y: (layout.panel.y - layout.points(8) - height).rounded(),
            width: width.rounded(), height: height)
        title = LayerRect(
            x: panel.x + layout.points(14), y: panel.y + inset, width: width, height: titleHeight)
        for index in 0..<count {
            rows.append(
                LayerRect(
                    x: panel.x + inset,
                    y: panel.y + inset + titleHeight + Double(index) * rowHeight,
                    width: panel.width - 2 * inset, height: rowHeight))
        }
    }

    /// The row at a point.
    func row(at point: SIMD2<Double>) -> Int? { rows.firstIndex { $0.contains(point) } }
}
