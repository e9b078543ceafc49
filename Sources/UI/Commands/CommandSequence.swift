// SPDX-License-Identifier: Apache-2.0

/// A sequence of commands that a key performs.
///
///     let sequence = try CommandSequence("no-osd seek -5; set pause yes")
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: the right side of a line of mpv's `input.conf`.
package struct CommandSequence: Sendable, Hashable {
    /// A command of a sequence.
    package struct Step: Sendable, Hashable {
        /// The command.
        package var command: PlayerCommand
        /// A Boolean value that indicates whether `no-osd` suppresses the result on screen.
        package var isSilent: Bool
        /// A Boolean value that indicates whether `${property}` in the command's words is replaced
        /// by the property's value when the command is performed. The prefix `expand-properties`
        /// requests this.
        package var expandsProperties: Bool

        package init(
            _ command: PlayerCommand, isSilent: Bool = false, expandsProperties: Bool = false
        ) {
            self.command = command
            self.isSilent = isSilent
            self.expandsProperties = expandsProperties
        }

        /// Creates a command from its words. mpv's prefixes may come first; `no-osd`,
        /// `expand-properties` and `raw` have an effect, and others are ignored.
        ///
        /// - Parameter expandsProperties: the value to use if no prefix sets it.
        /// - Precondition: there is at least one word.
        package init(words: [String], expandsProperties: Bool = false) throws(CommandError) {
            let name = words.drop { CommandSequence.prefixes.contains($0) }
            guard !name.isEmpty else { throw .unknownCommand(words[0]) }
            let prefixes = words.prefix(words.count - name.count)
            isSilent = prefixes.contains("no-osd")
            let expansion = prefixes.last { $0 == "expand-properties" || $0 == "raw" }
            self.expandsProperties =
                (expansion.map { $0 != "raw" } ?? expandsProperties)
                && name.contains { $0.contains("$") }
            command = try PlayerCommand(
                words: Array(name), expandsProperties: self.expandsProperties)
        }
    }

    /// The commands, in the order in which they are performed.
    package var steps: [Step]

    package init(_ steps: [Step]) { self.steps = steps }

    /// Creates a sequence of one command.
    package init(_ command: PlayerCommand) { steps = [Step(command)] }

    /// Parses commands separated by semicolons. mpv's prefixes may precede each command.
    /// `${property}` expands to the value of the property, unless the prefix is `raw`.
    package init(_ text: String) throws(CommandError) {
        steps = []
        for words in try CommandWords.split(text) {
            steps.append(try Step(words: words, expandsProperties: true))
        }
    }

    /// The prefixes from "Input Command Prefixes" in mpv's manual.
    static let prefixes: Set<String> = [
        "no-osd", "osd-auto", "osd-bar", "osd-msg", "osd-msg-bar", "raw", "expand-properties",
        "repeatable", "nonrepeatable", "async", "sync",
    ]

    /// A Boolean value that indicates whether holding the key down repeats the sequence.
    package var isRepeatable: Bool { steps.allSatisfy(\.command.isRepeatable) && !steps.isEmpty }
}

extension CommandSequence: CustomStringConvertible {
    package var description: String {
        steps.map { step in
            let command = step.command.description
            let isRaw = !step.expandsProperties && command.contains("$")
            return (step.isSilent ? "no-osd " : "") + (isRaw ? "raw " : "") + command
        }
        .joined(separator: "; ")
    }
}
