// SPDX-License-Identifier: Apache-2.0

/// Why a command cannot be read or performed.
package enum CommandError: Error, Sendable, Hashable {
    case unknownCommand(String)
    case unknownProperty(String)
    case unknownKey(String)
    case missingArgument(command: String, argument: String)
    case tooManyArguments(command: String, first: String)
    case wrongValue(argument: String, value: String, expected: String)
    /// A quotation mark that does not end.
    case openQuote(String)
    /// Of a property that can only be read.
    case readOnly(PlayerProperty)
    /// Of a property that means nothing now, such as a chapter without a film.
    case unavailable(PlayerProperty)
    /// Of a command that nobody here performs.
    case unsupported(String)
    /// Of a command that was tried: why it did not work.
    case failed(String)
}

extension CommandError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknownCommand(let name):
            "there is no command '\(name)'" + Self.hint(name, PlayerCommand.names)
        case .unknownProperty(let name):
            "there is no property '\(name)'"
                + Self.hint(name, PlayerProperty.allCases.map(\.rawValue))
        case .unknownKey(let name):
            "there is no key '\(name)'" + Self.hint(name, KeyChord.names)
        case .missingArgument(let command, let argument):
            "'\(command)' needs \(argument)"
        case .tooManyArguments(let command, let first):
            "'\(command)' does not take '\(first)'; leave it out"
        case .wrongValue(let argument, let value, let expected):
            "\(argument) '\(value)': write \(expected)"
        case .openQuote(let text): "the quotation mark in \(text) does not end; add another"
        case .readOnly(let property): "'\(property)' can only be read"
        case .unavailable(let property): "'\(property)' has no value now"
        case .unsupported(let name): "'\(name)' can do nothing here"
        case .failed(let reason): reason
        }
    }

    /// The name that was probably meant: the nearest within two slips of the finger.
    private static func hint(_ name: String, _ names: [String]) -> String {
        // Longer than any name by more than two slips; what comes through a socket can be of any length.
        guard name.utf8.count <= 64 else { return "" }
        let distances = names.map { ($0, distance(Array(name.utf8), Array($0.utf8))) }
        guard let nearest = distances.min(by: { $0.1 < $1.1 }), nearest.1 <= 2 else { return "" }
        return "; is '\(nearest.0)' meant?"
    }

    /// Levenshtein's distance.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
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
