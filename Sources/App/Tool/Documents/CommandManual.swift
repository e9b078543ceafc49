// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// The commands and options of the program, as reported by the argument parser. The manual and the
/// names in configuration files are made from them.
struct CommandManual: Decodable {
    struct Command: Decodable {
        struct Argument: Decodable {
            struct Name: Decodable {
                var kind: String
                var name: String

                /// The option as the user types it.
                var text: String { kind == "long" ? "--\(name)" : "-\(name)" }
            }

            var kind: String
            var names: [Name]?
            var valueName: String?
            var abstract: String?
            var discussion: String?
            var defaultValue: String?
            var shouldDisplay: Bool

            /// Returns whether the argument turns off a switch that the other argument turns on.
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

    /// Creates a description of the program with this root command.
    init(of root: any ParsableCommand.Type) throws {
        let text = root._dumpHelp()
        self = try JSONDecoder().decode(CommandManual.self, from: Data(text.utf8))
    }

    /// Returns the options of a command by long name. The values indicate whether an option takes a
    /// value.
    func options(of name: String) -> [String: Bool] {
        let command = command.subcommands?.first { $0.commandName == name }
        return Dictionary(
            (command?.arguments ?? []).flatMap { argument in
                (argument.names ?? []).filter { $0.kind == "long" }
                    .map { ($0.name, argument.kind == "option") }
            }, uniquingKeysWith: { $1 })
    }
}
