// SPDX-License-Identifier: Apache-2.0

/// Breaks text into a few lines of a limited width.
///
/// - Concurrency: any thread.
enum CardText {
    /// The end of a text that does not fit.
    enum Shortening {
        /// The last line begins with an ellipsis and keeps the end of the text, in which similar
        /// file names differ.
        case middle
        /// The last line ends with an ellipsis.
        case end
    }

    /// Breaks a text into lines. Lines are broken after spaces and punctuation, if there are any in
    /// the second half of a line.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of lines, at least 1.
    ///   - room: The maximum width of a line.
    ///   - measure: Returns the width of a line.
    static func lines(
        of text: String, limit: Int, room: Double, shortening: Shortening,
        measure: (String) -> Double
    ) -> [String] {
        var rest = Substring(text)
        var lines: [String] = []
        while !rest.isEmpty {
            if measure(String(rest)) <= room {
                lines.append(String(rest))
                break
            }
            if lines.count >= limit - 1 {
                lines.append(shortened(rest, room, shortening, measure))
                break
            }
            let letters = Array(rest)
            var count = fitting(letters, room, measure)
            // A single letter may be wider than a line: emojis that are joined count as one.
            if count < letters.count, letters[count] != " ",
                let last = letters[..<count].lastIndex(where: { separators.contains($0) }),
                last + 1 >= (count + 1) / 2
            {
                count = last + 1
            }
            lines.append(String(letters[..<count]).trimmedAtEnd)
            rest = rest.dropFirst(count).drop { $0 == " " }
        }
        return lines
    }

    private static let separators: Set<Character> = [" ", "_", "-", ".", ",", ";", ")", "]"]

    /// Returns the number of letters at the beginning of a line that fit into it, at least 1.
    private static func fitting(
        _ letters: [Character], _ room: Double, _ measure: (String) -> Double
    ) -> Int {
        var (fits, exceeds) = (1, max(2, letters.count))
        while exceeds - fits > 1 {
            let middle = (fits + exceeds) / 2
            if measure(String(letters[..<middle])) <= room {
                fits = middle
            } else {
                exceeds = middle
            }
        }
        return min(fits, letters.count)
    }

    private static func shortened(
        _ text: Substring, _ room: Double, _ shortening: Shortening, _ measure: (String) -> Double
    ) -> String {
        let letters = Array(text)
        func line(_ count: Int) -> String {
            switch shortening {
            case .middle: "…" + letters[(letters.count - count)...].drop { $0 == " " }
            case .end: String(letters[..<count]).trimmedAtEnd + "…"
            }
        }
        var (fits, exceeds) = (0, letters.count)
        while exceeds - fits > 1 {
            let middle = (fits + exceeds) / 2
            if measure(line(middle)) <= room { fits = middle } else { exceeds = middle }
        }
        return line(fits)
    }
}

extension String {
    fileprivate var trimmedAtEnd: String {
        var text = Substring(self)
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
