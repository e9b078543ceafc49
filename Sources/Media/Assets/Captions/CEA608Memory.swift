// SPDX-License-Identifier: Apache-2.0

/// The characters on a screen of CEA-608: 15 rows of 32 columns.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: 47 CFR 79.101(d).
package struct CEA608Memory: Sendable, Hashable {
    package static let rowCount = 15
    package static let columnCount = 32

    private var cells = [CaptionCell?](repeating: nil, count: rowCount * columnCount)
    /// A Boolean value that indicates whether no cell has a character.
    package private(set) var isEmpty = true

    package init() {}

    /// A cell, with rows and columns counted from 0; nil where the video is visible.
    package subscript(row: Int, column: Int) -> CaptionCell? {
        get { cells[row * Self.columnCount + column] }
        set {
            cells[row * Self.columnCount + column] = newValue
            if newValue != nil { isEmpty = false }
        }
    }

    /// Returns the cells of a row.
    package func row(_ row: Int) -> ArraySlice<CaptionCell?> {
        cells[row * Self.columnCount..<(row + 1) * Self.columnCount]
    }

    /// Returns the text of a row; empty if the row has no text.
    package func text(ofRow row: Int) -> String {
        var text = String.UnicodeScalarView()
        for cell in self.row(row) { text.append(cell?.character ?? " ") }
        while text.last == " " { text.removeLast() }
        return String(String(text).drop { $0 == " " })
    }

    /// Clears a row, beginning at a column.
    mutating func clear(row: Int, from column: Int = 0) {
        for column in column..<Self.columnCount { self[row, column] = nil }
        isEmpty = cells.allSatisfy { $0 == nil }
    }

    /// Moves the contents of a row to another row, and clears the original row.
    mutating func move(row: Int, to target: Int) {
        for column in 0..<Self.columnCount { self[target, column] = self[row, column] }
        clear(row: row)
    }
}
