// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// Reads keys from the terminal without waiting for the end of a line. If standard input is not a
/// terminal, the controlling terminal is used.
///
/// - Concurrency: the main thread.
/// - Lifetime: until `close()`, which restores the terminal; so does every other end of the program
///   except SIGKILL.
@MainActor final class TerminalKeys {
    private var saved = termios()
    /// The terminal; stays open for the handlers at exit. Written by the main thread, before the
    /// handlers are installed.
    nonisolated(unsafe) private static var terminal = STDIN_FILENO
    /// The saved mode of the terminal, for `exit` and unhandled signals; nil while it is unchanged.
    /// Written by the main thread, before handlers are installed and after they are inactive.
    nonisolated(unsafe) private static var usual: termios?
    private let source: any DispatchSourceRead
    /// The source of SIGCONT, after the program was stopped.
    private let continuation: any DispatchSourceSignal
    private var decoder = TerminalKeyDecoder()
    private var isClosed = false
    private var isResting = false
    /// The interval at which a background program checks for the foreground.
    private static let pause = DispatchTimeInterval.milliseconds(500)

    /// Starts reading keys; nil without a terminal or in the background.
    ///
    /// - Parameter onInput: whether standard input can deliver keys, and is not media.
    init?(onInput: Bool, _ handler: @escaping @MainActor (String) -> Void) {
        let isTerminal = isatty(STDIN_FILENO) == 1
        // Media on a terminal leaves nothing to read keys from.
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

    /// Sets a mode in which keys are delivered at once and are not echoed.
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

    /// Restores the terminal at `exit`, on SIGPIPE and on SIGQUIT. Installed once.
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

    /// Async-signal-safe.
    nonisolated private static func restore() {
        // In the background, setting the terminal would stop this program.
        guard var usual, isInForeground else { return }
        tcsetattr(terminal, TCSANOW, &usual)
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        source.cancel()
        continuation.cancel()
        // A suspended source must be resumed before its release.
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

    /// Restores the terminal while the program is stopped.
    func leave() { Self.restore() }

    /// Resumes reading after the shell has used the terminal, unless the program continues in the
    /// background.
    func goOn() {
        guard !isClosed, !isResting else { return }
        if Self.isInForeground {
            _ = Self.setRaw(saved)
        } else {
            rest()
        }
    }

    /// Pauses reading in the background, where it would stop the program.
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
                // The shell may have changed the mode.
                _ = Self.setRaw(self.saved)
                self.isResting = false
                self.source.resume()
            }
        }
    }
}
