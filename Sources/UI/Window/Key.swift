// SPDX-License-Identifier: Apache-2.0

import CPlayheadGLFW

/// A key, identified by its position on the keyboard.
///
/// Keys are named after a US keyboard. The user's layout may assign another character to a key; see
/// `KeyEvent.name`. The raw values are those of GLFW.
public struct Key: RawRepresentable, Sendable, Hashable {
    /// The key code of GLFW.
    public let rawValue: Int32

    /// Creates a key from a key code of GLFW.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// Creates a key from a printable ASCII character, such as `"a"`, `"7"` or `"["`; `unknown` for
    /// others.
    public init(_ character: Character) {
        let upper = character.uppercased().first ?? character
        let value = upper.asciiValue.map(Int32.init) ?? GLFW_KEY_UNKNOWN
        rawValue = (32...96).contains(value) ? value : GLFW_KEY_UNKNOWN
    }

    /// A key that GLFW has no code for.
    public static let unknown = Key(rawValue: GLFW_KEY_UNKNOWN)
    /// The space bar.
    public static let space = Key(rawValue: GLFW_KEY_SPACE)
    /// Escape.
    public static let escape = Key(rawValue: GLFW_KEY_ESCAPE)
    /// Enter.
    public static let enter = Key(rawValue: GLFW_KEY_ENTER)
    /// Tab.
    public static let tab = Key(rawValue: GLFW_KEY_TAB)
    /// Backspace.
    public static let backspace = Key(rawValue: GLFW_KEY_BACKSPACE)
    /// Insert.
    public static let insert = Key(rawValue: GLFW_KEY_INSERT)
    /// Delete.
    public static let delete = Key(rawValue: GLFW_KEY_DELETE)
    /// The right arrow.
    public static let right = Key(rawValue: GLFW_KEY_RIGHT)
    /// The left arrow.
    public static let left = Key(rawValue: GLFW_KEY_LEFT)
    /// The down arrow.
    public static let down = Key(rawValue: GLFW_KEY_DOWN)
    /// The up arrow.
    public static let up = Key(rawValue: GLFW_KEY_UP)
    /// Page Up.
    public static let pageUp = Key(rawValue: GLFW_KEY_PAGE_UP)
    /// Page Down.
    public static let pageDown = Key(rawValue: GLFW_KEY_PAGE_DOWN)
    /// Home.
    public static let home = Key(rawValue: GLFW_KEY_HOME)
    /// End.
    public static let end = Key(rawValue: GLFW_KEY_END)
    package static let pause = Key(rawValue: GLFW_KEY_PAUSE)
    package static let printScreen = Key(rawValue: GLFW_KEY_PRINT_SCREEN)
    package static let leftShift = Key(rawValue: GLFW_KEY_LEFT_SHIFT)
    package static let rightShift = Key(rawValue: GLFW_KEY_RIGHT_SHIFT)
    package static let leftControl = Key(rawValue: GLFW_KEY_LEFT_CONTROL)
    package static let rightControl = Key(rawValue: GLFW_KEY_RIGHT_CONTROL)
    package static let leftAlt = Key(rawValue: GLFW_KEY_LEFT_ALT)
    package static let rightAlt = Key(rawValue: GLFW_KEY_RIGHT_ALT)
    package static let capsLock = Key(rawValue: GLFW_KEY_CAPS_LOCK)
    package static let menu = Key(rawValue: GLFW_KEY_MENU)
    /// Enter on the keypad.
    public static let keypadEnter = Key(rawValue: GLFW_KEY_KP_ENTER)
    package static let keypadAdd = Key(rawValue: GLFW_KEY_KP_ADD)
    package static let keypadSubtract = Key(rawValue: GLFW_KEY_KP_SUBTRACT)
    package static let keypadMultiply = Key(rawValue: GLFW_KEY_KP_MULTIPLY)
    package static let keypadDivide = Key(rawValue: GLFW_KEY_KP_DIVIDE)
    package static let keypadDecimal = Key(rawValue: GLFW_KEY_KP_DECIMAL)

    /// Returns a function key, F1 to F25; `unknown` for other numbers.
    public static func function(_ number: Int32) -> Key {
        (1...25).contains(number) ? Key(rawValue: GLFW_KEY_F1 + number - 1) : .unknown
    }

    /// Returns a digit of the keypad, 0 to 9; `unknown` for other numbers.
    package static func keypad(_ digit: Int32) -> Key {
        (0...9).contains(digit) ? Key(rawValue: GLFW_KEY_KP_0 + digit) : .unknown
    }

    /// A Boolean value that indicates whether the key is Shift, Control, Alt or Super.
    package var isModifier: Bool {
        (GLFW_KEY_LEFT_SHIFT...GLFW_KEY_RIGHT_SUPER).contains(rawValue)
    }
}

/// The modifier keys that are held while another key or a button is pressed.
public struct KeyModifiers: OptionSet, Sendable, Hashable {
    /// The modifier bits of GLFW.
    public let rawValue: Int32

    /// Creates a set of modifiers from bits of GLFW.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// Either Shift key.
    public static let shift = KeyModifiers(rawValue: GLFW_MOD_SHIFT)
    /// Either Control key.
    public static let control = KeyModifiers(rawValue: GLFW_MOD_CONTROL)
    /// Either Alt key.
    public static let alt = KeyModifiers(rawValue: GLFW_MOD_ALT)
    /// Either Super key.
    public static let `super` = KeyModifiers(rawValue: GLFW_MOD_SUPER)
}
