// SPDX-License-Identifier: Apache-2.0

package import PlayheadWindow

/// A key, a button or a turn of the wheel, with the modifiers that are held, as a person writes it:
/// `SPACE`, `Ctrl+s`, `Alt+LEFT`, `?`, `MBTN_LEFT_DBL`, `WHEEL_UP`.
///
/// Keys that print are named by what they print in the user's layout, so `?` is `?` wherever it is;
/// what Shift makes of them is in that.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: the left side of a line of mpv's `input.conf`.
package struct KeyChord: Sendable, Hashable {
    /// What is held with the key.
    package let modifiers: KeyModifiers
    /// What is written after the modifiers: a character, or one of `names`.
    package let name: String

    private init(modifiers: KeyModifiers, name: String) {
        self.modifiers = modifiers
        self.name = name
    }

    /// Reads a chord.
    ///
    /// - Throws: `CommandError.unknownKey`.
    package init(_ text: String) throws(CommandError) {
        var rest = text[...]
        var modifiers: KeyModifiers = []
        outer: while true {
            for (word, modifier) in Self.modifierNames {
                let prefix = word + "+"
                if rest.count > prefix.count, rest.lowercased().hasPrefix(prefix.lowercased()) {
                    modifiers.insert(modifier)
                    rest = rest.dropFirst(prefix.count)
                    continue outer
                }
            }
            break
        }
        let name = String(rest)
        if name.count == 1, let character = name.first, !character.isWhitespace {
            self.init(character: character, modifiers: modifiers)
            return
        }
        let upper = name.uppercased()
        let isKnown = Self.known.contains(upper) || Self.unseen.contains(upper)
        guard let known = Self.synonyms[upper] ?? (isKnown ? upper : nil) else {
            throw .unknownKey(text)
        }
        if known.count == 1, let character = known.first {
            self.init(character: character, modifiers: modifiers)
        } else {
            self.init(modifiers: modifiers, name: known)
        }
    }

    /// A character that was typed, or would be with these modifiers.
    package init(character: Character, modifiers: KeyModifiers = []) {
        var modifiers = modifiers
        var character = character
        if modifiers.contains(.shift) {
            // What Shift makes of other characters depends on the layout, and has come already.
            if let upper = character.uppercased().first, character.isLetter { character = upper }
            modifiers.remove(.shift)
        }
        self.init(
            modifiers: modifiers, name: character == " " ? "SPACE" : String(character))
    }

    /// A key that does not print, or is pressed with Control, Alt or Super; nil for one without a
    /// name.
    package init?(_ event: KeyEvent) {
        if let name = Self.keys[event.key] {
            self.init(modifiers: event.modifiers, name: name)
        } else if let character = event.name?.first {
            self.init(character: character, modifiers: event.modifiers)
        } else {
            return nil
        }
    }

    /// The chord of the Latin character on a key; nil where the layout prints such characters
    /// itself.
    package init?(latinOf event: KeyEvent) {
        guard Self.keys[event.key] == nil, let latin = event.latin else { return nil }
        self.init(character: latin.plain, modifiers: event.modifiers)
    }

    /// A press of a button of the pointer; nil for a button without a name.
    package init?(_ event: PointerButtonEvent) {
        let name: String
        switch event.button {
        case .left: name = "MBTN_LEFT"
        case .middle: name = "MBTN_MID"
        case .right: name = "MBTN_RIGHT"
        case .other(4): name = "MBTN_BACK"
        case .other(5): name = "MBTN_FORWARD"
        case .other: return nil
        }
        // The third press of three is the first of the next two.
        let isDouble = event.clickCount.isMultiple(of: 2)
        self.init(modifiers: event.modifiers, name: isDouble ? name + "_DBL" : name)
    }

    /// A notch of the wheel.
    package init?(_ event: ScrollEvent, modifiers: KeyModifiers = []) {
        if event.y != 0 {
            self.init(modifiers: modifiers, name: event.y > 0 ? "WHEEL_UP" : "WHEEL_DOWN")
        } else if event.x != 0 {
            self.init(modifiers: modifiers, name: event.x > 0 ? "WHEEL_LEFT" : "WHEEL_RIGHT")
        } else {
            return nil
        }
    }

    /// The names of keys that are no characters.
    package static let names: [String] = known.sorted()

    // MARK: Names

    private static let modifierNames: [(String, KeyModifiers)] = [
        ("Ctrl", .control), ("Alt", .alt), ("Shift", .shift), ("Meta", .super),
    ]

    private static let keys: [Key: String] = {
        var keys: [Key: String] = [
            .space: "SPACE", .escape: "ESC", .enter: "ENTER", .tab: "TAB", .backspace: "BS",
            .insert: "INS", .delete: "DEL", .right: "RIGHT", .left: "LEFT", .down: "DOWN",
            .up: "UP", .pageUp: "PGUP", .pageDown: "PGDWN", .home: "HOME", .end: "END",
            .pause: "PAUSE", .printScreen: "PRINT", .menu: "MENU", .keypadEnter: "KP_ENTER",
            .keypadAdd: "KP_ADD", .keypadSubtract: "KP_SUBTRACT",
            .keypadMultiply: "KP_MULTIPLY", .keypadDivide: "KP_DIVIDE",
            .keypadDecimal: "KP_DEC",
        ]
        for number in 1...24 { keys[.function(Int32(number))] = "F\(number)" }
        for digit in 0...9 { keys[.keypad(Int32(digit))] = "KP\(digit)" }
        return keys
    }()

    private static let known: Set<String> = Set(keys.values).union([
        "MBTN_LEFT", "MBTN_MID", "MBTN_RIGHT", "MBTN_BACK", "MBTN_FORWARD", "MBTN_LEFT_DBL",
        "MBTN_MID_DBL", "MBTN_RIGHT_DBL", "WHEEL_UP", "WHEEL_DOWN", "WHEEL_LEFT", "WHEEL_RIGHT",
    ])

    /// mpv's names of keys that windows are not told of, for files that were written for it:
    /// desktops have media keys, and ask for what they say by `MediaRemote`.
    private static let unseen: Set<String> = [
        "PLAY", "PLAYPAUSE", "PLAYONLY", "PAUSEONLY", "STOP", "FORWARD", "REWIND", "NEXT", "PREV",
        "VOLUME_UP", "VOLUME_DOWN", "MUTE", "HOMEPAGE", "WWW", "MAIL", "FAVORITES", "SEARCH",
        "SLEEP", "CANCEL", "RECORD", "POWER", "CHANNEL_UP", "CHANNEL_DOWN", "GO_BACK",
        "GO_FORWARD", "CLOSE_WIN",
    ]

    private static let synonyms: [String: String] = [
        "SHARP": "#", "ESCAPE": "ESC", "RETURN": "ENTER", "BACKSPACE": "BS", "PGDN": "PGDWN",
        "PAGEUP": "PGUP", "PAGEDOWN": "PGDWN", "DELETE": "DEL", "INSERT": "INS",
        "MOUSE_BTN0": "MBTN_LEFT", "MOUSE_BTN0_DBL": "MBTN_LEFT_DBL", "KP_SUB": "KP_SUBTRACT",
    ]
}

