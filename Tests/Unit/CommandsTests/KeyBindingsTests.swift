// SPDX-License-Identifier: Apache-2.0

import PlayheadCommands
import PlayheadWindow
import Testing

@Suite struct KeyBindingsTests {
    @Test func `a chord prints as it is read`() throws {
        for text in [
            "SPACE", "Ctrl+s", "Alt+LEFT", "?", "+", "Ctrl++", "Ctrl+Alt+DEL", "SHARP", "ü", "F12",
            "MBTN_LEFT_DBL", "WHEEL_UP", "Meta+KP5", "Shift+RIGHT",
        ] {
            #expect(try KeyChord(text).description == text)
        }
        #expect(try KeyChord("ctrl+Escape") == KeyChord("Ctrl+ESC"))
        #expect(try KeyChord("#") == KeyChord("SHARP"))
        #expect(try KeyChord("volume_up").description == "VOLUME_UP")
        #expect(try KeyChord("Shift+a") == KeyChord("A"))
        for text in ["", "Ctrl", "Strg+s", "F99", "ab", "Ctrl+"] {
            #expect(throws: CommandError.unknownKey(text)) { try KeyChord(text) }
        }
    }

    @Test func `the whole standard table is parsed, and no key occurs twice`() throws {
        let bindings = KeyBindings.standard
        var rest = bindings
        // Every line of the table's text is parsed to the row that it comes from.
        #expect(rest.read(bindings.text).isEmpty)
        for row in bindings.rows {
            #expect(!row.help.isEmpty)
            for chord in row.chords {
                #expect(bindings[chord] == row)
                #expect(rest[chord]?.commands == row.commands)
                #expect(rest[chord]?.help == row.help)
            }
        }
        #expect(bindings.groups.map(\.rows.count).reduce(0, +) == bindings.rows.count)
        // No line of the table was left out because it could not be read.
        #expect(bindings.rows.count == KeyBindings.standardRowCount)
        for key in ["SPACE", "q", "f", "m", "?", "F1", ".", ",", "i", "l", "PGUP", "1", "8"] {
            #expect(try bindings[KeyChord(key)] != nil, "no \(key)")
        }
    }

    @Test func `lines put other commands on keys`() throws {
        var bindings = KeyBindings.standard
        let errors = bindings.read(
            """
            # my keys
            k cycle pause

            q ignore
            SPACE seek 10; show-progress # on
            h nonsense
            Hyper+x quit
            """)
        #expect(errors.map(\.line) == [6, 7])
        #expect(try bindings[KeyChord("k")]?.help == "play, pause")
        #expect(try bindings[KeyChord("q")] == nil)
        #expect(try bindings[KeyChord("Ctrl+q")]?.commands == CommandSequence(.quit()))
        let space = try #require(try bindings[KeyChord("SPACE")])
        #expect(space.help == "on")
        #expect(space.commands.steps.count == 2)
        #expect(try bindings[KeyChord("p")]?.commands == CommandSequence(.cycle(.pause)))
    }

    private func strokes(_ events: WindowEvent...) -> [String] {
        var reader = KeyReader()
        return events.compactMap { reader.stroke($0)?.chord.description }
    }

    private func key(
        _ key: Key, _ name: String? = nil, _ modifiers: KeyModifiers = [],
        _ action: KeyEvent.Action = .press
    ) -> WindowEvent {
        .key(KeyEvent(key: key, action: action, modifiers: modifiers, name: name))
    }

    @Test func `characters are bound by what the layout makes of them`() {
        // German: a question mark is on the key beside the zero.
        #expect(strokes(key(Key("-"), "ß", .shift), .text("?")) == ["?"])
        #expect(strokes(key(Key("["), "ü"), .text("ü")) == ["ü"])
        #expect(strokes(key(Key("i"), "i", .shift), .text("I")) == ["I"])
        #expect(strokes(key(Key("s"), "s", .control)) == ["Ctrl+s"])
        #expect(strokes(key(.space), .text(" ")) == ["SPACE"])
        #expect(strokes(key(.right, nil, .shift)) == ["Shift+RIGHT"])
        #expect(strokes(key(.keypad(5), "5"), .text("5")) == ["KP5"])
        #expect(strokes(key(Key("a"), "a", [], .release)) == [])
    }

