// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI
import Synchronization

/// What the program says on its two streams.
///
/// - Concurrency: any thread.
enum Console {
    /// The line that stands at the bottom of the terminal; empty for none.
    private static let status = Mutex("")

    /// Has a line stand at the bottom of the terminal that standard error is, below all that is said,
    /// until another takes its place; none when it is empty.
    static func showStatus(_ line: String) {
        status.withLock { status in
            guard line != status else { return }
            status = line
            // Back to the beginning of the line, and nothing behind what is written.
            write("\r\(unwrapped(line))\u{1B}[K")
        }
    }

    /// Whether there is a terminal to show such a line, one that can take a line back.
    static var showsStatus: Bool {
        isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// A line of which a terminal leaves out what it has no room for, whatever its width comes to: the rest
    /// would begin a line of its own, from which there is no way back to the first.
    ///
    /// - Corresponds to: DECAWM, the mode in which terminals go on in the next line.
    private static func unwrapped(_ line: String) -> String {
        line.isEmpty ? "" : "\u{1B}[?7l\(line)\u{1B}[?7h"
    }

    /// Says something in the place of the line at the bottom, which then stands below it.
    private static func above(_ say: () -> Void) {
        status.withLock { status in
            if !status.isEmpty { write("\r\u{1B}[K") }
            say()
            if !status.isEmpty { write(unwrapped(status)) }
        }
    }

    private static func write(_ text: String) {
        // Where nobody can be told, nobody is.
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }

    /// A line of results, on standard output.
    ///
    /// Ends the program where it cannot be written: results that are lost are an error, whatever comes
    /// after them. A reader that has gone away, as `head` does, ends it by SIGPIPE.
    static func print(_ line: String) {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let line = isTerminal ? line.printable(keepingLines: true) : line
        print(bytes: Data((line + "\n").utf8))
    }

    /// Results as they are, on standard output.
    static func print(bytes: Data) {
        var isWritten = true
        above {
            do {
                try FileHandle.standardOutput.write(contentsOf: bytes)
            } catch {
                isWritten = false
            }
        }
        guard !isWritten else { return }
        showStatus("")
        note("standard output: it cannot be written; choose a place with room")
        exit(ExitStatus.mediaFailure.rawValue)
    }

    /// A line about what is going on, or has gone wrong, on standard error.
    static func note(_ line: String) {
        report("playhead: \(line.printable())")
    }

    /// What is wrong with a file, on standard error, each line beginning with its place, as editors
    /// look for it.
    static func report(_ text: String) {
        above { write(text.printable(keepingLines: true) + "\n") }
    }

    /// What is said of a film that was damaged, and played all the same.
    static func damage(in file: String, count: Int, last: MediaError?) -> String {
        "\(file): parts of it could not be decoded and were left out (\(count)); last: "
            + (last?.cause ?? "unknown")
    }

    /// What is said of a film that does not go as far as it says; nil of a whole one.
    static func shortfall(of file: String, _ description: AssetDescription) -> String? {
        let count = description.missingByteCount
        guard count > 0 else { return nil }
        return "\(file): the file is incomplete: \(count) bytes are missing at its end; copy or "
            + "download it again"
    }

    /// A value as JSON on one line, with its keys in order so that equal runs print equal text.
    static func json(_ value: some Encodable, pretty: Bool = false) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
