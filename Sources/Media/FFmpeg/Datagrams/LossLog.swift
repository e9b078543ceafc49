// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// A writer of the losses of a live source into the log of its transfer, at most once a second.
///
/// - Concurrency: a value.
struct LossLog {
    private let subject: String
    /// The kind of the packets, such as `RTP`.
    private let kind: String
    private let transfer: TransferMonitor
    /// The number of losses in the log, and the host time of the last entry, in nanoseconds.
    private var logged = (count: 0, time: Int64.min)

    private static let interval: Int64 = 1_000_000_000

    init(_ subject: String, kind: String, transfer: TransferMonitor) {
        (self.subject, self.kind, self.transfer) = (subject, kind, transfer)
    }

    /// Records the number of all packets that have been lost so far.
    mutating func note(_ total: Int, at now: Int64 = HostClock.nanoseconds) {
        guard total > logged.count, logged.time == .min || now - logged.time >= Self.interval
        else { return }
        let count = total - logged.count
        logged = (total, now)
        transfer.noteFailure(
            MediaError(
                .damaged, subject: subject, cause: "\(count) \(kind) packets were lost",
                remedy: "check the network"), uri: subject)
    }
}