    /// Returns the bindings that a key finds: a key whose layout prints `name`, and which is
    /// `usKey` on a US keyboard.
    private func help(
        _ usKey: Character, _ name: String, _ modifiers: KeyModifiers = [], typed: Unicode.Scalar?,
        _ bindings: KeyBindings = .standard
    ) -> String? {
        var reader = KeyReader()
        let key = KeyEvent(
            key: Key(usKey), action: .press, modifiers: modifiers, name: name,
            latin: LatinCharacters(usKey: Key(usKey)))
        var stroke = reader.stroke(.key(key))
        if let typed { stroke = reader.stroke(.text(typed)) }
        return stroke?.chords.lazy.compactMap { bindings[$0]?.commands.description }.first
    }

    @Test func `keys of other scripts do what their Latin letters do`() throws {
        #expect(help("m", "ь", typed: "ь") == "cycle mute")
        #expect(help("f", "а", typed: "а") == "cycle fullscreen")
        #expect(help("s", "ы", .control, typed: nil) == "screenshot window")
        // With Shift or Caps Lock.
        #expect(help("l", "д", .shift, typed: "Д") == "cycle-values loop-file inf no")
        #expect(help("l", "д", typed: "Д") == "cycle-values loop-file inf no")
        #expect(help("i", "ש", .shift, typed: "I") == "show-statistics stays")
        #expect(help(".", "ю", .shift, typed: "Ю") == "playlist-next")
        #expect(help("3", "3", .shift, typed: "№") == "cycle aid")
        // Punctuation that the layout prints is used as such, except on a key with a letter.
        #expect(help("/", ".", typed: ".") == "frame-step")
        #expect(help("7", "7", .shift, typed: "?") == "show-keys")
        #expect(help("q", ";", typed: ";") == "quit")
        #expect(help("q", "/", typed: "/") == "quit")
        // A binding of the layout's own character takes precedence.
        var bindings = KeyBindings.standard
        bindings.bind(KeyBinding([try KeyChord("ь")], CommandSequence(.showTracks), help: ""))
        #expect(help("m", "ь", typed: "ь", bindings) == "show-tracks")
        #expect(help("v", "м", typed: "м", bindings) == "cycle sub-visibility")
    }

    @Test func `held keys repeat and are marked as repeated`() {
        var reader = KeyReader()
        _ = reader.stroke(key(Key("."), "."))
        #expect(reader.stroke(.text("."))?.isRepeat == false)
        _ = reader.stroke(key(Key("."), ".", [], .repeat))
        #expect(reader.stroke(.text("."))?.isRepeat == true)
        #expect(reader.stroke(.text(".")) == nil)
    }

    @Test func `the wheel counts in notches, however it is turned`() {
        func turn(_ x: Double, _ y: Double) -> WindowEvent {
            .scrolled(ScrollEvent(x: x, y: y, position: WindowPoint(x: 0, y: 0)))
        }
        #expect(strokes(turn(0, 1), turn(0, -1)) == ["WHEEL_UP", "WHEEL_DOWN"])
        #expect(strokes(turn(0, 0.4), turn(0, 0.4), turn(0, 0.4)) == ["WHEEL_UP"])
        #expect(strokes(turn(1, 0)) == ["WHEEL_LEFT"])
    }

    @Test func `clicks are counted in twos`() {
        func click(_ count: Int) -> WindowEvent {
            .button(
                PointerButtonEvent(
                    button: .left, isPressed: true, position: WindowPoint(x: 0, y: 0),
                    clickCount: count))
        }
        #expect(
            strokes(click(1), click(2), click(3), click(4)) == [
                "MBTN_LEFT", "MBTN_LEFT_DBL", "MBTN_LEFT", "MBTN_LEFT_DBL",
            ])
    }
}
