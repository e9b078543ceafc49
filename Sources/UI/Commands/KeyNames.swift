// SPDX-License-Identifier: Apache-2.0

import PlayheadWindow

/// mpv's names of keys and buttons that are not characters.
enum KeyNames {
    static let keys: [Key: String] = {
        var keys: [Key: String] = [
            .space: "SPACE", .escape: "ESC", .enter: "ENTER", .tab: "TAB", .backspace: "BS",
            .insert: "INS", .delete: "DEL", .right: "RIGHT", .left: "LEFT", .down: "DOWN",
            .up: "UP", .pageUp: "PGUP", .pageDown: "PGDWN", .home: "HOME", .end: "END",
            .pause: "PAUSE", .printScreen: "PRINT", .menu: "MENU", .keypadEnter: "KP_ENTER",
            .keypadAdd: "KP_ADD", .keypadSubtract: "KP_SUBTRACT",
            .keypadMultiply: "KP_MULTIPLY", .keypadDivide: "KP_DIVIDE",
            .keypadDecimal: "KP_DEC",
        ]
        for number in 1...24 { keys[.function(Int32(number))] = "F\(number)" }
        for digit in 0...9 { keys[.keypad(Int32(digit))] = "KP\(digit)" }
        return keys
    }()

    static let known: Set<String> = Set(keys.values).union([
        "MBTN_LEFT", "MBTN_MID", "MBTN_RIGHT", "MBTN_BACK", "MBTN_FORWARD", "MBTN_LEFT_DBL",
        "MBTN_MID_DBL", "MBTN_RIGHT_DBL", "WHEEL_UP", "WHEEL_DOWN", "WHEEL_LEFT", "WHEEL_RIGHT",
    ])

    /// mpv's names of keys that windows do not receive. They are accepted so that files written for
    /// mpv can be read. Desktops deliver media keys through `MediaRemote`.
    static let unseen: Set<String> = [
        "PLAY", "PLAYPAUSE", "PLAYONLY", "PAUSEONLY", "STOP", "FORWARD", "REWIND", "NEXT", "PREV",
        "VOLUME_UP", "VOLUME_DOWN", "MUTE", "HOMEPAGE", "WWW", "MAIL", "FAVORITES", "SEARCH",
        "SLEEP", "CANCEL", "RECORD", "POWER", "CHANNEL_UP", "CHANNEL_DOWN", "GO_BACK",
        "GO_FORWARD", "CLOSE_WIN",
    ]

    static let synonyms: [String: String] = [
        "SHARP": "#", "ESCAPE": "ESC", "RETURN": "ENTER", "BACKSPACE": "BS", "PGDN": "PGDWN",
        "PAGEUP": "PGUP", "PAGEDOWN": "PGDWN", "DELETE": "DEL", "INSERT": "INS",
        "MOUSE_BTN0": "MBTN_LEFT", "MOUSE_BTN0_DBL": "MBTN_LEFT_DBL", "KP_SUB": "KP_SUBTRACT",
    ]
}
