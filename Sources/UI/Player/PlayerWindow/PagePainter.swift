// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadCommands
import PlayheadLayers

/// Makes layers of pages of words.
///
/// - Concurrency: the main thread.
@MainActor struct PagePainter {
    private let width: Double
    private let height: Double
    private let scale: Double
    private var panels: PanelLayers

    init(width: Int, height: Int, scale: Double) {
        self.width = Double(width)
        self.height = Double(height)
        self.scale = scale
        panels = PanelLayers(scale: scale)
    }

    var layers: [Layer] { panels.layers }

    private func points(_ value: Double) -> Double { (value * scale).rounded() }

    /// Words in the middle of the window.
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

    /// Facts in the upper left corner, where short words are told, too.
    mutating func paintStatistics(_ page: StatisticsPage, graph: PixelBuffer?) {
        let (margin, inset, size) = (points(16), points(14), points(14))
        let (gap, titleHeight) = (points(12), points(22))
        let labels = page.rows.map {
            PanelLayers.picture(of: $0.label, size: size, color: PanelLayers.Palette.dim)
        }
        let labelWidth = labels.compactMap { $0?.width }.max().map { Double($0) + gap } ?? 0
        let room = max(64, width - 2 * (margin + inset) - labelWidth)
        // One by one, so that a label stands beside its value where that takes two lines.
        let values = (page.text.isEmpty ? page.rows.map(\.value) : [page.text]).map {
            PanelLayers.picture(of: $0, size: size, maximumWidth: Int(room))
        }
        let lineHeight = (size * 1.3).rounded()
        let heights = values.map { max(lineHeight, Double($0?.height ?? 0) + lineHeight - size) }
        let title = PanelLayers.picture(of: page.title, size: size, isBold: true)
        let footer = PanelLayers.picture(
            of: page.footer, size: points(12), color: PanelLayers.Palette.dim)
        let graphHeight = graph.map { Double($0.height) + gap } ?? 0
        let textWidth = labelWidth + (values.compactMap { $0?.width }.max().map { Double($0) } ?? 0)
        let widths = [textWidth, Double(graph?.width ?? 0), Double(footer?.width ?? 0)]
        let panel = LayerRect(
            x: margin, y: margin, width: (widths.max() ?? 0) + 2 * inset,
            height: titleHeight + heights.reduce(0, +) + graphHeight + points(22) + 2 * inset)
        panels.panel(panel, radius: points(12), ground: PanelLayers.Palette.page)
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

    /// A list under its title, in the upper left corner; as much of it as there is room for above the controls.
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
        panels.panel(panel, radius: points(12), ground: PanelLayers.Palette.page)
        var line = LayerRect(
            x: panel.x + inset, y: panel.y + inset, width: textWidth + mark, height: points(15))
        panels.text(
            title, in: line, size: points(15), color: PanelLayers.Palette.dim, isBold: true)
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

    // MARK: Keys

    /// Keys in as many columns as they need, and as large as there is room for; in a small window only as
    /// many groups of them as can be read.
    mutating func paintKeys(_ bindings: KeyBindings) {
        let groups = bindings.groups
        let (margin, inset) = (points(12), points(18))
        let room = (
            width: width - 2 * (margin + inset), height: height - 2 * (margin + inset)
        )
        var count = groups.count
        var keys = keyColumns(Array(groups), in: room)
        while count > 1, keys.map({ $0.size < points(9) }) ?? true {
            count -= 1
            keys = keyColumns(Array(groups.prefix(count)), in: room, isCut: true)
        }
        guard let (pictures, size, longest) = keys else { return }
        let gap = Self.gap(size)
        let total = Self.width(of: pictures, size: size)
        let panelHeight = Double(longest) * size + 2 * inset
        let panel = LayerRect(
            x: max(margin, ((width - total) / 2 - inset).rounded()),
            y: max(margin, ((height - panelHeight) / 2).rounded()), width: total + 2 * inset,
            height: panelHeight)
        panels.panel(panel, radius: points(14), ground: PanelLayers.Palette.page)
        var x = panel.x + inset
        for column in pictures {
            let y = panel.y + inset
            if let titles = column.titles { paint(titles, x: x, y: y) }
            if let keys = column.keys { paint(keys, x: x, y: y) }
            if let help = column.help {
                paint(help, x: x + Double(column.keys?.width ?? 0) + gap, y: y)
            }
            x += column.width(gap: gap) + 2 * gap
        }
    }

    /// Columns of groups, the size of their letters and the length of the longest; nil where there is no room.
    private func keyColumns(
        _ groups: [(group: KeyBinding.Group, rows: [KeyBinding])],
        in room: (width: Double, height: Double), isCut: Bool = false
    ) -> (pictures: [KeyColumn], size: Double, longest: Int)? {
        let count = width < 560 * scale ? 1 : width < 900 * scale ? 2 : 3
        var columns = Self.columns(groups, count: count)
        if isCut, !columns.isEmpty {
            columns[columns.count - 1] += [
                KeyLine(), KeyLine(help: "more in a larger window"),
            ]
        }
        let longest = columns.map(\.count).max() ?? 1
        var size = min(points(14), (room.height / Double(longest)).rounded(.down))
        guard size >= 5 else { return nil }
        var pictures = Self.pictures(of: columns, size: size)
        // As wide as the letters are, so wide is the page: smaller ones make it fit.
        let share = room.width / Self.width(of: pictures, size: size)
        if share < 1 {
            size = max(5, (size * share).rounded(.down))
            pictures = Self.pictures(of: columns, size: size)
        }
        return (pictures, size, longest)
    }

    /// One column of the page of keys.
    private struct KeyColumn {
        var keys: PixelBuffer?
        var help: PixelBuffer?
        var titles: PixelBuffer?

        func width(gap: Double) -> Double {
            max(
                Double(keys?.width ?? 0) + gap + Double(help?.width ?? 0),
                Double(titles?.width ?? 0))
        }
    }

    private static func gap(_ size: Double) -> Double { (size * 0.9).rounded() }

    private static func width(of columns: [KeyColumn], size: Double) -> Double {
        let gap = gap(size)
        return columns.map { $0.width(gap: gap) }.reduce(0, +)
            + gap * 2 * Double(columns.count - 1)
    }

    private static func pictures(of columns: [[KeyLine]], size: Double) -> [KeyColumn] {
        columns.map { lines in
            func text(_ path: (KeyLine) -> String) -> String {
                lines.map(path).joined(separator: "\n")
            }
            return KeyColumn(
                keys: PanelLayers.picture(of: text(\.keys), size: size),
                help: PanelLayers.picture(
                    of: text(\.help), size: size, color: PanelLayers.Palette.soft),
                titles: PanelLayers.picture(of: text(\.title), size: size, isBold: true))
        }
    }

    /// A line of the page of keys: a title, or keys and what they do.
    private struct KeyLine {
        // A line without anything would not be drawn, and those below would move up.
        var title = " "
        var keys = " "
        var help = " "
    }

    /// Groups in columns, none of which is much longer than the others: each group goes to the column
    /// that is shortest then, the longest group first. None is broken.
    private static func columns(
        _ groups: [(group: KeyBinding.Group, rows: [KeyBinding])], count: Int
    ) -> [[KeyLine]] {
        var members = [[Int]](repeating: [], count: count)
        func length(_ column: [Int]) -> Int {
            column.map { groups[$0].rows.count + 2 }.reduce(0, +)
        }
        for index in groups.indices.sorted(by: { groups[$0].rows.count > groups[$1].rows.count }) {
            let shortest = members.indices.min { length(members[$0]) < length(members[$1]) }
            members[shortest ?? 0].append(index)
        }
        // In the order in which they are told elsewhere.
        return members.filter { !$0.isEmpty }.map { $0.sorted() }.sorted { $0[0] < $1[0] }.map {
            $0.flatMap { index in
                [KeyLine(title: groups[index].group.rawValue)]
                    + groups[index].rows.map { KeyLine(keys: $0.title, help: $0.help) }
                    + [KeyLine()]
            }.dropLast()
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
