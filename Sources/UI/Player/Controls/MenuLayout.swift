// SPDX-License-Identifier: Apache-2.0

import PlayheadLayers

/// Where an open menu stands: over the button that opened it, its rows from top to bottom.
struct MenuLayout: Sendable, Equatable {
    var panel: LayerRect
    var title: LayerRect
    var rows: [LayerRect] = []
    /// Which item is in the first row.
    var firstItem: Int
    let itemCount: Int

    /// - Parameters:
    ///   - firstItem: the one that is to be in the first row, as far as the last rows are filled then.
    ///   - textWidth: of the widest of its items' words, in pixels.
    ///   - button: above which it stands.
    init(
        itemCount: Int, firstItem: Int, textWidth: Double, over button: LayerRect,
        in layout: ControlsLayout
    ) {
        let (rowHeight, inset) = (layout.points(27), layout.points(6))
        let titleHeight = layout.points(26)
        // No higher than there is room for; what does not fit is reached by the wheel and by keys.
        let room = max(0, layout.panel.y - 2 * layout.points(8) - titleHeight - 2 * inset)
        let count = min(itemCount, Int(room / rowHeight))
        self.itemCount = itemCount
        self.firstItem = max(0, min(firstItem, itemCount - count))
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

    /// The items that are seen.
    var items: Range<Int> { firstItem..<firstItem + rows.count }

    /// The item at a point.
    func item(at point: SIMD2<Double>) -> Int? {
        rows.firstIndex { $0.contains(point) }.map { firstItem + $0 }
    }

    /// The item that has to be in the first row for one to be seen: as little else as can be moves.
    func firstItem(revealing item: Int) -> Int {
        item < firstItem ? item : max(firstItem, item - rows.count + 1)
    }

    /// Where at its right edge the part that is seen lies in all of it; nil where all is seen.
    func scroller(width: Double) -> LayerRect? {
        guard rows.count < itemCount, let first = rows.first, let last = rows.last else {
            return nil
        }
        let height = last.y + last.height - first.y
        let share = Double(rows.count) / Double(itemCount)
        return LayerRect(
            x: panel.x + panel.width - 2 * width,
            y: (first.y + height * Double(firstItem) / Double(itemCount)).rounded(), width: width,
            height: (height * share).rounded())
    }
}
