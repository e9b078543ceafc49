// SPDX-License-Identifier: Apache-2.0

/// The ASCII characters that shortcuts know a key by when the layout in use prints others.
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

    /// The characters that a US keyboard has on a key; nil for a key that prints nothing.
    package init?(usKey key: Key) {
        guard let plain = key.usCharacter else { return nil }
        let shifted = Self.usShifted[plain] ?? plain.uppercased().first ?? plain
        self.init(plain: plain, shifted: shifted)
    }

    /// The character in place of one that was typed: in capitals where that one is.
    package func character(for typed: Unicode.Scalar, _ modifiers: KeyModifiers) -> Character {
        let character = modifiers.contains(.shift) ? shifted : plain
        guard plain.isLetter else { return character }
        // With Caps Lock, what was typed is the only sign of it.
        let isCapital =
            typed.properties.isCased ? typed.properties.isUppercase : character.isUppercase
        return (isCapital ? character.uppercased() : character.lowercased()).first ?? character
    }

    private static let usShifted = Dictionary(
        uniqueKeysWithValues: zip("`1234567890-=[]\\;',./", "~!@#$%^&*()_+{}|:\"<>?"))
}

extension Key {
    /// The character, in small letters, that a US keyboard has on the key; nil for a key that
    /// prints nothing.
    package var usCharacter: Character? {
        guard (33...96).contains(rawValue), let scalar = Unicode.Scalar(UInt32(rawValue)) else {
            return nil
        }
        return Character(scalar).lowercased().first
    }
}

extension KeyEvent {
    /// The character that shortcuts compare: the Latin one on the key, whatever its layout prints.
    package var shortcut: Character? { latin?.plain ?? name?.first ?? key.usCharacter }
}

extension Unicode.Scalar {
    /// A Boolean value that indicates whether keyboards for languages in Latin script have the
    /// character.
    package var isLatin: Bool {
        value < 0x250 || (0x1E00...0x1EFF).contains(value)
    }
}
