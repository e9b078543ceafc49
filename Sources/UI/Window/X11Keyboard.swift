// SPDX-License-Identifier: Apache-2.0

import CPlayheadXCB

/// The keyboard of the X server, with the characters of all of the user's layouts.
///
/// - Concurrency: the main thread.
@MainActor enum X11Keyboard {
    /// A separate connection to the X server, for looking up keys. Each look-up waits for an answer
    /// of the server, which must not disturb GLFW's events. The connection is kept until the
    /// process ends.
    private static let connection: OpaquePointer? = {
        guard let connection = xcb_connect(nil, nil) else { return nil }
        if xcb_connection_has_error(connection) == 0 { return connection }
        xcb_disconnect(connection)
        return nil
    }()

    /// Returns the ASCII characters of a key in the first of the user's layouts that has Latin
    /// letters; nil if there is no such layout.
    ///
    /// - Parameter letterScancode: the scancode of a key that types a letter in every layout.
    static func latinCharacters(scancode: Int32, letterScancode: Int32) -> LatinCharacters? {
        // A layout has two symbols for each key: without Shift and with Shift.
        let letters = symbols(scancode: letterScancode)
        let symbols = symbols(scancode: scancode)
        for index in stride(from: 0, to: min(letters.count, symbols.count) - 1, by: 2) {
            guard character(letters[index])?.isLetter == true else { continue }
            guard let plain = character(symbols[index]) else { return nil }
            let shifted = character(symbols[index + 1]) ?? plain.uppercased().first ?? plain
            return LatinCharacters(plain: plain, shifted: shifted)
        }
        return nil
    }

    private static func symbols(scancode: Int32) -> [UInt32] {
        guard let connection, let keycode = UInt8(exactly: scancode), keycode > 0 else { return [] }
        let cookie = xcb_get_keyboard_mapping(connection, keycode, 1)
        guard let reply = xcb_get_keyboard_mapping_reply(connection, cookie, nil) else { return [] }
        defer { free(reply) }
        let count = xcb_get_keyboard_mapping_keysyms_length(reply)
        return Array(
            UnsafeBufferPointer(
                start: xcb_get_keyboard_mapping_keysyms(reply), count: Int(count)))
    }

    /// Returns the character of a symbol. The numbers of ASCII symbols are their character codes.
    private static func character(_ symbol: UInt32) -> Character? {
        (0x21...0x7E).contains(symbol) ? Unicode.Scalar(symbol).map { Character($0) } : nil
    }
}
