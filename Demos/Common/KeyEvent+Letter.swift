// SPDX-License-Identifier: Apache-2.0

public import PlayheadUI

extension KeyEvent {
    /// The key with which shortcuts are compared. It is the key with the letter that the user's
    /// layout prints. If the layout prints no Latin letter, it is the key at this position of a US
    /// keyboard.
    public var shortcutKey: Key {
        guard let letter = name?.first, letter.isASCII, letter.isLetter else { return key }
        return Key(letter)
    }
}
