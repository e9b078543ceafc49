// SPDX-License-Identifier: Apache-2.0

/// The state of the keyboard, which shaders read as an image.
///
/// The image has 256 columns, one for each key code of JavaScript's `KeyboardEvent.keyCode`, and
/// three rows: keys that are held, keys that were pressed since the last frame, and keys that are
/// toggled by each press.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: Shadertoy's keyboard input, a texture of 256 x 3.
package struct EffectKeyboard: Sendable, Equatable {
    /// The number of key codes.
    package static let count = 256
    /// The number of rows of the image.
    static let rowCount = 3
    /// The name of the image in the bindings of passes.
    static let picture = "playheadKeyboard"

    /// The image, with 0 or 255 for each key: the rows of held, pressed and toggled keys.
    private(set) var bytes = [UInt8](repeating: 0, count: count * rowCount)

    package init() {}

    /// Presses or releases a key. A key that is held already is not pressed again.
    ///
    /// - Returns: A Boolean value that indicates whether the state changed.
    package mutating func set(_ code: Int, isDown: Bool) -> Bool {
        guard (0..<Self.count).contains(code), (bytes[code] != 0) != isDown else { return false }
        bytes[code] = isDown ? 255 : 0
        if isDown {
            bytes[Self.count + code] = 255
            bytes[2 * Self.count + code] ^= 255
        }
        return true
    }

    /// Releases all keys. Toggled keys stay toggled. Call this when the window loses the focus.
    ///
    /// - Returns: A Boolean value that indicates whether the state changed.
    package mutating func releaseAll() -> Bool {
        let wasHeld = bytes[..<Self.count].contains { $0 != 0 }
        if wasHeld { for code in 0..<Self.count { bytes[code] = 0 } }
        return wasHeld
    }

    /// Ends a frame. In the next frame, no key counts as pressed unless it is pressed again.
    ///
    /// - Returns: A Boolean value that indicates whether a key had been pressed.
    mutating func endFrame() -> Bool {
        let pressed = Self.count..<(2 * Self.count)
        guard bytes[pressed].contains(where: { $0 != 0 }) else { return false }
        for index in pressed { bytes[index] = 0 }
        return true
    }

    /// The functions and key names of `#iKeyboard` in Visual Studio Code's Shader Toy extension.
    static let functions: String = {
        var text = """
            bool isKeyDown(int key) { return texelFetch(iKeyboard, ivec2(key, 0), 0).x > 0.5; }
            bool isKeyPressed(int key) { return texelFetch(iKeyboard, ivec2(key, 1), 0).x > 0.5; }
            bool isKeyToggled(int key) { return texelFetch(iKeyboard, ivec2(key, 2), 0).x > 0.5; }

            """
        for (name, code) in names { text += "const int Key_\(name) = \(code);\n" }
        return text
    }()

    /// The names of keys with their codes in JavaScript.
    private static let names: [(name: String, code: Int)] =
        [
            ("Backspace", 8), ("Tab", 9), ("Enter", 13), ("Shift", 16), ("Ctrl", 17), ("Alt", 18),
            ("Pause", 19), ("Caps", 20), ("Escape", 27), ("Space", 32), ("PageUp", 33),
            ("PageDown", 34), ("End", 35), ("Home", 36), ("LeftArrow", 37), ("UpArrow", 38),
            ("RightArrow", 39), ("DownArrow", 40), ("Insert", 45), ("Delete", 46),
        ] + (0...9).map { ("\($0)", 48 + $0) }
        + (0..<26).map { (String(UnicodeScalar(UInt8(65 + $0))), 65 + $0) }
        + (0...9).map { ("Numpad\($0)", 96 + $0) } + (1...12).map { ("F\($0)", 111 + $0) }
}
