// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI
import Synchronization

/// Reads keys from the terminal without waiting for the end of a line. If standard input is not a
/// terminal, the controlling terminal is used.
///
/// - Concurrency: the main thread. Only one instance may exist at a time.
/// - Lifetime: until `close()`, which restores the terminal. The terminal is also restored when the
///   program ends in any other way except SIGKILL.
@MainActor final class TerminalKeys {
    /// The file descriptor of the terminal whose mode has been changed, so that `exit` and signals
    /// restore it; -1 without one. It stays open for the handlers that run at exit.
    nonisolated private static let changedTerminal = Atomic<Int32>(-1)
    /// The saved mode of that terminal. The main thread sets it while `changedTerminal` is -1;
    /// handlers, on any thread, read it while that is a terminal.
    nonisolated(unsafe) private static var usual = termios()
    private let terminal: Int32
    private var saved = termios()
    private let source: any DispatchSourceRead
    /// The dispatch source for SIGCONT, which arrives when a stopped program continues.
    private let continuation: any DispatchSourceSignal
    private var decoder = TerminalKeyDecoder()
    private var isClosed = false
    private var isResting = false
    /// The interval at which a background program checks whether it is in the foreground.
    private static let pause = DispatchTimeInterval.milliseconds(500)

    /// Starts reading keys; nil if there is no terminal, if the program is in the background, or if
    /// another instance reads keys.
    ///
    /// - Parameter onInput: whether standard input can deliver keys, because it is not used for
    ///   media.
    init?(onInput: Bool, _ handler: @escaping @MainActor (String) -> Void) {
        let isTerminal = isatty(STDIN_FILENO) == 1
        // If the media comes from the terminal, no keys can be read from it.
        guard onInput || !isTerminal, Self.changedTerminal.load(ordering: .relaxed) < 0 else {
            return nil
        }
        terminal = isTerminal ? STDIN_FILENO : open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard terminal >= 0 else { return nil }
        guard Self.isInForeground(of: terminal), tcgetattr(terminal, &saved) == 0,
            Self.setRaw(terminal, insteadOf: saved)
        else {
            if !isTerminal { Foundation.close(terminal) }
            return nil
        }
        Self.usual = saved
        Self.changedTerminal.store(terminal, ordering: .releasing)
        Self.watchEnds
        source = DispatchSource.makeReadSource(fileDescriptor: terminal, queue: .main)
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

    /// Sets a mode of a terminal in which keys are delivered at once and are not echoed.
    private static func setRaw(_ terminal: Int32, insteadOf usual: termios) -> Bool {
        var raw = usual
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        withUnsafeMutableBytes(of: &raw.c_cc) {
            $0[Int(VMIN)] = 0
            $0[Int(VTIME)] = 0
        }
        return tcsetattr(terminal, TCSANOW, &raw) == 0
    }

    nonisolated private static func isInForeground(of terminal: Int32) -> Bool {
        tcgetpgrp(terminal) == getpgrp()
    }

    /// Restores the terminal at `exit`, on SIGPIPE and on SIGQUIT. The handlers are installed once.
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

    /// Restores the mode of the terminal. It is async-signal-safe.
    nonisolated private static func restore() {
        let terminal = changedTerminal.load(ordering: .acquiring)
        // In the background, changing the terminal's mode would stop this program.
        guard terminal >= 0, isInForeground(of: terminal) else { return }
        var usual = usual
        tcsetattr(terminal, TCSANOW, &usual)
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        source.cancel()
        continuation.cancel()
        // A suspended source must be resumed before it is released.
        if isResting { source.resume() }
        Self.restore()
        Self.changedTerminal.store(-1, ordering: .releasing)
    }

    private func read(_ handler: @MainActor (String) -> Void) {
        guard Self.isInForeground(of: terminal) else {
            rest()
            return
        }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = Foundation.read(terminal, &bytes, bytes.count)
        guard count > 0 else {
            close()
            return
        }
        for key in decoder.keys(in: bytes[..<count]) { handler(key) }
    }

    /// Restores the terminal, before the program is stopped.
    func leave() { Self.restore() }

    /// Starts reading again after the shell has used the terminal, unless the program continues in
    /// the background.
    func goOn() {
        guard !isClosed, !isResting else { return }
        if Self.isInForeground(of: terminal) {
            _ = Self.setRaw(terminal, insteadOf: saved)
        } else {
            rest()
        }
    }

    /// Pauses reading while the program is in the background, because reading in the background
    /// would stop the program.
    private func rest() {
        isResting = true
        source.suspend()
        look()
    }

    private func look() {
        DispatchQueue.main.asyncAfter(deadline: .now() + Self.pause) { [weak self] in
            MainActor.assumeIsolated {
                guard let self, !self.isClosed else { return }
                guard Self.isInForeground(of: self.terminal) else {
                    self.look()
                    return
                }
                // The shell may have changed the mode.
                _ = Self.setRaw(self.terminal, insteadOf: self.saved)
                self.isResting = false
                self.source.resume()
            }
        }
    }
}
