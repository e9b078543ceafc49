// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI
import Synchronization

/// The output of the program on standard output and standard error.
///
/// - Concurrency: any thread.
enum Console {
    /// The status line at the bottom of the terminal; empty for none.
    private static let status = Mutex("")

    /// Shows a status line at the bottom of the terminal, below all other output, until it is
    /// replaced. An empty line removes it.
    static func showStatus(_ line: String) {
        status.withLock { status in
            guard line != status else { return }
            status = line
            // Return to the start of the line, and clear the rest after it.
            write("\r\(unwrapped(line))\u{1B}[K")
        }
    }

    /// A Boolean value that indicates whether standard error is a terminal that can erase a line.
    static var showsStatus: Bool {
        isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// Returns a line that the terminal truncates at its width. A wrapped line could not be erased.
    ///
    /// - Corresponds to: DECAWM, the terminal's mode of wrapping lines.
    private static func unwrapped(_ line: String) -> String {
        line.isEmpty ? "" : "\u{1B}[?7l\(line)\u{1B}[?7h"
    }

    /// Prints above the status line.
    private static func above(_ say: () -> Void) {
        status.withLock { status in
            if !status.isEmpty { write("\r\u{1B}[K") }
            say()
            if !status.isEmpty { write(unwrapped(status)) }
        }
    }

    private static func write(_ text: String) {
        // There is no place to report a failure.
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }

    /// Prints a line of results to standard output.
    ///
    /// Exits if writing fails: lost results are an error. A reader that closes the pipe, such as
    /// `head`, ends the program by SIGPIPE.
    static func print(_ line: String) {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let line = isTerminal ? line.printable(keepingLines: true) : line
        print(bytes: Data((line + "\n").utf8))
    }

    /// Prints bytes to standard output.
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
        note("standard output: writing failed; free some space, or write elsewhere")
        exit(ExitStatus.mediaFailure.rawValue)
    }

    /// Prints a message to standard error.
    static func note(_ line: String) {
        report("playhead: \(line.printable())")
    }

    /// Prints diagnostics to standard error. Each line begins with the file and line, as editors
    /// expect.
    static func report(_ text: String) {
        above { write(text.printable(keepingLines: true) + "\n") }
    }

    /// Returns the message for media that was damaged and played.
    static func damage(in file: String, count: Int, last: MediaError?) -> String {
        "\(file): \(count) parts could not be decoded and were skipped; last: "
            + (last?.cause ?? "unknown")
    }

    /// Returns the message for an incomplete file; nil for a complete one.
    static func shortfall(of file: String, _ description: AssetDescription) -> String? {
        let count = description.missingByteCount
        guard count > 0 else { return nil }
        return "\(file): the file is incomplete: \(count) bytes are missing at its end; copy or "
            + "download it again"
    }

    /// Encodes a value as JSON on one line, with sorted keys, so that equal runs print equal text.
    static func json(_ value: some Encodable, pretty: Bool = false) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
