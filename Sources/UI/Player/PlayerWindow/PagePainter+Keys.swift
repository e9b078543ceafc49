// SPDX-License-Identifier: Apache-2.0

import PlayheadCommands
import PlayheadLayers

/// The list of keys, in groups. The groups are in as many columns as fit into the window, and the
/// text size is constant. If the list is longer than the window, it scrolls.
extension PagePainter {
    /// Dimensions of the design, in points.
    private enum Measure {
        static let margin = 12.0
        static let inset = 20.0
        static let text = 15.0
        static let heading = 17.0
        static let columnWidth = 370.0
        static let mostColumns = 4
        static let gap = 14.0
        static let groupGap = 18.0
        static let rowPadding = 3.0
    }

    /// A row of the list, relative to the upper left corner of its column.
    private struct KeyRow {
        var top: Double
        var height: Double
        /// The heading of a group, or the keys in a row.
        var keys: TextBlock
        var help: TextBlock?
    }

    /// Adds the list of keys, which fills the window.
    mutating func paintKeys(_ bindings: KeyBindings, scroll: inout ScrollState) {
        let (margin, inset) = (points(Measure.margin), points(Measure.inset))
        let gap = points(Measure.gap)
        let room = width - 2 * (margin + inset)
        guard room > points(60) else { return }
        let count = min(max(1, Int(room / points(Measure.columnWidth))), Measure.mostColumns)
        let columnWidth = ((room - Double(count - 1) * 2 * gap) / Double(count)).rounded(.down)
        let groups = bindings.groups.map {
            rows(of: $0.group, $0.rows, columnWidth: columnWidth, gap: gap)
        }
        let columns = columns(groups, count: count)
        let content = columns.compactMap { $0.last.map { $0.top + $0.height } }.max() ?? 0
        let panelHeight = min(height - 2 * margin, content + 2 * inset)
        let panel = LayerRect(
            x: margin, y: max(margin, ((height - panelHeight) / 2).rounded()),
            width: width - 2 * margin, height: panelHeight)
        panels.panel(panel, radius: points(14), ground: PanelPalette.page)
        scroll.resize(content: content + 2 * inset, viewport: panel.height)
        var clip = Layer(.color([0, 0, 0, 0]), frame: .pixels(panel))
        clip.cornerRadius = points(14)
        clip.masksToBounds = true
        var inside = PanelLayers(scale: scale)
        for (index, column) in columns.enumerated() {
            let x = inset + Double(index) * (columnWidth + 2 * gap)
            for row in column {
                let y = inset + row.top - scroll.offset
                guard y + row.height > 0, y < panel.height else { continue }
                paint(row, x: x, y: y, columnWidth: columnWidth, with: &inside)
            }
        }
        inside.scrollBar(
            scroll, in: LayerRect(x: 0, y: 0, width: panel.width, height: panel.height))
        clip.sublayers = inside.layers
        panels.append(clip)
    }

    private func paint(
        _ row: KeyRow, x: Double, y: Double, columnWidth: Double, with painter: inout PanelLayers
    ) {
        let keyWidth = keyWidth(columnWidth)
        guard let help = row.help else {
            painter.block(
                row.keys, in: LayerRect(x: x, y: y, width: columnWidth, height: row.height))
            painter.fill(
                LayerRect(
                    x: x, y: y + row.keys.height + points(2), width: columnWidth,
                    height: max(1, scale.rounded(.down))), PanelPalette.line)
            return
        }
        painter.block(row.keys, in: LayerRect(x: x, y: y, width: keyWidth, height: row.height))
        let left = x + keyWidth + points(Measure.gap)
        painter.block(
            help,
            in: LayerRect(x: left, y: y, width: x + columnWidth - left, height: row.height))
    }

    /// Returns the width of the keys in a column.
    private func keyWidth(_ columnWidth: Double) -> Double { (columnWidth * 0.42).rounded() }

    private func rows(
        of group: KeyBinding.Group, _ bindings: [KeyBinding], columnWidth: Double, gap: Double
    ) -> [KeyRow] {
        let heading = TextBlock(
            group.rawValue,
            TextLook(
                size: points(Measure.heading), color: PanelPalette.accent, isBold: true),
            room: columnWidth)
        var rows = [
            KeyRow(top: 0, height: heading.height + points(8), keys: heading, help: nil)
        ]
        let keyLook = TextLook(size: points(Measure.text), isBold: true)
        let helpLook = TextLook(size: points(Measure.text), color: PanelPalette.soft)
        let keyWidth = keyWidth(columnWidth)
        for binding in bindings {
            let keys = TextBlock(binding.title, keyLook, room: keyWidth)
            let help = TextBlock(binding.help, helpLook, room: columnWidth - keyWidth - gap)
            let top = rows.last.map { $0.top + $0.height } ?? 0
            rows.append(
                KeyRow(
                    top: top,
                    height: max(keys.height, help.height) + 2 * points(Measure.rowPadding),
                    keys: keys, help: help))
        }
        return rows
    }

    /// Distributes groups over columns of similar height: each group, beginning with the longest,
    /// is added to the shortest column so far. Groups are not split.
    private func columns(_ groups: [[KeyRow]], count: Int) -> [[KeyRow]] {
        func height(_ rows: [KeyRow]) -> Double { rows.last.map { $0.top + $0.height } ?? 0 }
        let gap = points(Measure.groupGap)
        var members = [[Int]](repeating: [], count: count)
        func height(of column: [Int]) -> Double {
            column.map { height(groups[$0]) + gap }.reduce(0, +)
        }
        for index in groups.indices.sorted(by: { height(groups[$0]) > height(groups[$1]) }) {
            let shortest = members.indices.min {
                height(of: members[$0]) < height(of: members[$1])
            }
            members[shortest ?? 0].append(index)
        }
        // Within a column, the groups keep their order.
        return members.filter { !$0.isEmpty }.map { $0.sorted() }.sorted { $0[0] < $1[0] }.map {
            var rows: [KeyRow] = []
            for index in $0 {
                let top = rows.isEmpty ? 0 : height(rows) + gap
                rows += groups[index].map {
                    var row = $0
                    row.top += top
                    return row
                }
            }
            return rows
        }
    }
}
