// SPDX-License-Identifier: Apache-2.0

extension CaptionScript {
    /// The width of a window's border.
    private static let borderWidth = 3.0

    /// Returns the lines of windows of CEA-708, from back to front.
    func lines(of windows: [CEA708Window]) -> [String] {
        windows.enumerated().flatMap { lines(of: $1, layer: $0 * 3) }
    }

    private func lines(of window: CEA708Window, layer: Int) -> [String] {
        let width = Double(window.columnCount) * Self.cellWidth
        let height = Double(window.rowCount) * Self.cellHeight
        let (x, y) = place(of: window, width, height)
        var boxes: [String] = []
        if let border = window.border {
            boxes += edges(border, x: x, y: y, width: width, height: height, layer: layer)
        }
        if window.fill.opacity > 0 {
            boxes.append(
                Self.box(window.fill, x: x, y: y, width: width, height: height, layer: layer))
        }
        var texts: [String] = []
        for (row, cells) in window.cells.enumerated() {
            let isSeen = cells.map { $0.map { $0.character != " " || $0.style.isUnderlined } }
            guard let first = isSeen.firstIndex(of: true), let last = isSeen.lastIndex(of: true)
            else { continue }
            let count = Double(last - first + 1)
            let (start, anchor, alignment): (Double, Double, Int)
            switch window.justification {
            case .left, .full:
                start = x + Double(first) * Self.cellWidth
                (anchor, alignment) = (start, 7)
            case .center:
                (anchor, alignment) = (x + width / 2, 8)
                start = anchor - count / 2 * Self.cellWidth
            case .right:
                (anchor, alignment) = (x + width, 9)
                start = anchor - count * Self.cellWidth
            }
            let top = y + Double(row) * Self.cellHeight
            let visible = Array(cells[first...last])
            boxes += backgrounds(visible, x: start, y: top, layer: layer + 1)
            texts.append(
                Self.line(
                    runs(visible), x: anchor, y: top, alignment: alignment, layer: layer + 2))
        }
        return boxes + texts
    }

    /// Returns the four sides of a border around a window.
    private func edges(
        _ color: CaptionStyle.Color, x: Double, y: Double, width: Double, height: Double, layer: Int
    ) -> [String] {
        let size = Self.borderWidth
        let wide = width + 2 * size
        return [
            Self.box(color, x: x - size, y: y - size, width: wide, height: size, layer: layer),
            Self.box(color, x: x - size, y: y + height, width: wide, height: size, layer: layer),
            Self.box(color, x: x - size, y: y, width: size, height: height, layer: layer),
            Self.box(color, x: x + width, y: y, width: size, height: height, layer: layer),
        ]
    }

    /// Returns the upper left corner of a window, moved into the safe area.
    private func place(
        of window: CEA708Window, _ width: Double, _ height: Double
    ) -> (x: Double, y: Double) {
        let anchor = window.anchor
        let area = (Double(columns) * Self.cellWidth, Double(Self.rows) * Self.cellHeight)
        // The grid has five units for each column and row.
        let grid = anchor.isRelative ? (100.0, 100.0) : (Double(columns * 5), Double(Self.rows * 5))
        let x =
            left + Double(anchor.horizontal) / grid.0 * area.0
            - Double(anchor.point % 3) / 2 * width
        let y =
            Self.top + Double(anchor.vertical) / grid.1 * area.1
            - Double(anchor.point / 3) / 2 * height
        return (
            max(left, min(x, left + area.0 - width)),
            max(Self.top, min(y, Self.top + area.1 - height))
        )
    }

    private func backgrounds(
        _ cells: [CaptionCell?], x: Double, y: Double, layer: Int
    ) -> [String] {
        var parts: [(color: CaptionStyle.Color, start: Int, end: Int)] = []
        for (column, cell) in cells.enumerated() {
            guard let color = cell?.style.background, color.opacity > 0 else { continue }
            if let last = parts.last, last.color == color, last.end == column {
                parts[parts.count - 1].end = column + 1
            } else {
                parts.append((color, column, column + 1))
            }
        }
        return parts.map { part in
            Self.box(
                part.color, x: x + Double(part.start) * Self.cellWidth, y: y,
                width: Double(part.end - part.start) * Self.cellWidth, height: Self.cellHeight,
                layer: layer)
        }
    }
}
