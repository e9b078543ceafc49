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
    private var decoder = TerminalKeyDecoder()
    private var isClosed = false
    private var isResting = false
    /// How often a program in the background looks whether it is in the foreground again.
    private static let pause = DispatchTimeInterval.milliseconds(500)

    /// Begins to read keys; nil where nobody can press any: standard input is no terminal, or the
    /// program runs in the background.
    init?(_ handler: @escaping @MainActor (String) -> Void) {
        guard isatty(STDIN_FILENO) == 1, Self.isInForeground,
            tcgetattr(STDIN_FILENO, &saved) == 0
        else { return nil }
        guard Self.setRaw(saved) else { return nil }
        source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .main)
        source.setEventHandler { [weak self] in
            MainActor.assumeIsolated { self?.read(handler) }
        }
        source.resume()
    }

    /// Has the terminal give keys as they are pressed, without showing them.
    private static func setRaw(_ usual: termios) -> Bool {
        var raw = usual
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        withUnsafeMutableBytes(of: &raw.c_cc) {
            $0[Int(VMIN)] = 0
            $0[Int(VTIME)] = 0
        }
        return tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0
    }

    private static var isInForeground: Bool { tcgetpgrp(STDIN_FILENO) == getpgrp() }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        source.cancel()
        // One that is suspended may not go.
        if isResting { source.resume() }
        // In the background the terminal is another program's: setting it would stop this one.
        if Self.isInForeground { tcsetattr(STDIN_FILENO, TCSANOW, &saved) }
    }

    private func read(_ handler: @MainActor (String) -> Void) {
        guard Self.isInForeground else {
            rest()
            return
        }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = Foundation.read(STDIN_FILENO, &bytes, bytes.count)
        guard count > 0 else {
            close()
            return
        }
        for key in decoder.keys(in: bytes[..<count]) { handler(key) }
    }

    /// What is typed meanwhile is not for this program, and reading it would stop it.
    private func rest() {
        isResting = true
        source.suspend()
        look()
    }

    private func look() {
        DispatchQueue.main.asyncAfter(deadline: .now() + Self.pause) { [weak self] in
            MainActor.assumeIsolated {
                guard let self, !self.isClosed else { return }
                guard Self.isInForeground else {
                    self.look()
                    return
                }
                // The shell has had it in another mode.
                _ = Self.setRaw(self.saved)
                self.isResting = false
                self.source.resume()
            }
        }
    }
}
