// SPDX-License-Identifier: Apache-2.0

extension CaptionScript {
    /// Returns the lines of a screen of CEA-608: the boxes behind the characters, and the text of
    /// each row.
    func lines(of memory: CEA608Memory) -> [String] {
        var boxes: [(color: CaptionStyle.Color, lines: [String])] = []
        var texts: [String] = []
        for row in 0..<CEA608Memory.rowCount {
            let cells = Array(memory.row(row))
            guard cells.contains(where: { $0 != nil }) else { continue }
            let y = Self.top + Double(row) * Self.cellHeight
            for part in backgrounds(cells) where part.color.opacity > 0 {
                let line = Self.box(
                    part.color, x: left + part.start * Self.cellWidth, y: y,
                    width: (part.end - part.start) * Self.cellWidth, height: Self.cellHeight)
                boxes.append((part.color, [line]))
            }
            if let text = text(cells, y) { texts.append(text) }
        }
        return boxes.flatMap(\.lines) + texts
    }

    /// Returns the extents of a row's backgrounds, in columns. A space of the same colour precedes
    /// and follows the characters (47 CFR 79.101(d)).
    private func backgrounds(
        _ cells: [CaptionCell?]
    ) -> [(color: CaptionStyle.Color, start: Double, end: Double)] {
        var parts: [(color: CaptionStyle.Color, start: Double, end: Double)] = []
        for (column, cell) in cells.enumerated() {
            guard let color = cell?.style.background else { continue }
            let place = Double(column)
            let isFirst = column == 0 || cells[column - 1] == nil
            if !isFirst, let last = parts.last, last.color == color {
                parts[parts.count - 1].end = place + 1
            } else {
                parts.append((color, isFirst ? place - 1 : place, place + 1))
            }
            if column + 1 == cells.count || cells[column + 1] == nil {
                parts[parts.count - 1].end += 1
            }
        }
        // The spaces of neighbouring parts overlap where only one transparent cell separates them.
        for index in parts.indices.dropFirst() where parts[index].start < parts[index - 1].end {
            parts[index].start = parts[index - 1].end
        }
        return parts
    }

    private func text(_ cells: [CaptionCell?], _ y: Double) -> String? {
        let isVisible = cells.map { cell in
            cell.map { $0.character != " " || $0.style.isUnderlined } ?? false
        }
        guard let first = isVisible.firstIndex(of: true),
            let last = isVisible.lastIndex(of: true)
        else { return nil }
        let runs = runs(Array(cells[first...last]))
        return Self.line(runs, x: left + Double(first) * Self.cellWidth, y: y)
    }
    /// Splits a row into parts with one style each. Transparent cells become spaces.
    func runs(_ cells: [CaptionCell?]) -> [Run] {
        var runs: [Run] = []
        for cell in cells {
            let character = Character(cell?.character ?? " ")
            var style = cell?.style ?? runs.last?.style ?? CaptionStyle()
            if cell == nil { style.isUnderlined = false }
            if runs.last?.style == style {
                runs[runs.count - 1].text.append(character)
            } else {
                runs.append(Run(text: String(character), style: style))
            }
        }
        return runs
    }
}
