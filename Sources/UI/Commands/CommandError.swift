// SPDX-License-Identifier: Apache-2.0

/// An error in parsing or performing a command.
package enum CommandError: Error, Sendable, Hashable {
    case unknownCommand(String)
    case unknownProperty(String)
    case unknownKey(String)
    case missingArgument(command: String, argument: String)
    case tooManyArguments(command: String, first: String)
    case wrongValue(argument: String, value: String, expected: String)
    /// A quotation mark is not closed.
    case openQuote(String)
    /// The property cannot be set.
    case readOnly(PlayerProperty)
    /// The property has no value now, such as the chapter when no file is loaded.
    case unavailable(PlayerProperty)
    /// No performer handles the command.
    case unsupported(String)
    /// The command failed, for this reason.
    case failed(String)
}

extension CommandError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknownCommand(let name):
            "unknown command '\(name)'" + Self.hint(name, CommandDescription.all.map(\.name))
        case .unknownProperty(let name):
            "unknown property '\(name)'"
                + Self.hint(name, PlayerProperty.allCases.map(\.rawValue))
        case .unknownKey(let name):
            "unknown key '\(name)'" + Self.hint(name, KeyNames.known.sorted())
        case .missingArgument(let command, let argument):
            "command '\(command)' needs \(argument)"
        case .tooManyArguments(let command, let first):
            "command '\(command)' does not take '\(first)'; remove it"
        case .wrongValue(let argument, let value, let expected):
            "\(argument): expected \(expected), found '\(value)'"
        case .openQuote(let text): "unterminated quotation mark in \(text); add the closing one"
        case .readOnly(let property): "property '\(property)' is read-only"
        case .unavailable(let property): "property '\(property)' is not available now"
        case .unsupported(let name): "command '\(name)' is not available here"
        case .failed(let reason): reason
        }
    }

    /// Returns a suggestion: the nearest name within an edit distance of 2.
    private static func hint(_ name: String, _ names: [String]) -> String {
        // Text from a socket can have any length. No name is longer than this.
        guard name.utf8.count <= 64 else { return "" }
        let distances = names.map { ($0, distance(name, $0)) }
        guard let nearest = distances.min(by: { $0.1 < $1.1 }), nearest.1 <= 2 else { return "" }
        return "; did you mean '\(nearest.0)'?"
    }

    /// Returns the Levenshtein distance of two names.
    package static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        var row = Array(0...right.count)
        for (i, a) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, b) in right.enumerated() {
                let above = row[j + 1]
                row[j + 1] = min(above + 1, row[j] + 1, diagonal + (a == b ? 0 : 1))
                diagonal = above
            }
        }
        return row[right.count]
    }
}
