// SPDX-License-Identifier: Apache-2.0

/// A text that is wrapped into lines of a limited width.
///
/// Lines are broken between words. A word that is wider than a line is broken too. Nothing is
/// truncated.
///
/// - Concurrency: the main thread. Text is measured by drawing it, and the image is cached.
@MainActor struct TextBlock: Equatable {
    let lines: [String]
    let look: TextLook
    /// The width of the widest line, in pixels; 0 if there are no fonts.
    let width: Double

    var height: Double { Double(lines.count) * look.lineHeight }

    /// Wraps a text into lines.
    ///
    /// - Parameter room: The maximum width of a line, in pixels.
    init(_ text: String, _ look: TextLook, room: Double = .infinity) {
        self.init(text, look, room: room) { PanelLayers.width(of: $0, look) }
    }

    /// Wraps a text into lines, with a given function that measures a text.
    init(_ text: String, _ look: TextLook, room: Double, measure: (String) -> Double) {
        self.look = look
        var lines: [String] = []
        for paragraph in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            let line = String(paragraph)
            lines += measure(line) <= room ? [line] : Self.broken(line, room: room, measure)
        }
        self.lines = lines
        width = lines.map(measure).max() ?? 0
    }

    private static func broken(
        _ line: String, room: Double, _ measure: (String) -> Double
    ) -> [String] {
        var lines: [String] = []
        var current = ""
        for word in line.split(separator: " ") {
            let longer = current.isEmpty ? String(word) : "\(current) \(word)"
            if measure(longer) <= room {
                current = longer
                continue
            }
            if !current.isEmpty { lines.append(current) }
            current = String(word)
            while measure(current) > room, current.count > 1 {
                let count = letters(of: current, room: room, measure)
                lines.append(String(current.prefix(count)))
                current = String(current.dropFirst(count))
            }
        }
        return current.isEmpty ? lines : lines + [current]
    }

    /// Returns the number of characters of a word that fit into a line, at least one.
    private static func letters(
        of word: String, room: Double, _ measure: (String) -> Double
    ) -> Int {
        var (fits, exceeds) = (1, word.count)
        while exceeds - fits > 1 {
            let middle = (fits + exceeds) / 2
            if measure(String(word.prefix(middle))) <= room {
                fits = middle
            } else {
                exceeds = middle
            }
        }
        return fits
    }
}
