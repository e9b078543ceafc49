// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What asks a program to end: Ctrl-C, `kill`, a terminal that is closed. For a loop that sleeps until
/// something happens; `Interruption` is for one that looks.
///
/// Not by `DispatchSourceSignal`: that takes up its work later, on a thread of its own, and a signal
/// which comes in between is lost for good.
///
/// - Concurrency: the main thread. There is one at a time.
/// - Lifetime: until `close()`, from when on signals do what they do by default.
@MainActor final class TerminationSignals {
    private static let numbers = [SIGINT, SIGTERM, SIGHUP]
    /// The pipe through which a handler, which may do next to nothing, wakes the main thread. Kept for
    /// good: a handler may be in the middle of writing to it.
    private static let ends: (read: Int32, write: Int32)? = {
        var descriptors: [Int32] = [0, 0]
        guard pipe(&descriptors) == 0 else { return nil }
        for descriptor in descriptors {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        }
        return (descriptors[0], descriptors[1])
    }()
    /// The same end for the handler, which must not make it: set before there is one, never after.
    nonisolated(unsafe) private static var writeEnd: Int32 = -1

    private let source: (any DispatchSourceRead)?
    /// Those that were not ignored.
    private let watched: [Int32]

    /// Calls a handler, on the main queue, for each signal from here on; does nothing where the system
    /// has no descriptor left, and signals then end the program at once.
    init(_ handler: @escaping @MainActor () -> Void) {
        watched = Self.numbers.filter { !Interruption.isIgnored($0) }
        guard let ends = Self.ends else {
            source = nil
            return
        }
        Self.writeEnd = ends.write
        let source = DispatchSource.makeReadSource(fileDescriptor: ends.read, queue: .main)
        source.setEventHandler {
            var bytes = [UInt8](repeating: 0, count: 16)
            while read(ends.read, &bytes, bytes.count) > 0 {}
            MainActor.assumeIsolated { handler() }
        }
        source.resume()
        self.source = source
        for number in watched {
            signal(number) { _ in
                let saved = errno
                var byte: UInt8 = 0
                _ = write(TerminationSignals.writeEnd, &byte, 1)
                errno = saved
            }
        }
    }

    func close() {
        guard let source else { return }
        for number in watched { signal(number, SIG_DFL) }
        source.cancel()
    }
}
