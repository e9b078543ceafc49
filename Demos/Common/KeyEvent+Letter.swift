// SPDX-License-Identifier: Apache-2.0

public import PlayheadUI

extension KeyEvent {
    /// The key that shortcuts compare: the one with the letter that the user's layout prints, or the
    /// key at this place if the layout prints no Latin letter.
    public var shortcutKey: Key {
        guard let letter = name?.first, letter.isASCII, letter.isLetter else { return key }
        return Key(letter)
    }
}
