// SPDX-License-Identifier: Apache-2.0

/// What some keys do: a row of the table of keys.
package struct KeyBinding: Sendable, Hashable {
    /// Where a row stands in help texts.
    package enum Group: String, Sendable, Hashable, CaseIterable {
        case playing = "Playing"
        case moving = "Moving about"
        case sound = "Sound"
        case tracks = "Tracks and subtitles"
        case picture = "Picture"
        case window = "Window"
        case own = "Your own"
    }

    /// Any of these does it.
    package var chords: [KeyChord]
    /// What the key does, one after another.
    package var commands: CommandSequence
    /// What it does, as a help text says it.
    package var help: String
    /// Under which heading it is listed.
    package var group: Group

    package init(
        _ chords: [KeyChord], _ commands: CommandSequence, help: String, group: Group = .own
    ) {
        self.chords = chords
        self.commands = commands
        self.help = help
        self.group = group
    }

    /// Its keys as a person reads them.
    package var title: String { chords.map(\.title).joined(separator: ", ") }
}
