// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadTime
import Synchronization

/// What ends FFmpeg's blocking calls: a cancellation, or a deadline that each call sets anew.
///
/// - Concurrency: any thread; FFmpeg asks it on whichever thread blocks.
/// - Ownership: FFmpeg holds an unretained pointer to it, so it outlives every context that has its
///   `callback`.
/// - Corresponds to: `AVIOInterruptCB`.
final class Interrupt: Sendable {
    private let cancellation: Cancellation
    private let timeout: Int64
    /// Nanoseconds of host time.
    private let deadline = Atomic(Int64.max)

    init(cancellation: Cancellation, timeout: MediaTime) {
        self.cancellation = cancellation
        self.timeout = timeout.nanoseconds ?? .max
    }

    /// Starts the time that a call may take.
    func begin() {
        let (end, overflows) = HostClock.nanoseconds.addingReportingOverflow(timeout)
        deadline.store(overflows ? .max : end, ordering: .relaxed)
    }

    var isCancelled: Bool { cancellation.isCancelled }
    var isOverdue: Bool { HostClock.nanoseconds >= deadline.load(ordering: .relaxed) }

    /// Seconds that a call may take, for messages.
    var seconds: Double { Double(timeout) / 1e9 }

    var callback: AVIOInterruptCB {
        AVIOInterruptCB(
            callback: { opaque in
                guard let opaque else { return 0 }
                let interrupt = Unmanaged<Interrupt>.fromOpaque(opaque).takeUnretainedValue()
                return interrupt.isCancelled || interrupt.isOverdue ? 1 : 0
            }, opaque: Unmanaged.passUnretained(self).toOpaque())
    }

}
