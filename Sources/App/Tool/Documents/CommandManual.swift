// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// What the program says of its own commands and options, for manuals and configuration files: so what
/// is documented is what there is.
struct CommandManual: Decodable {
    struct Command: Decodable {
        struct Argument: Decodable {
            struct Name: Decodable {
                var kind: String
                var name: String

                /// As it is typed.
                var text: String { kind == "long" ? "--\(name)" : "-\(name)" }
            }

            var kind: String
            var names: [Name]?
            var valueName: String?
            var abstract: String?
            var discussion: String?
            var defaultValue: String?
            var shouldDisplay: Bool

            /// Whether it switches off what the other one switches on.
            func isOpposite(of other: Argument) -> Bool {
                guard let name = other.longName, let longName else { return false }
                return longName == "no-" + name
            }

            var longName: String? { names?.first { $0.kind == "long" }?.name }
        }

        var commandName: String
        var abstract: String?
        var discussion: String?
        var subcommands: [Command]?
        var arguments: [Argument]?
        var shouldDisplay: Bool
    }

    var command: Command

    /// Of the program as it is.
    static func current() throws -> CommandManual {
        let text = PlayheadCommand._dumpHelp()
        return try JSONDecoder().decode(CommandManual.self, from: Data(text.utf8))
    }

    /// The options of a command by their long names, and whether each takes a value.
    func options(of name: String) -> [String: Bool] {
        let command = command.subcommands?.first { $0.commandName == name }
        return Dictionary(
            (command?.arguments ?? []).flatMap { argument in
                (argument.names ?? []).filter { $0.kind == "long" }
                    .map { ($0.name, argument.kind == "option") }
            }, uniquingKeysWith: { $1 })
    }
}
