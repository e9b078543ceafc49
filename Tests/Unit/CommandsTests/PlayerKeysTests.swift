// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadCommands
import Testing

/// The keys in the table of Documentation/Player.md are bound to the commands beside them.
@Suite struct PlayerKeysTests {
    /// The rows of the table by their first column, with the expected bindings of their keys.
    /// Window tests cover the effect of the commands.
    private static let rows: [(keys: String, bindings: [String: String])] = [
        ("space", ["SPACE": "cycle pause"]),
        (
            "← →",
            [
                "LEFT": "seek -5", "RIGHT": "seek 5", "Shift+LEFT": "seek -1 exact",
                "Shift+RIGHT": "seek 1 exact",
            ]
        ),
        ("↓ ↑", ["DOWN": "seek -60", "UP": "seek 60"]),
        ("`.` `,`", [".": "frame-step", ",": "frame-back-step"]),
        (
            "`[` `]`, backspace",
            ["[": "multiply speed 1/1.1", "]": "multiply speed 1.1", "BS": "set speed 1.0"]
        ),
        ("`B`", ["B": "multiply speed -1"]),
        ("`l` `L`", ["l": "ab-loop", "L": "cycle-values loop-file inf no"]),
        ("page up, page down", ["PGUP": "add chapter 1", "PGDWN": "add chapter -1"]),
        ("home, end", ["HOME": "seek 0 absolute", "END": "seek-live"]),
        (
            "`<` `>`, F8",
            ["<": "playlist-prev", ">": "playlist-next", "F8": "show-playlist"]
        ),
        (
            "`9` `0`, wheel, `m`",
            [
                "9": "add volume -5", "0": "add volume 5", "WHEEL_UP": "add volume 5",
                "WHEEL_DOWN": "add volume -5", "m": "cycle mute",
            ]
        ),
        (
            "ctrl `+` `-`",
            ["Ctrl++": "add audio-delay 0.1", "Ctrl+-": "add audio-delay -0.1"]
        ),
        ("`#` `_`", ["#": "cycle audio", "_": "cycle video"]),
        (
            "`j`, `v`, `z` `x`",
            [
                "j": "cycle sub", "v": "cycle sub-visibility", "z": "add sub-delay -0.1",
                "x": "add sub-delay 0.1",
            ]
        ),
        (
            "`1` to `8`",
            [
                "1": "add contrast -1", "2": "add contrast 1", "3": "add brightness -1",
                "4": "add brightness 1", "5": "add gamma -1", "6": "add gamma 1",
                "7": "add saturation -1", "8": "add saturation 1",
            ]
        ),
        (
            "`A`; alt with `+` `-`, `r`, arrows",
            [
                "A": "cycle video-aspect-override", "Alt++": "add video-zoom 0.1",
                "Alt+-": "add video-zoom -0.1",
                "Alt+r": "cycle-values video-rotate 90 180 270 0",
                "Alt+LEFT": "add video-pan-x 0.1", "Alt+RIGHT": "add video-pan-x -0.1",
                "Alt+UP": "add video-pan-y 0.1", "Alt+DOWN": "add video-pan-y -0.1",
            ]
        ),
        ("`b` `d`", ["b": "cycle deband", "d": "cycle deinterlace"]),
        ("`e`, ctrl `e`", ["e": "cycle effects", "Ctrl+e": "clear-effects"]),
        ("ctrl `r`", ["Ctrl+r": "reset-effects"]),
        // Handled by the panel, if there are effects.
        ("Tab", [:]),
        (
            "`f`, double click",
            [
                "f": "cycle fullscreen", "MBTN_LEFT_DBL": "cycle fullscreen",
                "ESC": "set fullscreen no; no-osd set output-monitor no",
            ]
        ),
        ("ctrl `f`", ["Ctrl+f": "cycle output-monitor"]),
        ("`s`, ctrl `s`", ["s": "screenshot", "Ctrl+s": "screenshot window"]),
        ("`c`", ["c": "trim"]),
        ("F7", ["F7": "browse"]),
        ("`i` `I`", ["i": "show-statistics", "I": "show-statistics stays"]),
        ("`?`", ["?": "show-keys"]),
        ("`q`", ["q": "quit"]),
    ]

    /// Returns the first column of the table of keys.
    private func documentedKeys() throws -> [String] {
        let text = try String(
            contentsOf: Checkout.root.appendingPathComponent("Documentation/Player.md"),
            encoding: .utf8)
        let table = text.components(separatedBy: "| key | does |\n|---|---|\n").last?
            .components(separatedBy: "\n\n").first
        return (table ?? "").split(separator: "\n").map { line in
            line.split(separator: "|")[0].trimmingCharacters(in: .whitespaces)
        }
    }

    @Test func `every row of the table is one that is looked at here`() throws {
        #expect(try documentedKeys() == Self.rows.map { $0.keys })
    }

    @Test(arguments: rows.map { $0.keys })
    func `keys perform the commands of their row`(keys: String) throws {
        let row = try #require(Self.rows.first { $0.keys == keys })
        for (key, command) in row.bindings {
            let binding = try #require(KeyBindings.standard[try KeyChord(key)], "\(key)")
            #expect(try binding.commands == CommandSequence(command), "\(key)")
        }
    }
}
