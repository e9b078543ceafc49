// SPDX-License-Identifier: Apache-2.0

import PlayheadLayers

/// The positions of the cards of a grid, and of the header above it, in pixels.
///
/// The grid scrolls. The coordinates of its content begin at the upper left corner of the first
/// row's margin; the part below the scroll offset is visible in the viewport.
///
/// - Concurrency: a value; any thread.
struct BrowserLayout: Sendable, Hashable {
    /// The number of pixels in a point of the design. It is smaller in very small windows.
    let scale: Double
    /// The bar with the name of the folder.
    let header: LayerRect
    /// The button that leaves the folder.
    let backButton: LayerRect
    /// The part of the window in which the grid is visible.
    let viewport: LayerRect
    /// The size of a card.
    let card: CardMetrics
    /// The number of cards in a row.
    let columnCount: Int
    /// The number of cards.
    let itemCount: Int
    private let left: Double
    private let margin: Double
    private let gap: Double

    /// The size of the smallest window in which text has its usual size, in points.
    private static let least = (width: 200.0, height: 150.0)
    /// The smallest width of a card in a window with several columns, in points.
    private static let cardWidth = 176.0
    /// The largest width of a card, in points.
    private static let largestCardWidth = 320.0

    /// Lays out a number of cards in a window.
    init(width: Int, height: Int, scale: Double, itemCount: Int) {
        let scale = max(
            0.1,
            min(scale, Double(width) / Self.least.width, Double(height) / Self.least.height))
        self.scale = scale
        self.itemCount = itemCount
        func points(_ value: Double) -> Double { (value * scale).rounded() }
        let (width, height) = (Double(max(1, width)), Double(max(1, height)))
        header = LayerRect(x: 0, y: 0, width: width, height: min(points(44), height))
        let side = points(28)
        backButton = LayerRect(
            x: points(8), y: ((header.height - side) / 2).rounded(), width: side, height: side)
        viewport = LayerRect(
            x: 0, y: header.height, width: width, height: max(0, height - header.height))
        margin = points(16)
        gap = points(16)
        let room = max(1, width - 2 * margin)
        columnCount = max(1, Int((room + gap) / (points(Self.cardWidth) + gap)))
        let share = (room - Double(columnCount - 1) * gap) / Double(columnCount)
        // While a window is resized, most sizes have cards of the same width. A multiple of 16
        // gives pictures of exactly 16 to 9.
        let step = max(1, points(16))
        let stepped = min((share / step).rounded(.down) * step, points(Self.largestCardWidth))
        card = CardMetrics(
            width: Int(max(1, stepped, min(share, 8)).rounded(.down)), scale: scale)
        let used = Double(columnCount * card.width) + Double(columnCount - 1) * gap
        left = max(0, ((width - used) / 2).rounded())
    }

    /// The distance from the top of a row to the top of the next one.
    var rowHeight: Double { Double(card.height) + gap }

    /// The number of rows.
    var rowCount: Int { (itemCount + columnCount - 1) / columnCount }

    /// The number of rows that are completely visible, at least one.
    var visibleRowCount: Int { max(1, Int(viewport.height / rowHeight)) }

    /// The height of all rows and the margins above and below them.
    var contentHeight: Double {
        rowCount == 0 ? 0 : Double(rowCount) * rowHeight - gap + 2 * margin
    }

    /// The largest scroll offset.
    var maximumOffset: Double { max(0, contentHeight - viewport.height) }

    /// Returns the rectangle of a card in the content.
    func rect(of index: Int) -> LayerRect {
        let (row, column) = (index / columnCount, index % columnCount)
        return LayerRect(
            x: left + Double(column) * (Double(card.width) + gap),
            y: margin + Double(row) * rowHeight, width: Double(card.width),
            height: Double(card.height))
    }

