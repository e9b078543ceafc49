// SPDX-License-Identifier: Apache-2.0

/// A window of CEA-708 with its text.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: CEA-708-E, 8.4 and 8.10.5.2 to 8.10.5.12.
package struct CEA708Window: Sendable, Hashable {
    /// The side of a window to which its text is aligned.
    package enum Justification: UInt8, Sendable {
        case left, right, center, full
    }

    /// The position of a window on the screen.
    package struct Anchor: Sendable, Hashable {
        /// A Boolean value that indicates whether the position is in percent rather than in units
        /// of the grid. The grid has 75 rows, and 210 columns in wide pictures or 160 in others.
        package var isRelative = false
        package var vertical = 0
        package var horizontal = 0
        /// The point of the window that is at this position: 0 to 8, row by row from the upper left
        /// corner.
        package var point = 0

        package init() {}
    }

    package var isVisible = false
    /// The priority, from 0 to 7. A window with priority 0 is in front of all others.
    package var priority = 0
    package var anchor = Anchor()
    package private(set) var rowCount = 1
    package private(set) var columnCount = 1
    package var justification = Justification.left
    package var wraps = false
    package var fill = CaptionStyle.Color.black
    /// The colour of the border; nil if there is no border.
    package var border: CaptionStyle.Color?
    package var style = CaptionStyle()
    /// The position of the next character.
    package private(set) var row = 0
    package private(set) var column = 0
    /// The rows of characters; a cell without a character is nil.
    package private(set) var cells: [[CaptionCell?]] = [[nil]]

    package init() {}

    /// The maximum number of rows and of columns (CEA-708-E, 8.4.7; the grid has 42 columns in wide
    /// pictures, but some encoders define more).
    static let maximumRows = 15
    static let maximumColumns = 64

    package var isEmpty: Bool {
        !cells.contains { $0.contains { $0.map { $0.character != " " } ?? false } }
    }

    /// Changes the size. Text outside of the new size is discarded.
    mutating func resize(rows: Int, columns: Int) {
        rowCount = min(max(1, rows), Self.maximumRows)
        columnCount = min(max(1, columns), Self.maximumColumns)
        cells = (0..<rowCount).map { row in
            let old = row < cells.count ? cells[row] : []
            return (0..<columnCount).map { $0 < old.count ? old[$0] : nil }
        }
        row = min(row, rowCount - 1)
        column = min(column, columnCount)
    }

    mutating func move(toRow row: Int, column: Int) {
        self.row = min(row, rowCount - 1)
        self.column = min(column, columnCount)
    }

    /// Clears the text (Form Feed).
    mutating func clear() {
        cells = Array(repeating: Array(repeating: nil, count: columnCount), count: rowCount)
        (row, column) = (0, 0)
    }

    /// Writes a character; nil for a transparent space. A character beyond the last column is
    /// discarded unless the window wraps lines.
    mutating func put(_ character: Unicode.Scalar?) {
        if column >= columnCount {
            guard wraps else { return }
            carriageReturn()
        }
        cells[row][column] = character.map { CaptionCell($0, style) }
        column += 1
    }

    mutating func backspace() {
        guard column > 0 else { return }
        column -= 1
        cells[row][column] = nil
    }

    /// Moves to the next row. After the last row, the text scrolls up.
    mutating func carriageReturn() {
        column = 0
        if row + 1 < rowCount {
            row += 1
            return
        }
        cells.removeFirst()
        cells.append(Array(repeating: nil, count: columnCount))
    }

    /// Clears the row and goes to its beginning (Horizontal Carriage Return).
    mutating func clearRow() {
        cells[row] = Array(repeating: nil, count: columnCount)
        column = 0
    }

    /// Applies a predefined window style, from 1 to 7 (CEA-708-E, table 23).
    mutating func apply(windowStyle number: Int) {
        guard (1...7).contains(number) else { return }
        justification = number == 3 || number == 6 ? .center : .left
        wraps = (4...6).contains(number)
        fill = number == 2 || number == 5 ? .clear : .black
        border = nil
    }

    /// Applies a predefined pen style, from 1 to 7 (CEA-708-E, table 24).
    mutating func apply(penStyle number: Int) {
        guard (1...7).contains(number) else { return }
        style = CaptionStyle()
        let faces: [CaptionStyle.Face] = [
            .standard, .monospacedSerif, .serif, .monospaced, .sansSerif, .monospaced, .sansSerif,
        ]
        style.face = faces[number - 1]
        if number > 5 { (style.edge, style.background) = (.uniform, .clear) }
    }
}
