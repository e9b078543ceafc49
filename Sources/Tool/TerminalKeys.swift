// SPDX-License-Identifier: Apache-2.0

import Foundation
import Playhead

/// Keys that are pressed in the terminal: read without waiting for the end of a line.
///
/// - Concurrency: the main thread.
/// - Lifetime: until `close()`, which leaves the terminal as it was; so does a signal that ends the
///   program.
@MainActor final class TerminalKeys {
    private var saved = termios()
    private let source: any DispatchSourceRead
    private var pending: [UInt8] = []
    private var isClosed = false

    /// Begins to read keys; nil where nobody can press any: standard input is no terminal, or the
    /// program runs in the background.
    init?(_ handler: @escaping @MainActor (String) -> Void) {
        guard isatty(STDIN_FILENO) == 1, tcgetpgrp(STDIN_FILENO) == getpgrp(),
            tcgetattr(STDIN_FILENO, &saved) == 0
        else { return nil }
        var raw = saved
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        withUnsafeMutableBytes(of: &raw.c_cc) {
            $0[Int(VMIN)] = 0
            $0[Int(VTIME)] = 0
        }
        guard tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0 else { return nil }
        source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .main)
        source.setEventHandler { [weak self] in
            MainActor.assumeIsolated { self?.read(handler) }
        }
        source.resume()
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        source.cancel()
        tcsetattr(STDIN_FILENO, TCSANOW, &saved)
    }

    private func read(_ handler: @MainActor (String) -> Void) {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = Foundation.read(STDIN_FILENO, &bytes, bytes.count)
        guard count > 0 else {
            close()
            return
        }
        for key in Self.keys(in: Array(bytes[..<count])) { handler(key) }
    }

    /// Keys by the names that bindings have: what terminals send for them.
    nonisolated static func keys(in bytes: [UInt8]) -> [String] {
        var keys: [String] = []
        var rest = bytes[...]
        while let first = rest.first {
            if let (code, key) = sequences.first(where: { rest.starts(with: $0.0) }) {
                keys.append(key)
                rest = rest.dropFirst(code.count)
                continue
            }
            rest = rest.dropFirst()
            switch first {
            case 0x20: keys.append("SPACE")
            case 0x0A, 0x0D: keys.append("ENTER")
            case 0x7F, 0x08: keys.append("BS")
            case 0x1B: keys.append("ESC")
            case 0x21...0x7E: keys.append(String(UnicodeScalar(first)))
            default: break
            }
        }
        return keys
    }

    /// ECMA-48's cursor keys, and what terminals have added.
    nonisolated private static let sequences: [([UInt8], String)] = [
        ("\u{1B}[A", "UP"), ("\u{1B}[B", "DOWN"), ("\u{1B}[C", "RIGHT"), ("\u{1B}[D", "LEFT"),
        ("\u{1B}OA", "UP"), ("\u{1B}OB", "DOWN"), ("\u{1B}OC", "RIGHT"), ("\u{1B}OD", "LEFT"),
        ("\u{1B}[5~", "PGUP"), ("\u{1B}[6~", "PGDWN"), ("\u{1B}[H", "HOME"), ("\u{1B}[1~", "HOME"),
        ("\u{1B}[3~", "DEL"),
    ].map { (Array($0.0.utf8), $0.1) }
}
