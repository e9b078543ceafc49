// SPDX-License-Identifier: Apache-2.0

/// The description of a command in help texts.
package struct CommandDescription: Sendable, Hashable {
    /// The name of the command.
    package let name: String
    /// The arguments, with optional ones in brackets; empty if there are none.
    package let arguments: String
    /// A description of what the command does.
    package let help: String

    private init(_ name: String, _ arguments: String = "", _ help: String) {
        self.name = name
        self.arguments = arguments
        self.help = help
    }

    /// The descriptions of all commands.
    package static let all: [CommandDescription] = [
        Self(
            "seek", "TIME [relative|absolute|relative-percent|absolute-percent] [exact|keyframes]",
            "seek; relative to the current position by default"),
        Self("seek-live", "", "seek to the newest part of a live stream"),
        Self("revert-seek", "", "return to the position before the last seek"),
        Self("frame-step", "", "step one frame forward and pause"),
        Self("frame-back-step", "", "step one frame back and pause"),
        Self("sub-seek", "COUNT", "seek to the subtitle COUNT ahead; back if negative"),
        Self("ab-loop", "", "set the start of the A-B loop, then its end, then clear it"),
        Self("set", "PROPERTY VALUE", "set a property"),
        Self("add", "PROPERTY [AMOUNT]", "add to a property; 1 by default"),
        Self("multiply", "PROPERTY FACTOR", "multiply a property"),
        Self("cycle", "PROPERTY [up|down]", "switch a property to its next or previous value"),
        Self("cycle-values", "PROPERTY VALUE ...", "switch a property to the next of these values"),
        Self(
            "loadfile", "FILE [replace|append|append-play|insert-next|insert-next-play]",
            "play a file or URL, or add it to the playlist"),
        Self(
            "loadlist", "FILE [replace|append|append-play]", "play a playlist, or add its entries"),
        Self(
            "playlist-next", "[weak|force]",
            "play the next entry; the last one continues in either mode"),
        Self("playlist-prev", "[weak|force]", "play the previous entry"),
        Self("playlist-play-index", "INDEX", "play the entry at an index, counted from 0"),
        Self("playlist-clear", "", "remove all entries but the current one"),
        Self(
            "playlist-remove", "INDEX|current",
            "remove an entry; if it is the current one, play the next"),
        Self(
            "playlist-move", "INDEX INDEX",
            "move an entry before another; with the count, to the end"),
        Self("playlist-shuffle", "", "shuffle the playlist"),
        Self("stop", "[keep-playlist]", "stop playback; keep the window and the playlist"),
        Self("sub-add", "FILE", "add a subtitle file"),
        Self("sub-step", "COUNT", "shift subtitles so that the one COUNT ahead shows now"),
        Self(
            "screenshot", "[subtitles|video|window]",
            "save the video as an image, with subtitles by default"),
        Self(
            "screenshot-to-file", "FILE [subtitles|video|window]", "save a screenshot to a file"),
        Self(
            "show-text", "TEXT [MILLISECONDS]",
            "show text over the video; ${PROPERTY} expands to its value"),
        Self("print-text", "TEXT", "print text to the terminal; properties expand as in show-text"),
        Self("show-progress", "", "show the position and a progress bar for a moment"),
        Self(
            "show-statistics", "[once|stays] [PAGE]",
            "show statistics for a moment, or until toggled off"),
        Self("show-keys", "", "show all keys"),
        Self("show-playlist", "", "show the playlist for a moment"),
        Self("show-tracks", "", "show the tracks for a moment"),
        Self("trim", "", "show or hide the view that trims the file"),
        Self("browse", "", "show or hide the folder of the file"),
        Self("clear-effects", "", "remove all effects"),
        Self("reset-effects", "", "reset the values and history of all effects"),
        Self(
            "script-binding", "stats/display-stats|stats/display-stats-toggle|stats/display-page-4",
            "show statistics or keys; the names in mpv's default bindings"),
        Self(
            "script-message", "NAME [ARGUMENT ...]",
            "send a message to the host program and to IPC clients"),
        Self("keypress", "KEY", "perform the commands bound to a key"),
        Self("keybind", "KEY COMMANDS", "bind a key to commands until the window closes"),
        Self("quit", "[STATUS]", "quit with this exit status; 0 by default"),
        Self("quit-watch-later", "[STATUS]", "quit and remember the position"),
        Self("ignore", "", "do nothing; unbinds a key"),
    ]
}
