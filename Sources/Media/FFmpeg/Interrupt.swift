// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadTime
import Synchronization

/// Ends FFmpeg's blocking calls after a cancellation or a deadline, which each call sets again.
///
/// - Concurrency: any thread; FFmpeg calls it on the thread that blocks.
/// - Ownership: FFmpeg has an unretained pointer to it, so it has to outlive every context with its
///   `callback`.
/// - Corresponds to: `AVIOInterruptCB`.
final class Interrupt: Sendable {
    private let cancellation: Cancellation
    private let timeout: Int64
    private let openingTimeout: Int64
    /// The timeout of the current call, without the allowance.
    private let currentTimeout = Atomic(Int64(0))
    /// The deadline in nanoseconds of host time.
    private let deadline = Atomic(Int64.max)
    /// The additional time for waiting for the next segment of a live stream.
    private let allowance = Atomic(Int64(0))
    private let isStopped = Atomic(false)
    private let calls = Atomic(0)

    init(cancellation: Cancellation, options: AssetOptions) {
        self.cancellation = cancellation
        timeout = options.timeout.nanoseconds ?? .max
        openingTimeout = options.openingTimeout.nanoseconds ?? .max
    }

    /// Starts the timeout of a call.
    func begin(opens: Bool = false) {
        calls.add(1, ordering: .relaxed)
        let timeout = opens ? openingTimeout : timeout
        currentTimeout.store(timeout, ordering: .relaxed)
        let time = timeout.addingReportingOverflow(allowance.load(ordering: .relaxed))
        let (end, overflows) = HostClock.nanoseconds.addingReportingOverflow(time.partialValue)
        deadline.store(overflows || time.overflow ? .max : end, ordering: .relaxed)
    }

    /// Extends the timeout of all following calls by a number of nanoseconds.
    func allow(_ nanoseconds: Int64) { allowance.store(nanoseconds, ordering: .relaxed) }

    /// Ends the current call and all following ones, because a limit was exceeded.
    func stop() { isStopped.store(true, ordering: .relaxed) }

    /// The number of calls so far, for limits on a single call.
    var callNumber: Int { calls.load(ordering: .relaxed) }

    var isCancelled: Bool { cancellation.isCancelled }
    var isOverdue: Bool { HostClock.nanoseconds >= deadline.load(ordering: .relaxed) }

    /// A Boolean value that indicates whether blocking calls have to end.
    var isTriggered: Bool {
        isStopped.load(ordering: .relaxed) || isCancelled || isOverdue
    }

    /// Returns the error of a data source that was interrupted: either it was cancelled, or its
    /// deadline has passed, which only this object knows.
    func explaining(_ error: MediaError) -> MediaError {
        guard error.code == .cancelled, !isCancelled, isOverdue else { return error }
        return FFmpegError.interrupted.whileReading(error.subject, interrupt: self)
    }

    /// The timeout of the current call in seconds, for messages.
    var seconds: Double { Double(currentTimeout.load(ordering: .relaxed)) / 1e9 }

    var callback: AVIOInterruptCB {
        AVIOInterruptCB(
            callback: { opaque in
                guard let opaque else { return 0 }
                let interrupt = Unmanaged<Interrupt>.fromOpaque(opaque).takeUnretainedValue()
                return interrupt.isTriggered ? 1 : 0
            }, opaque: Unmanaged.passUnretained(self).toOpaque())
    }
}