    /// Returns the index of the card at a point of the window.
    ///
    /// - Parameter offset: The scroll offset.
    func index(at point: SIMD2<Double>, offset: Double) -> Int? {
        guard viewport.contains(point), itemCount > 0 else { return nil }
        let (x, y) = (point.x - left, point.y - viewport.y + offset - margin)
        guard x >= 0, y >= 0 else { return nil }
        let column = Int(x / (Double(card.width) + gap))
        guard column < columnCount else { return nil }
        let index = Int(y / rowHeight) * columnCount + column
        guard index < itemCount, rect(of: index).contains(SIMD2(point.x, y + margin)) else {
            return nil
        }
        return index
    }

    /// Returns the indices of the cards of all rows that are at least partly visible.
    ///
    /// - Parameters:
    ///   - offsets: The smallest and the largest scroll offset.
    ///   - rows: The number of additional rows above and below.
    func indices(
        at offsets: ClosedRange<Double>, rowsAbove: Int = 0, rowsBelow: Int = 0
    ) -> Range<Int> {
        guard itemCount > 0, viewport.height > 0 else { return 0..<0 }
        let top = ((offsets.lowerBound - margin + gap) / rowHeight).rounded(.down)
        let bottom = ((offsets.upperBound + viewport.height - margin) / rowHeight).rounded(.up)
        let first = min(max(0, Int(top) - rowsAbove), rowCount)
        let last = min(max(first, Int(bottom) + rowsBelow), rowCount)
        return min(first * columnCount, itemCount)..<min(last * columnCount, itemCount)
    }

    /// Returns the nearest scroll offset at which a card and the space around it are visible.
    func offset(revealing index: Int, from offset: Double) -> Double {
        let rect = rect(of: index)
        let (top, bottom) = (rect.y - margin, rect.y + rect.height + margin)
        return clamped(min(max(offset, bottom - viewport.height), top))
    }

    /// Returns the nearest valid scroll offset.
    func clamped(_ offset: Double) -> Double { min(max(0, offset), maximumOffset) }

    /// A step of the selection.
    enum Step: Sendable, Hashable {
        case left, right, up, down, pageUp, pageDown, first, last
    }

    /// Returns the index after a step. At an edge it stays, except that a step to the left and to
    /// the right continues in the next row.
    func index(after step: Step, from index: Int?) -> Int? {
        guard itemCount > 0 else { return nil }
        let last = itemCount - 1
        guard let index else { return step == .last ? last : 0 }
        let page = visibleRowCount * columnCount
        switch step {
        case .left: return max(0, index - 1)
        case .right: return min(last, index + 1)
        case .up: return index >= columnCount ? index - columnCount : index
        case .down:
            if index + columnCount <= last { return index + columnCount }
            // The last row may be shorter.
            return index / columnCount < rowCount - 1 ? last : index
        case .pageUp:
            return index >= page ? index - page : index % columnCount
        case .pageDown:
            return index + page <= last
                ? index + page : min(last, (rowCount - 1) * columnCount + index % columnCount)
        case .first: return 0
        case .last: return last
        }
    }

    // MARK: Scroll bar

    private var barWidth: Double { (6 * scale).rounded() }
    private var barInset: Double { (4 * scale).rounded() }

    /// The part of the window in which a press drags the scroll bar; nil if everything is visible.
    var barTrack: LayerRect? {
        guard maximumOffset > 0, viewport.height > 4 * barInset else { return nil }
        let width = barWidth + 2 * barInset
        return LayerRect(
            x: viewport.x + viewport.width - width, y: viewport.y, width: width,
            height: viewport.height)
    }

    /// Returns the thumb of the scroll bar; nil if everything is visible.
    func thumb(offset: Double) -> LayerRect? {
        guard let track = barTrack else { return nil }
        let length = track.height - 2 * barInset
        let height = min(max(length * viewport.height / contentHeight, 4 * barWidth), length)
        return LayerRect(
            x: track.x + barInset,
            y: track.y + barInset + (length - height) * (offset / maximumOffset), width: barWidth,
            height: height)
    }

    /// Returns the scroll offset at which the thumb begins at a y coordinate.
    func offset(thumbAt y: Double) -> Double {
        guard let track = barTrack, let thumb = thumb(offset: 0) else { return 0 }
        let way = track.height - 2 * barInset - thumb.height
        return way > 0 ? clamped((y - track.y - barInset) / way * maximumOffset) : 0
    }
}
