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
    private let openingTimeout: Int64
    /// What the call under way was given, without the allowance.
    private let currentTimeout = Atomic(Int64(0))
    /// Nanoseconds of host time.
    private let deadline = Atomic(Int64.max)
    /// What waiting for the next part of a live stream may take beyond the timeout.
    private let allowance = Atomic(Int64(0))
    private let isStopped = Atomic(false)
    private let calls = Atomic(0)

    init(cancellation: Cancellation, options: AssetOptions) {
        self.cancellation = cancellation
        timeout = options.timeout.nanoseconds ?? .max
        openingTimeout = options.openingTimeout.nanoseconds ?? .max
    }

    /// Starts the time that a call may take.
    func begin(opens: Bool = false) {
        calls.add(1, ordering: .relaxed)
        let timeout = opens ? openingTimeout : timeout
        currentTimeout.store(timeout, ordering: .relaxed)
        let time = timeout.addingReportingOverflow(allowance.load(ordering: .relaxed))
        let (end, overflows) = HostClock.nanoseconds.addingReportingOverflow(time.partialValue)
        deadline.store(overflows || time.overflow ? .max : end, ordering: .relaxed)
    }

    /// Lets every call from the next on take longer by so many nanoseconds.
    func allow(_ nanoseconds: Int64) { allowance.store(nanoseconds, ordering: .relaxed) }

    /// Ends the call that is under way and all further ones: a limit was passed.
    func stop() { isStopped.store(true, ordering: .relaxed) }

    /// Counts calls, for limits on what one call may do.
    var callNumber: Int { calls.load(ordering: .relaxed) }

    var isCancelled: Bool { cancellation.isCancelled }
    var isOverdue: Bool { HostClock.nanoseconds >= deadline.load(ordering: .relaxed) }

    /// Whether blocking calls have to end.
    var isTriggered: Bool {
        isStopped.load(ordering: .relaxed) || isCancelled || isOverdue
    }

    /// The error of a data source that gave up because it was told to: its reader was cancelled, or
    /// its deadline has passed, which only this knows.
    func explaining(_ error: MediaError) -> MediaError {
        guard error.code == .cancelled, !isCancelled, isOverdue else { return error }
        return FFmpegError.interrupted.whileReading(error.subject, interrupt: self)
    }

    /// Seconds that the call may take, for messages.
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
