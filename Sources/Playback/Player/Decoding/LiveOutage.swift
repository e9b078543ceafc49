// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// An outage of a live stream: its server fails or does not answer, and may come back.
///
/// - Concurrency: a value, on the demuxing thread.
struct LiveOutage {
    /// The time between two attempts to continue, in nanoseconds.
    static let interval: Int64 = 1_000_000_000
    /// The duration of an outage after which the stream counts as lost, in nanoseconds.
    private static let limit: Int64 = 60_000_000_000

    /// The host time of the first failure, in nanoseconds; nil while packets arrive.
    private var start: Int64?
    /// A Boolean value that indicates whether the demuxer must resume before it reads on.
    private(set) var mustResume = false

    /// A Boolean value that indicates whether no packet has been read since the last failure.
    var isKnown: Bool { start != nil }

    /// Handles an error.
    ///
    /// - Returns: A Boolean value that indicates whether another attempt follows.
    mutating func note(_ error: MediaError, of demuxer: any Demuxer) -> Bool {
        let window = demuxer.liveMonitor?.window
        guard demuxer.canResume || window.map({ !$0.hasEnded && !$0.isFile }) ?? false else {
            return false
        }
        switch error.code {
        case .cannotOpen, .timedOut, .damaged: break
        default: return false
        }
        let now = HostClock.nanoseconds
        let start = start ?? now
        self.start = start
        mustResume = now - start < Self.limit
        return mustResume
    }

    /// Records that the demuxer is at another position, or has resumed.
    mutating func noteMove() { mustResume = false }

    /// Records that a packet was read.
    mutating func noteProgress() {
        start = nil
        mustResume = false
    }
}
