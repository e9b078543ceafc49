// SPDX-License-Identifier: Apache-2.0

import CPlayheadGLFW

/// A key of the keyboard by its place, named after what a US keyboard has there; what is printed
/// on it may differ, see `KeyEvent.name`. The raw values are GLFW's.
public struct Key: RawRepresentable, Sendable, Hashable {
    public let rawValue: Int32
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// A key of a printable ASCII character, such as `"a"`, `"7"` or `"["`; unknown for others.
    public init(_ character: Character) {
        let upper = character.uppercased().first ?? character
        let value = upper.asciiValue.map(Int32.init) ?? GLFW_KEY_UNKNOWN
        rawValue = (32...96).contains(value) ? value : GLFW_KEY_UNKNOWN
    }

    /// One that GLFW has no name for.
    public static let unknown = Key(rawValue: GLFW_KEY_UNKNOWN)
    public static let space = Key(rawValue: GLFW_KEY_SPACE)
    public static let escape = Key(rawValue: GLFW_KEY_ESCAPE)
    public static let enter = Key(rawValue: GLFW_KEY_ENTER)
    public static let tab = Key(rawValue: GLFW_KEY_TAB)
    public static let backspace = Key(rawValue: GLFW_KEY_BACKSPACE)
    public static let insert = Key(rawValue: GLFW_KEY_INSERT)
    public static let delete = Key(rawValue: GLFW_KEY_DELETE)
    public static let right = Key(rawValue: GLFW_KEY_RIGHT)
    public static let left = Key(rawValue: GLFW_KEY_LEFT)
    public static let down = Key(rawValue: GLFW_KEY_DOWN)
    public static let up = Key(rawValue: GLFW_KEY_UP)
    public static let pageUp = Key(rawValue: GLFW_KEY_PAGE_UP)
    public static let pageDown = Key(rawValue: GLFW_KEY_PAGE_DOWN)
    public static let home = Key(rawValue: GLFW_KEY_HOME)
    public static let end = Key(rawValue: GLFW_KEY_END)
    package static let pause = Key(rawValue: GLFW_KEY_PAUSE)
    package static let printScreen = Key(rawValue: GLFW_KEY_PRINT_SCREEN)
    package static let menu = Key(rawValue: GLFW_KEY_MENU)
    public static let keypadEnter = Key(rawValue: GLFW_KEY_KP_ENTER)
    package static let keypadAdd = Key(rawValue: GLFW_KEY_KP_ADD)
    package static let keypadSubtract = Key(rawValue: GLFW_KEY_KP_SUBTRACT)
    package static let keypadMultiply = Key(rawValue: GLFW_KEY_KP_MULTIPLY)
    package static let keypadDivide = Key(rawValue: GLFW_KEY_KP_DIVIDE)
    package static let keypadDecimal = Key(rawValue: GLFW_KEY_KP_DECIMAL)

    /// F1 to F25; unknown for other numbers.
    public static func function(_ number: Int32) -> Key {
        (1...25).contains(number) ? Key(rawValue: GLFW_KEY_F1 + number - 1) : .unknown
    }

    /// The digit 0 to 9 of the keypad; unknown for other numbers.
    package static func keypad(_ digit: Int32) -> Key {
        (0...9).contains(digit) ? Key(rawValue: GLFW_KEY_KP_0 + digit) : .unknown
    }

    /// Whether this is Shift, Control, Alt or Super itself.
    package var isModifier: Bool {
        (GLFW_KEY_LEFT_SHIFT...GLFW_KEY_RIGHT_SUPER).contains(rawValue)
    }
}

/// The keys held down beside another one.
public struct KeyModifiers: OptionSet, Sendable, Hashable {
    public let rawValue: Int32
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// Either shift key.
    public static let shift = KeyModifiers(rawValue: GLFW_MOD_SHIFT)
    public static let control = KeyModifiers(rawValue: GLFW_MOD_CONTROL)
    public static let alt = KeyModifiers(rawValue: GLFW_MOD_ALT)
    public static let `super` = KeyModifiers(rawValue: GLFW_MOD_SUPER)
}
