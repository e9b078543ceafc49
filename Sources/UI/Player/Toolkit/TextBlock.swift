// SPDX-License-Identifier: Apache-2.0

/// A text broken into lines that fit a width.
///
/// Lines break between words, and within a word that is wider than a line. Nothing is cut off.
///
/// - Concurrency: the main thread; text is measured by drawing it, once.
@MainActor struct TextBlock: Equatable {
    let lines: [String]
    let look: TextLook
    /// The width of the widest line, in pixels; 0 without fonts.
    let width: Double

    var height: Double { Double(lines.count) * look.lineHeight }

    /// Breaks a text into lines.
    ///
    /// - Parameter room: The width of the lines, in pixels.
    init(_ text: String, _ look: TextLook, room: Double = .infinity) {
        self.init(text, look, room: room) { PanelLayers.width(of: $0, look) }
    }

    /// Breaks a text into lines with a given measuring function.
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

    /// Returns the number of characters of a word that fit, at least one.
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
