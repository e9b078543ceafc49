// SPDX-License-Identifier: Apache-2.0

import PlayheadLayers

/// The layout of an open menu, which is above its button. The rows are in order from top to bottom.
struct MenuLayout: Sendable, Equatable {
    var panel: LayerRect
    var title: LayerRect
    var rows: [LayerRect] = []
    /// The index of the item in the first row.
    var firstItem: Int
    let itemCount: Int

    /// Lays out a menu.
    ///
    /// - Parameters:
    ///   - firstItem: The index of the item in the first row. It is reduced if the last rows would
    ///     be empty.
    ///   - textWidth: The width of the widest item's text, in pixels.
    ///   - textHeight: The height of the tallest item's text, in pixels, when wrapped at the
    ///     greatest width of a menu.
    ///   - button: The rectangle of the button, below the menu.
    init(
        itemCount: Int, firstItem: Int, textWidth: Double, textHeight: Double = 0,
        over button: LayerRect, in layout: ControlsLayout
    ) {
        let inset = layout.points(6)
        let rowHeight = max(layout.points(27), textHeight + inset)
        let titleHeight = layout.points(26)
        // If not all items fit, the wheel and the keys scroll the menu.
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

    /// The greatest width of the text of an item, in pixels.
    static func textRoom(in layout: ControlsLayout) -> Double {
        max(1, layout.width - 2 * layout.points(8) - layout.points(54))
    }

    /// The indices of the visible items.
    var items: Range<Int> { firstItem..<firstItem + rows.count }

    /// Returns the index of the item at a point.
    func item(at point: SIMD2<Double>) -> Int? {
        rows.firstIndex { $0.contains(point) }.map { firstItem + $0 }
    }

    /// Returns the index of the first visible item after the shortest scroll that makes `item`
    /// visible.
    func firstItem(revealing item: Int) -> Int {
        item < firstItem ? item : max(firstItem, item - rows.count + 1)
    }

    /// Returns the thumb of the scroll bar; nil if all items are visible.
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
