// SPDX-License-Identifier: Apache-2.0

package import PlayheadWindow

/// A key, button or wheel step with modifiers: `SPACE`, `Ctrl+s`, `Alt+LEFT`, `?`,
/// `MBTN_LEFT_DBL`, `WHEEL_UP`.
///
/// A key that types a character is named after that character in the user's layout, with Shift
/// applied. Shift is therefore not a modifier of `?`.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: the left side of a line of mpv's `input.conf`.
package struct KeyChord: Sendable, Hashable {
    /// The modifiers held with the key.
    package let modifiers: KeyModifiers
    /// The name after the modifiers: a character, or one of `names`.
    package let name: String

    private init(modifiers: KeyModifiers, name: String) {
        self.modifiers = modifiers
        self.name = name
    }

    /// Parses a chord.
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
        let isKnown = KeyNames.known.contains(upper) || KeyNames.unseen.contains(upper)
        guard let known = KeyNames.synonyms[upper] ?? (isKnown ? upper : nil) else {
            throw .unknownKey(text)
        }
        if known.count == 1, let character = known.first {
            self.init(character: character, modifiers: modifiers)
        } else {
            self.init(modifiers: modifiers, name: known)
        }
    }

    /// Creates the chord of a character with modifiers.
    package init(character: Character, modifiers: KeyModifiers = []) {
        var modifiers = modifiers
        var character = character
        if modifiers.contains(.shift) {
            // The layout has already applied Shift to other characters.
            if let upper = character.uppercased().first, character.isLetter { character = upper }
            modifiers.remove(.shift)
        }
        self.init(
            modifiers: modifiers, name: character == " " ? "SPACE" : String(character))
    }

    /// Creates the chord of a key that types no character, or that is pressed with Control, Alt or
    /// Super; nil if the key has no name.
    package init?(_ event: KeyEvent) {
        if let name = KeyNames.keys[event.key] {
            self.init(modifiers: event.modifiers, name: name)
        } else if let character = event.name?.first {
            self.init(character: character, modifiers: event.modifiers)
        } else {
            return nil
        }
    }

    /// Creates the chord of the Latin character on a key; nil if the user's layout has Latin
    /// letters.
    package init?(latinOf event: KeyEvent) {
        guard KeyNames.keys[event.key] == nil, let latin = event.latin else { return nil }
        self.init(character: latin.plain, modifiers: event.modifiers)
    }

    /// Creates the chord of a pointer button; nil if the button has no name.
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
        // The third press in quick succession begins the next double click.
        let isDouble = event.clickCount.isMultiple(of: 2)
        self.init(modifiers: event.modifiers, name: isDouble ? name + "_DBL" : name)
    }

    /// Creates the chord of a wheel step.
    package init?(_ event: ScrollEvent, modifiers: KeyModifiers = []) {
        if event.y != 0 {
            self.init(modifiers: modifiers, name: event.y > 0 ? "WHEEL_UP" : "WHEEL_DOWN")
        } else if event.x != 0 {
            self.init(modifiers: modifiers, name: event.x > 0 ? "WHEEL_LEFT" : "WHEEL_RIGHT")
        } else {
            return nil
        }
    }

    /// The names of keys that are not characters.
    package static let names: [String] = KeyNames.known.sorted()

    // MARK: Names

    private static let modifierNames: [(String, KeyModifiers)] = [
        ("Ctrl", .control), ("Alt", .alt), ("Shift", .shift), ("Meta", .super),
    ]
}

extension KeyChord: CustomStringConvertible {
    /// The text form in a file of bindings.
    package var description: String {
        let prefixes = Self.modifierNames.filter { modifiers.contains($0.1) }.map { $0.0 + "+" }
        return prefixes.joined() + (name == "#" ? "SHARP" : name)
    }

    /// The display name: `space`, `←`, `Ctrl S`.
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
