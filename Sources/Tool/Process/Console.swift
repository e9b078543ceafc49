// SPDX-License-Identifier: Apache-2.0

import Foundation
import Playhead

/// What the program says on its two streams.
enum Console {
    /// A line of results, on standard output.
    ///
    /// Ends the program where it cannot be written: results that are lost are an error, whatever comes
    /// after them. A reader that has gone away, as `head` does, ends it by SIGPIPE.
    static func print(_ line: String) {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
        } catch {
            note("standard output: it cannot be written; choose a place with room")
            exit(ExitStatus.mediaFailure.rawValue)
        }
    }

    /// A line about what is going on, or has gone wrong, on standard error.
    static func note(_ line: String) {
        report("playhead: \(line.printable())")
    }

    /// What is wrong with a file, on standard error, each line beginning with its place, as editors
    /// look for it.
    static func report(_ text: String) {
        // Where nobody can be told, nobody is.
        let line = text.printable(keepingLines: true) + "\n"
        try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
    }

    /// What is said of a film that was damaged, and played all the same.
    static func damage(in file: String, count: Int, last: MediaError?) -> String {
        "\(file): parts of it could not be decoded and were left out (\(count)); last: "
            + (last?.cause ?? "unknown")
    }

    /// A value as JSON on one line, with its keys in order so that equal runs print equal text.
    static func json(_ value: some Encodable, pretty: Bool = false) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
