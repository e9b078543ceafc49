// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What asks a program to end, Ctrl-C, `kill`, a terminal that is closed, or to stop for a while, Ctrl-Z. For a loop
/// that sleeps until something happens; `Interruption` is for one that looks.
///
/// Not by `DispatchSourceSignal`: that takes up its work later, on a thread of its own, and a signal
/// which comes in between is lost for good.
///
/// - Concurrency: the main thread. There is one at a time.
/// - Lifetime: until `close()`, from when on signals do what they do by default.
@MainActor final class ProgramSignals {
    private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGTSTP]
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
    /// Called before the program stops, which it does then; and once it goes on.
    var stopHandlers: (before: @MainActor () -> Void, after: @MainActor () -> Void)?

    /// Calls a handler, on the main queue, for each signal from here on; does nothing where the system
    /// has no descriptor left, and signals then end the program at once.
    init(_ end: @escaping @MainActor () -> Void) {
        watched = Self.numbers.filter { !Interruption.isIgnored($0) }
        guard let ends = Self.ends else {
            source = nil
            return
        }
        Self.writeEnd = ends.write
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
            var byte = UInt8(truncatingIfNeeded: number)
            _ = write(ProgramSignals.writeEnd, &byte, 1)
            errno = saved
        }
    }

    /// Stops as the signal does by default; returns when a person has the program go on.
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
