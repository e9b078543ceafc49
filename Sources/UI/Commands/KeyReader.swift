// SPDX-License-Identifier: Apache-2.0

package import PlayheadWindow

/// Converts window events to chords.
///
/// For a key that types a character, a window sends two events: the position of the key, and the
/// character in the user's layout. Usually, the character determines the binding. The position
/// determines it only in two cases: with Control, Alt or Super, for which a window reports no
/// character, and on the keypad, whose keys type the same characters as other keys.
///
/// - Concurrency: a value; the main thread.
package struct KeyReader: Sendable {
    /// A chord, and whether it repeats.
    package struct Stroke: Sendable, Hashable {
        /// The key with its modifiers.
        package var chord: KeyChord
        /// The chord of the Latin character on the key; nil if the layout has Latin letters.
        package var latinChord: KeyChord?
        /// A Boolean value that indicates whether the key is held down and repeats.
        package var isRepeat: Bool

        /// The chords to look up, in this order.
        ///
        /// If the layout assigns a character of another script to the key, that character comes
        /// first, so that it can be bound. A key that has a Latin letter counts as that letter,
        /// even if the layout assigns punctuation to it: in a Greek layout, Q types a semicolon.
        package var chords: [KeyChord] {
            guard let latinChord else { return [chord] }
            let isPunctuation =
                chord.name.utf8.count == 1 && chord.name.first?.isLetter == false
                && latinChord.name.first?.isLetter == true
            return isPunctuation ? [latinChord, chord] : [chord, latinChord]
        }
    }

    /// A Boolean value that indicates whether a text event for the last key is still to come.
    private var expectsText = false
    private var isRepeat = false
    private var modifiers: KeyModifiers = []
    /// The Latin characters of the last key.
    private var latin: LatinCharacters?
    /// The wheel movement so far that does not amount to a step.
    private var wheel = SIMD2<Double>.zero

    package init() {}

    /// Returns the chord that an event completes, or nil.
    package mutating func stroke(_ event: WindowEvent) -> Stroke? {
        switch event {
        case .key(let key):
            if key.key.isModifier { return nil }
            modifiers = key.modifiers
            guard key.action != .release else { return nil }
            isRepeat = key.action == .repeat
            expectsText = key.printsCharacter
            latin = key.latin
            guard !expectsText else { return nil }
            return KeyChord(key).map {
                Stroke(chord: $0, latinChord: KeyChord(latinOf: key), isRepeat: isRepeat)
            }
        case .text(let scalar):
            guard expectsText else { return nil }
            expectsText = false
            let latin = latin?.character(for: scalar, modifiers)
            return Stroke(
                chord: KeyChord(character: Character(scalar)),
                latinChord: latin.map { KeyChord(character: $0) }, isRepeat: isRepeat)
        case .button(let button) where button.isPressed:
            return KeyChord(button).map { Stroke(chord: $0, isRepeat: false) }
        case .scrolled(let scroll): return notch(scroll)
        default: return nil
        }
    }

    /// Adds up the wheel movement and returns whole steps. Touchpads report fractions of a step.
    private mutating func notch(_ scroll: ScrollEvent) -> Stroke? {
        wheel += SIMD2(scroll.x, scroll.y)
        var whole = scroll
        whole.x = wheel.x.magnitude >= 1 ? wheel.x : 0
        whole.y = wheel.y.magnitude >= 1 ? wheel.y : 0
        if whole.y != 0 { wheel.y = 0 }
        if whole.x != 0 { wheel.x = 0 }
        return KeyChord(whole, modifiers: modifiers.subtracting(.shift)).map {
            Stroke(chord: $0, isRepeat: true)
        }
    }
}

extension KeyEvent {
    /// A Boolean value that indicates whether a text event with the character follows.
    fileprivate var printsCharacter: Bool {
        let isOnKeypad = (Key.keypad(0).rawValue...Key.keypadEnter.rawValue).contains(key.rawValue)
        return name != nil && modifiers.isSubset(of: .shift) && !isOnKeypad
    }
}
