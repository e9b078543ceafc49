// SPDX-License-Identifier: Apache-2.0

/// The table of key bindings.
///
///     var bindings = KeyBindings.standard
///     try bindings.bind("k cycle pause")
///     window.bindings = bindings
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: mpv's `input.conf`.
package struct KeyBindings: Sendable, Hashable {
    /// The rows, in the order of help texts.
    package private(set) var rows: [KeyBinding]
    private var indices: [KeyChord: Int] = [:]

    /// Creates a table. If several rows bind a key, the last one applies.
    package init(_ rows: [KeyBinding] = []) {
        self.rows = []
        for row in rows { bind(row) }
    }

    /// The binding of a key; nil if it is not bound.
    package subscript(_ chord: KeyChord) -> KeyBinding? { indices[chord].map { rows[$0] } }

    /// Adds a row and removes its keys from other rows.
    package mutating func bind(_ row: KeyBinding) {
        for (index, other) in rows.enumerated() {
            let remaining = other.chords.filter { !row.chords.contains($0) }
            if remaining.count < other.chords.count { rows[index].chords = remaining }
        }
        rows.append(row)
        rows.removeAll { $0.chords.isEmpty }
        indices = [:]
        for (index, row) in rows.enumerated() {
            for chord in row.chords { indices[chord] = index }
        }
    }

    /// Parses a line such as `Ctrl+r seek 0 absolute # to the start`: a key, commands, and an
    /// optional description. Empty lines and comments change nothing; the command `ignore` unbinds
    /// the key.
    package mutating func bind(_ line: String) throws(CommandError) {
        let line = line.drop(while: \.isWhitespace)
        guard let first = line.first, first != "#" else { return }
        let key = line.prefix { !$0.isWhitespace }
        let rest = line.dropFirst(key.count).drop(while: \.isWhitespace)
        let chord = try KeyChord(String(key))
        guard !rest.isEmpty else {
            throw .missingArgument(command: String(key), argument: "a command")
        }
        let commands = try CommandSequence(String(rest))
        guard let command = commands.steps.first?.command else {
            throw .missingArgument(command: String(key), argument: "a command")
        }
        // If another row has the same commands, its description is used.
        let known = rows.first { $0.commands == commands }
        let comment = Self.comment(of: String(rest))
        let help = comment ?? known?.help ?? commands.description
        if command == .ignore, commands.steps.count == 1 {
            unbind(chord)
        } else {
            bind(KeyBinding([chord], commands, help: help))
        }
    }

    /// Parses the lines of a file and skips invalid ones.
    ///
    /// - Returns: the errors, with line numbers from 1.
    package mutating func read(_ text: String) -> [(line: Int, error: CommandError)] {
        var errors: [(line: Int, error: CommandError)] = []
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            do throws(CommandError) {
                try bind(String(line))
            } catch {
                errors.append((index + 1, error))
            }
        }
        return errors
    }

    /// Removes the binding of a key.
    package mutating func unbind(_ chord: KeyChord) {
        bind(KeyBinding([chord], CommandSequence(.ignore), help: ""))
        rows.removeLast()
        indices[chord] = nil
    }

    /// The rows by group, in the order of help texts.
    package var groups: [(group: KeyBinding.Group, rows: [KeyBinding])] {
        KeyBinding.Group.allCases.compactMap { group in
            let rows = rows.filter { $0.group == group }
            return rows.isEmpty ? nil : (group, rows)
        }
    }

    /// The text of a file that contains these bindings.
    package var text: String {
        rows.flatMap { row in
            row.chords.map { "\($0) \(row.commands) # \(row.help)" }
        }.joined(separator: "\n") + "\n"
    }

    /// Returns the description after the commands of a line.
    private static func comment(of text: String) -> String? {
        let parts = text.split(separator: " # ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let comment = parts[1].drop(while: \.isWhitespace)
        return comment.isEmpty ? nil : String(comment)
    }
}
