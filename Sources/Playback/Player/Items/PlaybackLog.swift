// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The playback's part of an item's logs: its totals at the beginning of each entry of the
/// transfer's log, and the errors.
///
/// - Concurrency: a value, which the pipeline changes with its lock held.
struct PlaybackLog: Sendable {
    /// The totals of playback at a moment.
    struct Totals: Sendable, Hashable {
        var stallCount = 0
        var droppedFrameCount = 0
        /// The duration of the media that was played.
        var watched = MediaTime.zero
        var time = MediaTime.zero
    }

    /// A random identifier of the playback.
    let sessionID = Self.randomIdentifier
    /// The totals at the beginnings of the newest entries of the transfer's log.
    private(set) var beginnings: [Totals] = []
    private(set) var beginningCount = 0
    /// The newest errors, in order.
    private(set) var errors: [TransferLog.Failure] = []
    /// The number of all errors, including those that were removed.
    private(set) var errorCount = 0
    /// The number of the transfer's failures that are among the errors.
    private(set) var failureCount = 0
    /// The duration of the media that was played, up to the last event.
    private var watched = MediaTime.zero
    private var lastTime: MediaTime?
    private var start: Int64?
    private var readiness: Int64?

    /// The time from the beginning until the item was ready, in seconds; nil before that.
    var startupSeconds: Double? {
        guard let start, let readiness else { return nil }
        return Double(readiness - start) / 1e9
    }

    mutating func begin(atHostNanoseconds time: Int64) { start = start ?? time }
    mutating func becomeReady(atHostNanoseconds time: Int64) { readiness = readiness ?? time }

    // MARK: - Watched media

    /// Records how far the timeline has played since the last event, at a rate.
    ///
    /// - Parameter time: The end of what was played. It is before the last event if that event came
    ///   after the media had ended, and this one stops the timeline at the end.
    mutating func arrive(at time: MediaTime, rate: Double) {
        if let lastTime, lastTime.isNumeric, time.isNumeric {
            let played = rate < 0 ? lastTime - time : time - lastTime
            watched = max(watched + played, .zero)
        }
        lastTime = nil
    }

    /// Records the timeline's time after an event, which may have moved the timeline.
    mutating func depart(at time: MediaTime) { lastTime = time }

    /// Returns the duration of the media that was played until the timeline reached a time.
    func watchedDuration(by time: MediaTime) -> MediaTime {
        guard let lastTime, lastTime.isNumeric, time.isNumeric else { return watched }
        return watched + (time - lastTime).magnitude
    }

    // MARK: - Entries

    /// Records the totals for entries of the transfer's log that are new.
    mutating func note(_ log: TransferLog, _ totals: Totals) {
        guard log.entryCount > beginningCount else { return }
        // The first entry began with the playback.
        if beginningCount == 0 { beginnings.append(Totals()) }
        let count = log.entryCount - max(beginningCount, 1)
        beginnings += Array(repeating: totals, count: min(count, TransferLog.limit))
        beginnings.removeFirst(max(beginnings.count - TransferLog.limit, 0))
        beginningCount = log.entryCount
    }

    /// Returns the first failure of the transfer that is not among the errors yet, and records that
    /// it will be. Failures that the transfer's log no longer has are skipped.
    mutating func nextFailure(of log: TransferLog) -> TransferLog.Failure? {
        let missing = min(log.failureCount - failureCount, log.failures.count)
        guard missing > 0 else { return nil }
        failureCount = log.failureCount - missing + 1
        return log.failures[log.failures.count - missing]
    }

    /// Records an error.
    mutating func append(_ error: TransferLog.Failure) {
        errorCount += 1
        errors.append(error)
        if errors.count > TransferLog.limit { errors.removeFirst() }
    }

    /// A random UUID (RFC 9562, version 4).
    private static var randomIdentifier: String {
        func digits(_ count: Int) -> String {
            let number = UInt64.random(in: 0..<(1 << UInt64(4 * count)))
            let digits = String(number, radix: 16, uppercase: true)
            return String(repeating: "0", count: count - digits.count) + digits
        }
        let variant = ["8", "9", "A", "B"][Int.random(in: 0..<4)]
        return "\(digits(8))-\(digits(4))-4\(digits(3))-\(variant)\(digits(3))-\(digits(12))"
    }
}
