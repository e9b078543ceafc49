// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Handles the signals that quit or stop the program: Ctrl-C, `kill`, a closed terminal, Ctrl-Z.
/// This is for a main loop that sleeps until an event; `Interruption` is for work that polls.
///
/// `DispatchSourceSignal` is not used, because its thread starts later, and a signal that arrives
/// before that is lost.
///
/// - Concurrency: the main thread. Only one instance may exist at a time.
/// - Lifetime: until `close()`, which restores the default actions.
@MainActor final class ProgramSignals {
    private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGTSTP]
    /// The pipe through which a signal handler wakes the main thread. It is never closed, because a
    /// handler may be writing to it.
    private static let ends: (read: Int32, write: Int32)? = {
        var descriptors: [Int32] = [0, 0]
        guard pipe(&descriptors) == 0 else { return nil }
        for descriptor in descriptors {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        }
        return (descriptors[0], descriptors[1])
    }()
    /// The write end, for the handler. It is set before a handler is installed, and does not change
    /// afterwards.
    nonisolated private static let writeEnd = Atomic<Int32>(-1)

    private let source: (any DispatchSourceRead)?
    /// The signals that were not ignored when the object was created.
    private let watched: [Int32]
    /// The handlers that are called before the program stops, and after it continues.
    var stopHandlers: (before: @MainActor () -> Void, after: @MainActor () -> Void)?

    /// Calls a handler on the main queue for each signal. If no file descriptor is available,
    /// signals keep their default actions and end the program at once.
    init(_ end: @escaping @MainActor () -> Void) {
        watched = Self.numbers.filter { !Interruption.isIgnored($0) }
        guard let ends = Self.ends else {
            source = nil
            return
        }
        Self.writeEnd.store(ends.write, ordering: .releasing)
        ExitDeadline.prepare()
        let source = DispatchSource.makeReadSource(fileDescriptor: ends.read, queue: .main)
        self.source = source
        source.setEventHandler { [weak self] in
            var (bytes, numbers) = ([UInt8](repeating: 0, count: 16), Set<Int32>())
            while true {
                let count = read(ends.read, &bytes, bytes.count)
                guard count > 0 else { break }
                numbers.formUnion(bytes[..<count].map(Int32.init))
            }
            MainActor.assumeIsolated {
                if numbers.remove(SIGTSTP) != nil { self?.stop() }
                if !numbers.isEmpty { end() }
            }
        }
        source.resume()
        for number in watched { Self.watch(number) }
    }

    private static func watch(_ number: Int32) {
        signal(number) { number in
            let saved = errno
            if number != SIGTSTP { ExitDeadline.start(for: number) }
            var byte = UInt8(truncatingIfNeeded: number)
            _ = write(ProgramSignals.writeEnd.load(ordering: .acquiring), &byte, 1)
            errno = saved
        }
    }

    /// Stops the process, and returns when it continues.
    private func stop() {
        stopHandlers?.before()
        signal(SIGTSTP, SIG_DFL)
        raise(SIGTSTP)
        Self.watch(SIGTSTP)
        stopHandlers?.after()
    }

    func close() {
        guard let source else { return }
        for number in watched { signal(number, SIG_DFL) }
        source.cancel()
    }
}
