// SPDX-License-Identifier: Apache-2.0

import PlayheadLayers

/// A form: a column of rows, each with a label, a control and a value. A row is as high as its
/// text.
///
/// A label that fits into the label column is beside its control; every other label is above its
/// control. In a narrow form, all labels are above. Rectangles are in pixels from the form's upper
/// left corner.
///
/// - Concurrency: the main thread.
@MainActor struct FormLayout: Equatable {
    /// A row without a position.
    struct Item: Equatable {
        /// The control beside or below the label.
        enum Control: Equatable {
            case none
            /// A track with a knob, followed by its value.
            case slider
            /// A box that holds a text.
            case field(String)
            /// A box with the row's label at its centre.
            case button
        }

        var label: String
        var look: TextLook
        /// The indentation level.
        var indentation = 0
        var control = Control.none
        /// A text at the right edge.
        var value = ""
        /// A Boolean value that indicates whether the row has a switch at the right edge.
        var hasSwitch = false
        /// A Boolean value that indicates whether the row has a symbol, such as an arrow, before
        /// the label.
        var hasSign = false
    }

    /// A row with its position.
    struct Row: Equatable {
        var frame: LayerRect
        var sign: LayerRect?
        var label: TextBlock
        var labelRect: LayerRect
        var control: LayerRect?
        /// The text of a field.
        var fieldText: TextBlock?
        var value: LayerRect?
        var toggle: LayerRect?

        /// The rectangles of the parts of the row. They must not overlap.
        var parts: [LayerRect] {
            [sign, labelRect, control, value, toggle].compactMap { $0 }.filter { $0.width > 0 }
        }
    }

    let rows: [Row]
    let height: Double
    let scale: Double

    /// Dimensions of the design, in points.
    private enum Measure {
        static let padding = 12.0
        static let gap = 10.0
        static let rowPadding = 5.0
        static let indentation = 16.0
        static let sign = 16.0
        static let toggle = (width: 28.0, height: 16.0)
        static let leastControl = 150.0
        static let leastValue = 40.0
        /// In a form that is narrower than this, all labels are above their controls.
        static let leastWidth = 290.0
    }

    /// Returns the smallest width at which all labels are beside their controls, in pixels.
    static func naturalWidth(of items: [Item], scale: Double) -> Double {
        func points(_ value: Double) -> Double { (value * scale).rounded() }
        return 2 * points(Measure.padding) + labelWidth(of: items, scale)
            + valueWidth(of: items, scale) + points(Measure.leastControl) + 2 * points(Measure.gap)
    }

    private static func indentation(of item: Item, _ scale: Double) -> Double {
        (Double(item.indentation) * Measure.indentation * scale).rounded()
            + (item.hasSign ? (Measure.sign * scale).rounded() : 0)
    }

    /// Returns the width of the column of labels.
    private static func labelWidth(of items: [Item], _ scale: Double) -> Double {
        items.map { item in
            switch item.control {
            case .slider, .field:
                indentation(of: item, scale) + PanelLayers.width(of: item.label, item.look)
            case .none, .button: 0
            }
        }.max() ?? 0
    }

    private static func valueWidth(of items: [Item], _ scale: Double) -> Double {
        let widths = items.filter { $0.control == .slider }.map {
            PanelLayers.width(of: $0.value, $0.look)
        }
        return max((Measure.leastValue * scale).rounded(), widths.max() ?? 0)
    }

    /// Lays out rows.
    ///
    /// - Parameter width: The width of the form, in pixels.
    init(_ items: [Item], width: Double, scale: Double) {
        func points(_ value: Double) -> Double { (value * scale).rounded() }
        self.scale = scale
        let content = max(1, width - 2 * points(Measure.padding))
        let isStacked = width < points(Measure.leastWidth)
        let labelWidth = min(Self.labelWidth(of: items, scale), content * 0.45)
        let columns = Columns(
            left: points(Measure.padding), right: points(Measure.padding) + content,
            control: points(Measure.padding) + (isStacked ? 0 : labelWidth + points(Measure.gap)),
            value: min(Self.valueWidth(of: items, scale), content / 2), isStacked: isStacked)
        var y = points(Measure.padding) / 2
        var rows: [Row] = []
        for item in items {
            let row = Self.row(item, columns, y: y, width: width, scale)
            rows.append(row)
            y += row.frame.height
        }
        self.rows = rows
        height = y + points(Measure.padding) / 2
    }

    /// The column edges that all rows share.
    private struct Columns {
        var left: Double
        var right: Double
        var control: Double
        /// The width of the column of values.
        var value: Double
        var isStacked: Bool
    }

    private static func row(
        _ item: Item, _ columns: Columns, y: Double, width: Double, _ scale: Double
    ) -> Row {
        func points(_ value: Double) -> Double { (value * scale).rounded() }
        let (gap, padding) = (points(Measure.gap), points(Measure.rowPadding))
        let line = item.look.lineHeight
        var row = Row(
            frame: LayerRect(x: 0, y: y, width: width, height: 0),
            label: TextBlock("", item.look), labelRect: LayerRect(x: 0, y: 0, width: 0, height: 0))
        var right = columns.right
        let top = y + padding
        if item.hasSwitch {
            let (side, height) = (points(Measure.toggle.width), points(Measure.toggle.height))
            row.toggle = LayerRect(
                x: right - side, y: (top + (line - height) / 2).rounded(), width: side,
                height: height)
            right -= side + gap
        }
        let isBeside = item.control != .slider
        if isBeside, !item.value.isEmpty {
            let valueWidth = min(PanelLayers.width(of: item.value, item.look), columns.value * 2)
            row.value = LayerRect(x: right - valueWidth, y: top, width: valueWidth, height: line)
            right -= valueWidth + gap
        }
        var left = columns.left + indentation(of: item, scale)
        if item.hasSign {
            let sign = points(Measure.sign)
            row.sign = LayerRect(x: left - sign, y: top, width: points(12), height: line)
        }
        left = min(left, right - 1)
        if item.control == .button {
            left += padding
            right -= padding
        }
        let isStacked =
            columns.isStacked
            || left + PanelLayers.width(of: item.label, item.look) > columns.control - gap + 0.5
        let hasControl = item.control != .none && item.control != .button
        let room = hasControl && !isStacked ? columns.control - gap - left : right - left
        row.label = TextBlock(item.label, item.look, room: max(1, room.rounded(.up)))
        row.labelRect = LayerRect(
            x: left, y: top, width: min(max(1, room), max(1, row.label.width)),
            height: row.label.height)
        var bottom = top + row.label.height
        if hasControl {
            let x = min(isStacked && columns.isStacked ? left : columns.control, columns.right - 1)
            var control = LayerRect(
                x: x, y: isStacked ? bottom + padding : top, width: columns.right - x, height: line)
            switch item.control {
            case .slider:
                row.value = LayerRect(
                    x: columns.right - columns.value, y: control.y, width: columns.value,
                    height: line)
                control.width = max(1, columns.right - columns.value - gap - x)
            case .field(let text):
                let inset = points(6)
                let block = TextBlock(text, item.look, room: max(1, control.width - 4 * inset))
                row.fieldText = block
                control.height = max(line, block.height)
            case .none, .button: break
            }
            row.control = control
            bottom = max(bottom, control.y + control.height)
        }
        if item.control == .button {
            row.control = nil
        }
        row.frame.height = bottom + padding - y
        return row
    }

    /// Returns the index of the row at a y coordinate.
    func row(at y: Double) -> Int? {
        rows.firstIndex { y >= $0.frame.y && y < $0.frame.y + $0.frame.height }
    }
}
