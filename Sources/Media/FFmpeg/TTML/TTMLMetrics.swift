// SPDX-License-Identifier: Apache-2.0

/// The units of lengths in a TTML document.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: TTML2, 8.3.15.
struct TTMLMetrics: Sendable, Hashable {
    /// The size of the video in the document's pixels; nil if the document does not state it.
    private var pixels: (width: Double, height: Double)? {
        pixelWidth > 0 && pixelHeight > 0 ? (pixelWidth, pixelHeight) : nil
    }
    private var pixelWidth = 0.0
    private var pixelHeight = 0.0
    /// The number of cells of the video.
    private var columns = 32.0
    private var rows = 15.0

    /// Reads the units of the root element.
    init(_ root: XMLElement) {
        let cells = (root.value(ofLocal: "cellResolution") ?? "")
            .split(separator: " ", maxSplits: 2).compactMap { Double($0) }
        if cells.count == 2, cells.allSatisfy({ (1...10_000).contains($0) }) {
            (columns, rows) = (cells[0], cells[1])
        }
        let size = (root.value(ofLocal: "extent") ?? "").split(separator: " ", maxSplits: 2)
            .compactMap { $0.hasSuffix("px") ? Double($0.dropLast(2)) : nil }
        if size.count == 2, size.allSatisfy({ (1...100_000).contains($0) }) {
            (pixelWidth, pixelHeight) = (size[0], size[1])
        }
    }

    /// Parses a horizontal and a vertical length, and returns them as fractions of the video.
    func pair(_ text: String) -> (Double, Double)? {
        let parts = text.split(maxSplits: 2, whereSeparator: \.isWhitespace)
        guard parts.count == 2,
            let x = length(parts[0], pixels: pixels?.width, cells: columns),
            let y = length(parts[1], pixels: pixels?.height, cells: rows)
        else { return nil }
        return (x, y)
    }

    /// The smallest and the largest size of letters, as fractions of the video's height.
    private static let sizes = 0.005...0.5
    /// The least and the greatest stretch of letters.
    private static let stretches = 0.1...10.0

    /// Applies a size of letters, one length or a horizontal and a vertical one, to the style of
    /// the element around it. A length that is not valid changes nothing.
    ///
    /// - Corresponds to: TTML2, 10.2.18. The initial size is a cell.
    func apply(fontSize text: String, to style: inout TextStyle) {
        let parts = text.split(maxSplits: 2, whereSeparator: \.isWhitespace)
        guard (1...2).contains(parts.count), let last = parts.last,
            let height = fontLength(last, of: style.size ?? 1 / rows), height > 0
        else { return }
        let isRelative = last.hasSuffix("%") || last.hasSuffix("em")
        var stretch = isRelative ? style.stretch : 1
        if parts.count == 2 {
            guard let width = fontLength(parts[0], of: style.size ?? 1 / rows), width > 0 else {
                return
            }
            // The width of a cell depends on the shape of the video.
            if !last.hasSuffix("c") { stretch *= width / height }
        }
        style.size = min(max(height, Self.sizes.lowerBound), Self.sizes.upperBound)
        style.stretch = min(max(stretch, Self.stretches.lowerBound), Self.stretches.upperBound)
    }

    /// Parses a size of letters, and returns it as a fraction of the video's height.
    ///
    /// - Parameter size: The size of the element around it.
    private func fontLength(_ text: Substring, of size: Double) -> Double? {
        if text.hasSuffix("em") {
            return Double(text.dropLast(2)).flatMap { $0.isFinite ? $0 * size : nil }
        }
        guard !text.hasSuffix("rw"), let value = length(text, pixels: pixels?.height, cells: rows)
        else { return nil }
        return text.hasSuffix("%") ? value * size : value
    }

    private func length(_ text: Substring, pixels: Double?, cells: Double) -> Double? {
        func number(_ unit: String) -> Double? {
            guard text.hasSuffix(unit), let value = Double(text.dropLast(unit.count)),
                value.isFinite
            else { return nil }
            return value
        }
        if let percent = number("%") { return percent / 100 }
        if let count = number("px") { return pixels.map { count / $0 } }
        if let width = number("rw") ?? number("rh") { return width / 100 }
        return number("c").map { $0 / cells }
    }
}
