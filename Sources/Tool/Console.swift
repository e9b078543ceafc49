// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What the program says on its two streams.
enum Console {
    /// A line of results, on standard output.
    static func print(_ line: String) {
        fputs(line + "\n", stdout)
    }

    /// A line about what is going on, or has gone wrong, on standard error.
    static func note(_ line: String) {
        fputs("playhead: \(line)\n", stderr)
    }

    /// A value as JSON on one line, with its keys in order so that equal runs print equal text.
    static func json(_ value: some Encodable, pretty: Bool = false) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
