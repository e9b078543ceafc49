// SPDX-License-Identifier: Apache-2.0

/// What some keys do: a row of the table of keys.
public struct KeyBinding: Sendable, Hashable {
    /// Where a row stands in help texts.
    public enum Group: String, Sendable, Hashable, CaseIterable {
        case playing = "Playing"
        case moving = "Moving about"
        case sound = "Sound"
        case tracks = "Tracks and subtitles"
        case picture = "Picture"
        case window = "Window"
        case own = "Your own"
    }

    /// Any of these does it.
    public var chords: [KeyChord]
    /// What the key does, one after another.
    public var commands: CommandSequence
    /// What it does, as a help text says it.
    public var help: String
    /// Under which heading it is listed.
    public var group: Group

    public init(
        _ chords: [KeyChord], _ commands: CommandSequence, help: String, group: Group = .own
    ) {
        self.chords = chords
        self.commands = commands
        self.help = help
        self.group = group
    }

    /// Its keys as a person reads them.
    public var title: String { chords.map(\.title).joined(separator: ", ") }
}
