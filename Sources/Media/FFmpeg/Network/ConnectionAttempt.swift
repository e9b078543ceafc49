// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import Synchronization

/// A connection that is being established, perhaps beside others to the same host, of which only
/// the first is kept.
///
/// - Concurrency: any thread; FFmpeg calls it on the thread that connects or reads.
/// - Ownership: FFmpeg has an unretained pointer to this object, so it must outlive every context
///   that uses its `callback`.
final class ConnectionAttempt: Sendable {
    private let interrupt: Interrupt
    private let hasEnded = Atomic(false)

    /// - Parameter interrupt: An object that ends the calls of the connection, also later.
    init(_ interrupt: Interrupt) { self.interrupt = interrupt }

    /// Ends the attempt, because another one was faster. May be called on any thread.
    func end() { hasEnded.store(true, ordering: .relaxed) }

    private var isTriggered: Bool {
        hasEnded.load(ordering: .relaxed) || interrupt.isTriggered
    }

    var callback: AVIOInterruptCB {
        AVIOInterruptCB(
            callback: { opaque in
                guard let opaque else { return 0 }
                let attempt = Unmanaged<ConnectionAttempt>.fromOpaque(opaque)
                    .takeUnretainedValue()
                return attempt.isTriggered ? 1 : 0
            }, opaque: Unmanaged.passUnretained(self).toOpaque())
    }
}
