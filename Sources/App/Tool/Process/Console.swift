// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI
import Synchronization

/// The program's output on standard output and standard error.
///
/// - Concurrency: any thread.
enum Console {
    /// The status line at the bottom of the terminal; empty if no line is shown.
    private static let status = Mutex("")

    /// Shows a status line at the bottom of the terminal, below all other output. It stays until it
    /// is replaced; an empty line removes it.
    static func showStatus(_ line: String) {
        status.withLock { status in
            guard line != status else { return }
            status = line
            // Returns to the start of the line, and clears the rest of the line after the text.
            write("\r\(unwrapped(line))\u{1B}[K")
        }
    }

    /// A Boolean value that indicates whether standard error is a terminal in which a line can be
    /// erased.
    static var showsStatus: Bool {
        isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// Returns a line that does not wrap: the terminal truncates it at its width. A wrapped line
    /// could not be erased.
    ///
    /// - Corresponds to: DECAWM, the terminal's mode of wrapping lines.
    private static func unwrapped(_ line: String) -> String {
        line.isEmpty ? "" : "\u{1B}[?7l\(line)\u{1B}[?7h"
    }

    /// Prints output above the status line.
    private static func above(_ say: () -> Void) {
        status.withLock { status in
            if !status.isEmpty { write("\r\u{1B}[K") }
            say()
            if !status.isEmpty { write(unwrapped(status)) }
        }
    }

    private static func write(_ text: String) {
        // A failure cannot be reported anywhere.
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }

    /// Prints a line of results to standard output.
    ///
    /// If writing fails, the program exits, because lost results are an error. A reader that closes
    /// the pipe, such as `head`, ends the program with SIGPIPE.
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

    /// Returns the message for media that was damaged but could be played.
    static func damage(in file: String, count: Int, last: MediaError?) -> String {
        "\(file): \(count) parts could not be decoded and were skipped; last: "
            + (last?.cause ?? "unknown")
    }

    /// Returns the message for an incomplete file; nil if the file is complete.
    static func shortfall(of file: String, _ description: AssetDescription) -> String? {
        let count = description.missingByteCount
        guard count > 0 else { return nil }
        return "\(file): the file is incomplete: \(count) bytes are missing at its end; copy or "
            + "download it again"
    }

    /// Encodes a value as one line of JSON with sorted keys, so that equal runs print equal text.
    static func json(_ value: some Encodable, pretty: Bool = false) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
