// SPDX-License-Identifier: Apache-2.0

/// The ASCII characters that keyboard shortcuts use for a key if the user's layout assigns other
/// characters to it.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: `QKeyMapper::possibleKeys`; the other groups in `gdk_event_matches`.
package struct LatinCharacters: Sendable, Hashable {
    /// The character without Shift.
    package let plain: Character
    /// The character with Shift.
    package let shifted: Character

    package init(plain: Character, shifted: Character) {
        self.plain = plain
        self.shifted = shifted
    }

    /// Creates the characters of a key on a US keyboard; nil if the key types nothing.
    package init?(usKey key: Key) {
        guard let plain = key.usCharacter else { return nil }
        let shifted = Self.usShifted[plain] ?? plain.uppercased().first ?? plain
        self.init(plain: plain, shifted: shifted)
    }

    /// Returns the Latin character that corresponds to a typed character, with the same case.
    package func character(for typed: Unicode.Scalar, _ modifiers: KeyModifiers) -> Character {
        let character = modifiers.contains(.shift) ? shifted : plain
        guard plain.isLetter else { return character }
        // If Caps Lock is on, only the typed character shows it.
        let isCapital =
            typed.properties.isCased ? typed.properties.isUppercase : character.isUppercase
        return (isCapital ? character.uppercased() : character.lowercased()).first ?? character
    }

    private static let usShifted = Dictionary(
        uniqueKeysWithValues: zip("`1234567890-=[]\\;',./", "~!@#$%^&*()_+{}|:\"<>?"))
}

extension Key {
    /// The lower-case character of the key on a US keyboard; nil if the key types nothing.
    package var usCharacter: Character? {
        guard (33...96).contains(rawValue), let scalar = Unicode.Scalar(UInt32(rawValue)) else {
            return nil
        }
        return Character(scalar).lowercased().first
    }
}

extension KeyEvent {
    /// The character that names the key in shortcuts: its Latin character, even if the layout
    /// assigns another one to it.
    package var shortcut: Character? { latin?.plain ?? name?.first ?? key.usCharacter }
}

extension Unicode.Scalar {
    /// A Boolean value that indicates whether keyboards for languages in Latin script have the
    /// character.
    package var isLatin: Bool {
        value < 0x250 || (0x1E00...0x1EFF).contains(value)
    }
}
