// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import Glibc
import PlayheadAssets
import PlayheadTime
import Synchronization

/// An object that ends FFmpeg's blocking calls after a cancellation or a deadline. Each call sets
/// its own deadline.
///
/// - Concurrency: any thread; FFmpeg calls it on the thread that blocks.
/// - Ownership: FFmpeg has an unretained pointer to this object, so it must outlive every context
///   that uses its `callback`.
/// - Corresponds to: `AVIOInterruptCB`.
final class Interrupt: Sendable {
    private let cancellation: Cancellation
    private let timeout: Int64
    private let openingTimeout: Int64
    /// The timeout of the current call, without the allowance.
    private let currentTimeout = Atomic(Int64(0))
    /// The deadline, as host time in nanoseconds.
    private let deadline = Atomic(Int64.max)
    /// The additional time to wait for the next segment of a live stream, in nanoseconds.
    private let allowance = Atomic(Int64(0))
    /// An earlier deadline of a part of the current call, as host time in nanoseconds.
    private let partialDeadline = Atomic(Int64.max)
    private let isStopped = Atomic(false)
    /// A Boolean value that indicates whether waits for data end, because a seek is due.
    private let isHurried = Atomic(false)
    private let calls = Atomic(0)
    /// The interval at which `wait` checks whether it must end, in nanoseconds.
    private static let step: Int64 = 10_000_000
    /// The deadline of the last message to a server; 0 if none is being sent.
    private let lastMessageDeadline = Atomic(Int64(0))

    /// The time that the last message to a server may take, in nanoseconds.
    private static let lastMessageTime: Int64 = 200_000_000

    init(cancellation: Cancellation, options: AssetOptions) {
        self.cancellation = cancellation
        timeout = options.timeout.nanoseconds ?? .max
        openingTimeout = options.openingTimeout.nanoseconds ?? .max
    }

    /// Starts the timeout for a call.
    func begin(opens: Bool = false) {
        calls.add(1, ordering: .relaxed)
        currentTimeout.store(opens ? openingTimeout : timeout, ordering: .relaxed)
        prolong()
    }

    /// Starts the timeout for the current call again.
    func prolong() {
        let timeout = currentTimeout.load(ordering: .relaxed)
        let time = timeout.addingReportingOverflow(allowance.load(ordering: .relaxed))
        let (end, overflows) = HostClock.nanoseconds.addingReportingOverflow(time.partialValue)
        deadline.store(overflows || time.overflow ? .max : end, ordering: .relaxed)
    }

    /// Calls a function that ends no later than a host time, in nanoseconds.
    func limit<Result>(
        until time: Int64, _ body: () throws(MediaError) -> Result
    ) throws(MediaError) -> Result {
        let previous = partialDeadline.load(ordering: .relaxed)
        partialDeadline.store(min(previous, time), ordering: .relaxed)
        defer { partialDeadline.store(previous, ordering: .relaxed) }
        return try body()
    }

    /// Waits for a number of nanoseconds, or until blocking calls must end.
    func wait(nanoseconds: Int64) {
        let end = HostClock.nanoseconds + nanoseconds
        while !isTriggered {
            let rest = end - HostClock.nanoseconds
            guard rest > 0 else { return }
            usleep(UInt32(min(rest, Self.step) / 1000))
        }
    }

    /// Extends the timeout of all following calls by a number of nanoseconds.
    func allow(_ nanoseconds: Int64) { allowance.store(nanoseconds, ordering: .relaxed) }

    /// Ends the current call and all later calls, because a limit was exceeded.
    func stop() { isStopped.store(true, ordering: .relaxed) }

    /// Ends the current call and all later calls, until `resumeWaiting`. Any thread.
    func stopWaiting() { isHurried.store(true, ordering: .relaxed) }

    /// Allows calls to wait for data again, because the seek for which they ended begins.
    func resumeWaiting() { isHurried.store(false, ordering: .relaxed) }

    /// A Boolean value that indicates whether waits for data end because a seek is due.
    var stopsWaiting: Bool { isHurried.load(ordering: .relaxed) }

    /// Calls a function that sends the last message to a server. Although everything else has
    /// ended, it may take a moment.
    func permitLastMessage(_ send: () -> Void) {
        lastMessageDeadline.store(
            HostClock.nanoseconds + Self.lastMessageTime, ordering: .relaxed)
        send()
        lastMessageDeadline.store(0, ordering: .relaxed)
    }

    /// The number of calls so far. It is used for limits that apply to a single call.
    var callNumber: Int { calls.load(ordering: .relaxed) }

    var isCancelled: Bool { cancellation.isCancelled }
    var isOverdue: Bool { HostClock.nanoseconds >= deadline.load(ordering: .relaxed) }

    /// A Boolean value that indicates whether blocking calls must end.
    var isTriggered: Bool {
        let last = lastMessageDeadline.load(ordering: .relaxed)
        if last != 0 { return HostClock.nanoseconds >= last }
        return isStopped.load(ordering: .relaxed) || stopsWaiting || isCancelled || isOverdue
            || HostClock.nanoseconds >= partialDeadline.load(ordering: .relaxed)
    }

    /// Returns the error of a data source that was interrupted. The source was either cancelled or
    /// its deadline has passed; only this object knows which.
    func explaining(_ error: MediaError) -> MediaError {
        guard error.code == .cancelled, !isCancelled, isOverdue else { return error }
        return FFmpegError.interrupted.whileReading(error.subject, interrupt: self)
    }

    /// The time until the deadline of the current call, in nanoseconds; nil if it has none.
    var remainingTime: Int64? {
        let end = min(
            deadline.load(ordering: .relaxed), partialDeadline.load(ordering: .relaxed))
        return end == .max ? nil : max(end - HostClock.nanoseconds, 0)
    }

    /// The timeout of the current call, in seconds, for messages.
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
