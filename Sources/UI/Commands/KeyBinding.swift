// SPDX-License-Identifier: Apache-2.0

/// A row of the table of key bindings.
package struct KeyBinding: Sendable, Hashable {
    /// The section of the row in help texts.
    package enum Group: String, Sendable, Hashable, CaseIterable {
        case playing = "Playing"
        case moving = "Seeking"
        case sound = "Audio"
        case tracks = "Tracks and subtitles"
        case picture = "Video"
        case window = "Window"
        case own = "Custom"
    }

    /// The keys of the row. Each of them performs the commands.
    package var chords: [KeyChord]
    /// The commands, in order.
    package var commands: CommandSequence
    /// The description in help texts.
    package var help: String
    /// The section in help texts.
    package var group: Group

    package init(
        _ chords: [KeyChord], _ commands: CommandSequence, help: String, group: Group = .own
    ) {
        self.chords = chords
        self.commands = commands
        self.help = help
        self.group = group
    }

    /// The display names of the row's keys.
    package var title: String { chords.map(\.title).joined(separator: ", ") }
}