extension KeyChord: CustomStringConvertible {
    /// As it is written in a file of bindings.
    package var description: String {
        let prefixes = Self.modifierNames.filter { modifiers.contains($0.1) }.map { $0.0 + "+" }
        return prefixes.joined() + (name == "#" ? "SHARP" : name)
    }

    /// As a person reads it: `space`, `←`, `Ctrl S`.
    package var title: String {
        let prefixes = Self.modifierNames.filter { modifiers.contains($0.1) }.map { $0.0 + " " }
        return prefixes.joined() + (Self.titles[name] ?? name)
    }

    private static let titles: [String: String] = [
        "SPACE": "space", "ESC": "escape", "ENTER": "enter", "BS": "backspace", "LEFT": "←",
        "RIGHT": "→", "UP": "↑", "DOWN": "↓", "PGUP": "page up", "PGDWN": "page down",
        "HOME": "home", "END": "end", "DEL": "delete", "TAB": "tab", "KP_ENTER": "keypad enter",
        "KP_ADD": "keypad +", "KP_SUBTRACT": "keypad −", "MBTN_LEFT_DBL": "double click",
        "MBTN_RIGHT": "right click", "WHEEL_UP": "wheel up", "WHEEL_DOWN": "wheel down",
        "MBTN_BACK": "back button", "MBTN_FORWARD": "forward button",
        "WHEEL_LEFT": "wheel left", "WHEEL_RIGHT": "wheel right",
    ]
}
