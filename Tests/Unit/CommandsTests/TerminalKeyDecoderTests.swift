// SPDX-License-Identifier: Apache-2.0

import PlayheadCommands
import Testing

@Suite struct TerminalKeyDecoderTests {
    private static func keys(_ parts: String...) -> [String] {
        var decoder = TerminalKeyDecoder()
        return parts.flatMap { decoder.keys(in: Array($0.utf8)) }
    }

    @Test func `characters and sequences decode to their keys`() {
        #expect(
            Self.keys("q \n\u{7F}[\u{1B}[A\u{1B}OB\u{1B}[1;2C\u{1B}[5~9")
                == ["q", "SPACE", "ENTER", "BS", "[", "UP", "DOWN", "Shift+RIGHT", "PGUP", "9"])
        #expect(Self.keys("\u{1B}") == ["ESC"])
        #expect(Self.keys("\u{1B}q") == ["ESC", "q"])
        #expect(Self.keys("\u{1B}\u{1B}[D") == ["ESC", "LEFT"])
        #expect(Self.keys("é\u{1}") == [])
    }

    @Test(arguments: ["\u{1B}[15~", "\u{1B}[1;5P", "\u{1B}[[A", "\u{1B}OP", "\u{1B}[?1;2c"])
    func `unknown sequences are skipped completely`(sequence: String) {
        #expect(Self.keys(sequence + "q") == ["q"])
    }

    @Test func `a sequence may come in parts`() {
        #expect(Self.keys("\u{1B}[", "A") == ["UP"])
        #expect(Self.keys("\u{1B}[1", ";2", "Dq") == ["Shift+LEFT", "q"])
        #expect(Self.keys("\u{1B}O", "A", "A") == ["UP", "A"])
        // An endless sequence is abandoned.
        #expect(Self.keys("\u{1B}[" + String(repeating: "1", count: 40), "q") == ["q"])
    }
}
