// SPDX-License-Identifier: Apache-2.0

/// What a key is bound to: commands, one after another, and whether they are told on the screen.
///
///     let sequence = try CommandSequence("no-osd seek -5; set pause yes")
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: the right side of a line of mpv's `input.conf`.
package struct CommandSequence: Sendable, Hashable {
    /// One of the commands.
    package struct Step: Sendable, Hashable {
        /// What is done.
        package var command: PlayerCommand
        /// Whether what it did is left untold: `no-osd`.
        package var isSilent: Bool
        /// Whether `${property}` in its words stands for what the property is when it is performed:
        /// `expand-properties`.
        package var expandsProperties: Bool

        package init(
            _ command: PlayerCommand, isSilent: Bool = false, expandsProperties: Bool = false
        ) {
            self.command = command
            self.isSilent = isSilent
            self.expandsProperties = expandsProperties
        }

        /// Reads a command that has been taken apart already. mpv's prefixes may stand before it, of which
        /// `no-osd`, `expand-properties` and `raw` mean something here.
        ///
        /// - Parameter expandsProperties: where no prefix says whether it does.
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

    /// In the order in which they are performed.
    package var steps: [Step]

    package init(_ steps: [Step]) { self.steps = steps }

    /// A single command.
    package init(_ command: PlayerCommand) { steps = [Step(command)] }

    /// Reads commands that semicolons stand between. mpv's prefixes may stand before each, and
    /// `${property}` in one stands for the property's value, unless `raw` stands before it.
    package init(_ text: String) throws(CommandError) {
        steps = []
        for words in try CommandWords.split(text) {
            steps.append(try Step(words: words, expandsProperties: true))
        }
    }

    /// Those of mpv's manual, "Input Command Prefixes".
    static let prefixes: Set<String> = [
        "no-osd", "osd-auto", "osd-bar", "osd-msg", "osd-msg-bar", "raw", "expand-properties",
        "repeatable", "nonrepeatable", "async", "sync",
    ]

    /// Whether holding its key down does it again and again.
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
