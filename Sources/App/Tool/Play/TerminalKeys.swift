// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// Keys that are pressed in the terminal: read without waiting for the end of a line. Where standard input
/// is something else, the terminal is the one that controls the program.
///
/// - Concurrency: the main thread.
/// - Lifetime: until `close()`, which leaves the terminal as it was; so does whatever else ends the
///   program, but for SIGKILL.
@MainActor final class TerminalKeys {
    private var saved = termios()
    /// Stays open for what the end of the program does.
    nonisolated(unsafe) private static var terminal = STDIN_FILENO
    /// What the terminal was like, for `exit` and for signals that nobody watches: nil while it is so.
    /// Written by the main thread, before there is a handler and after that does nothing any more.
    nonisolated(unsafe) private static var usual: termios?
    private let source: any DispatchSourceRead
    /// Tells that the program goes on, after a person has stopped it.
    private let continuation: any DispatchSourceSignal
    private var decoder = TerminalKeyDecoder()
    private var isClosed = false
    private var isResting = false
    /// How often a program in the background looks whether it is in the foreground again.
    private static let pause = DispatchTimeInterval.milliseconds(500)

    /// Begins to read keys; nil where nobody can press any: there is no terminal, or the program runs in the
    /// background.
    ///
    /// - Parameter onInput: whether keys may come on standard input, which else is a film.
    init?(onInput: Bool, _ handler: @escaping @MainActor (String) -> Void) {
        let isTerminal = isatty(STDIN_FILENO) == 1
        // A film that is typed leaves nothing to read keys from.
        guard onInput || !isTerminal else { return nil }
        let descriptor = isTerminal ? STDIN_FILENO : open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        Self.terminal = descriptor
        guard Self.isInForeground, tcgetattr(descriptor, &saved) == 0 else { return nil }
        guard Self.setRaw(saved) else { return nil }
        Self.usual = saved
        Self.watchEnds
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
        continuation = DispatchSource.makeSignalSource(signal: SIGCONT, queue: .main)
        source.setEventHandler { [weak self] in
            MainActor.assumeIsolated { self?.read(handler) }
        }
        source.resume()
        continuation.setEventHandler { [weak self] in
            MainActor.assumeIsolated { self?.goOn() }
        }
        continuation.resume()
    }

    /// Has the terminal give keys as they are pressed, without showing them.
    private static func setRaw(_ usual: termios) -> Bool {
        var raw = usual
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        withUnsafeMutableBytes(of: &raw.c_cc) {
            $0[Int(VMIN)] = 0
            $0[Int(VTIME)] = 0
        }
        return tcsetattr(terminal, TCSANOW, &raw) == 0
    }

    nonisolated private static var isInForeground: Bool { tcgetpgrp(terminal) == getpgrp() }

    /// Once for the program: the terminal is made as it was where results cannot be written, which ends it
    /// by `exit` or by SIGPIPE, and where a person quits it.
    private static let watchEnds: Void = {
        atexit { TerminalKeys.restore() }
        for number in [SIGQUIT, SIGPIPE] where !Interruption.isIgnored(number) {
            signal(number) { number in
                TerminalKeys.restore()
                signal(number, SIG_DFL)
                raise(number)
            }
        }
    }()

    /// Calls nothing that a handler of signals may not.
    nonisolated private static func restore() {
        // In the background the terminal is another program's: setting it would stop this one.
        guard var usual, isInForeground else { return }
        tcsetattr(terminal, TCSANOW, &usual)
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        source.cancel()
        continuation.cancel()
        // One that is suspended may not go.
        if isResting { source.resume() }
        Self.restore()
        Self.usual = nil
    }

    private func read(_ handler: @MainActor (String) -> Void) {
        guard Self.isInForeground else {
            rest()
            return
        }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = Foundation.read(Self.terminal, &bytes, bytes.count)
        guard count > 0 else {
            close()
            return
        }
        for key in decoder.keys(in: bytes[..<count]) { handler(key) }
    }

    /// Leaves the terminal as it was, for as long as the program is stopped.
    func leave() { Self.restore() }

    /// Reads keys again: the shell has had the terminal in its own mode, and keeps it where the program goes on in the
    /// background.
    func goOn() {
        guard !isClosed, !isResting else { return }
        if Self.isInForeground {
            _ = Self.setRaw(saved)
        } else {
            rest()
        }
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
