// SPDX-License-Identifier: Apache-2.0

/// What there is to know of a command: a row of a table, for help texts.
package struct CommandDescription: Sendable, Hashable {
    /// As it is written.
    package let name: String
    /// What follows it, in brackets what may be left out; empty for nothing.
    package let arguments: String
    /// What it does, as a help text says it.
    package let help: String

    private init(_ name: String, _ arguments: String = "", _ help: String) {
        self.name = name
        self.arguments = arguments
        self.help = help
    }

    /// All of them, a row each.
    package static let all: [CommandDescription] = [
        Self(
            "seek", "TIME [relative|absolute|relative-percent|absolute-percent] [exact|keyframes]",
            "go to another time, from where the film is unless it is said otherwise"),
        Self("revert-seek", "", "back to where the film was before the last seek"),
        Self("frame-step", "", "one frame on, and stand"),
        Self("frame-back-step", "", "one frame back, and stand"),
        Self("sub-seek", "COUNT", "go to the subtitle so many further on; below 0, back"),
        Self("ab-loop", "", "begin of a part to be repeated, its end, then none"),
        Self("set", "PROPERTY VALUE", "set a property"),
        Self("add", "PROPERTY [AMOUNT]", "add to a property, 1 where nothing is said"),
        Self("multiply", "PROPERTY FACTOR", "multiply a property"),
        Self("cycle", "PROPERTY [up|down]", "a property's next value, or the one before"),
        Self("cycle-values", "PROPERTY VALUE ...", "the next of these values"),
        Self(
            "loadfile", "FILE [replace|append|append-play|insert-next|insert-next-play]",
            "play a file or a URL, or put it at the end of the playlist, or behind what plays"),
        Self("loadlist", "FILE [replace|append|append-play]", "the same of a playlist"),
        Self(
            "playlist-next", "[weak|force]",
            "the next film; either way the last one goes on where it is the last"),
        Self("playlist-prev", "[weak|force]", "the film before"),
        Self("playlist-play-index", "INDEX", "a film of the playlist, counted from 0"),
        Self("playlist-clear", "", "take all films out of the playlist but the one that plays"),
        Self(
            "playlist-remove", "INDEX|current",
            "take a film out of the playlist; of the one that plays, go on to the next"),
        Self(
            "playlist-move", "INDEX INDEX",
            "put a film of the playlist before another, or after all with their count"),
        Self("playlist-shuffle", "", "another order of the playlist, by chance"),
        Self("stop", "[keep-playlist]", "end the film; the window and the playlist stay"),
        Self("sub-add", "FILE", "add a file of subtitles"),
        Self("sub-step", "COUNT", "move subtitles so that the one so many further on is seen now"),
        Self(
            "screenshot", "[subtitles|video|window]",
            "save the picture, with subtitles unless it is said otherwise"),
        Self("screenshot-to-file", "FILE [subtitles|video|window]", "the same, into a file"),
        Self(
            "show-text", "TEXT [MILLISECONDS]",
            "words over the film, where ${PROPERTY} stands for its value"),
        Self("print-text", "TEXT", "the same in the terminal"),
        Self("show-progress", "", "time and bar, for a moment"),
        Self("show-statistics", "[once|stays] [PAGE]", "statistics, for a moment or for good"),
        Self("show-keys", "", "what the keys do"),
        Self("show-playlist", "", "the playlist, for a moment"),
        Self("show-tracks", "", "the film's tracks, for a moment"),
        Self("clear-effects", "", "take all effects away"),
        Self("reset-effects", "", "everything about effects as it was first"),
        Self(
            "script-binding", "stats/display-stats|stats/display-stats-toggle|stats/display-page-4",
            "statistics and keys by the names that mpv's own bindings have for them"),
        Self(
            "script-message", "NAME [ARGUMENT ...]",
            "something that a program has added; programs on the socket are told of it"),
        Self("keypress", "KEY", "what the key is bound to"),
        Self("keybind", "KEY COMMANDS", "have a key do something else, until the window closes"),
        Self("quit", "[STATUS]", "end, with this exit status"),
        Self("quit-watch-later", "[STATUS]", "end, and remember where the film was"),
        Self("ignore", "", "nothing: what a key is bound to that is to do nothing"),
    ]
}
