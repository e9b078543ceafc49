// SPDX-License-Identifier: Apache-2.0

import DequeModule
import PlayheadAssets
import PlayheadTime

/// How fast bytes have come in of late, while they were waited for.
///
/// Counts the time that reading has waited, not the time that has passed: a reader that rests because
/// its buffer is full says nothing about the network.
///
/// - Concurrency: a value.
struct TransferRate: Sendable {
    /// Waiting for longer ago than this does not count any more, in nanoseconds.
    static let span: Int64 = 5_000_000_000
    private static let step: Int64 = 100_000_000

    private struct Sample {
        var waited: Int64
        var byteCount: Int64
    }
    private var samples: Deque<Sample> = []

    /// Notes what a transfer has come to.
    ///
    /// - Parameters:
    ///   - waited: nanoseconds that were waited in all, the wait under way included.
    ///   - byteCount: bytes that came in all.
    mutating func note(waited: Int64, byteCount: Int64) {
        let sample = Sample(waited: waited, byteCount: byteCount)
        if samples.isEmpty { samples.append(Sample(waited: 0, byteCount: 0)) }
        if samples.count > 1, waited - samples[samples.count - 2].waited < Self.step {
            samples[samples.count - 1] = sample
        } else {
            samples.append(sample)
        }
        while samples.count > 2, waited - samples[1].waited >= Self.span { samples.removeFirst() }
    }

    /// Infinite where nothing was waited for; nil before anything has come.
    var bytesPerSecond: Double? {
        guard let first = samples.first, let last = samples.last,
            last.byteCount > first.byteCount || last.waited > first.waited
        else { return nil }
        let seconds = Double(last.waited - first.waited) / 1e9
        return seconds > 0 ? Double(last.byteCount - first.byteCount) / seconds : .infinity
    }
}

extension TransferMonitor.Statistics {
    /// Nanoseconds that were waited in all by a time of the monitor's clock.
    func waited(by now: MediaTime) -> Int64 {
        let current = waitingSince.isNumeric ? max(now - waitingSince, .zero) : .zero
        return (waitingTime + current).nanoseconds ?? 0
    }
}
