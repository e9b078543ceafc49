// SPDX-License-Identifier: Apache-2.0

/// Splits a line of commands into words, at spaces outside of quotation marks. A semicolon ends a
/// command. A number sign after a space begins a comment, as in mpv's `input.conf`.
enum CommandWords {
    /// Returns the words of each command of a line.
    static func split(_ line: String) throws(CommandError) -> [[String]] {
        var commands: [[String]] = []
        var words: [String] = []
        var word: String?
        var quote: Character?
        var isEscaped = false
        for character in line {
            if let mark = quote {
                if isEscaped {
                    word?.append(character == "n" ? "\n" : character)
                    isEscaped = false
                } else if character == "\\", mark == "\"" {
                    isEscaped = true
                } else if character == mark {
                    quote = nil
                } else {
                    word?.append(character)
                }
                continue
            }
            switch character {
            case "\"" where word == nil, "'" where word == nil:
                quote = character
                word = ""
            case "#" where word == nil:
                finish(&word, &words, &commands)
                return commands
            case ";": finish(&word, &words, &commands)
            case _ where character.isWhitespace:
                if let ended = word { words.append(ended) }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        if quote != nil { throw .openQuote(line) }
        finish(&word, &words, &commands)
        return commands
    }

    private static func finish(
        _ word: inout String?, _ words: inout [String], _ commands: inout [[String]]
    ) {
        if let ended = word { words.append(ended) }
        if !words.isEmpty { commands.append(words) }
        (word, words) = (nil, [])
    }

    /// Returns a word, in quotation marks if it needs them.
    static func quoted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty && word.first != "#"
            && !word.contains { $0.isWhitespace || "\"'\\;".contains($0) }
        if isPlain { return word }
        var text = "\""
        for character in word {
            switch character {
            case "\"", "\\": text += "\\\(character)"
            case "\n": text += "\\n"
            default: text.append(character)
            }
        }
        return text + "\""
    }
}
