// SPDX-License-Identifier: Apache-2.0

import DequeModule
import PlayheadAssets
import PlayheadTime

/// The rate at which bytes were recently received, relative to the time that was spent waiting for
/// them.
///
/// It uses the time for which reading has waited, and not the elapsed time, because a reader that
/// pauses when its buffer is full gives no information about the network.
///
/// - Concurrency: a value.
struct TransferRate: Sendable {
    /// The period, in nanoseconds, over which the rate is measured.
    static let span: Int64 = 5_000_000_000
    private static let step: Int64 = 100_000_000

    private struct Sample {
        var waited: Int64
        var byteCount: Int64
    }
    private var samples: Deque<Sample> = []

    /// Adds a measurement of the totals of a transfer.
    ///
    /// - Parameters:
    ///   - waited: The total waiting time, in nanoseconds. It includes a wait that is in progress.
    ///   - byteCount: The total number of bytes received.
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

    /// The rate in bytes per second. It is infinite if there was no waiting, and nil before any
    /// bytes have arrived.
    var bytesPerSecond: Double? {
        guard let first = samples.first, let last = samples.last,
            last.byteCount > first.byteCount || last.waited > first.waited
        else { return nil }
        let seconds = Double(last.waited - first.waited) / 1e9
        return seconds > 0 ? Double(last.byteCount - first.byteCount) / seconds : .infinity
    }
}

extension TransferMonitor.Statistics {
    /// Returns the total waiting time, in nanoseconds, at a time of the monitor's clock.
    func waited(by now: MediaTime) -> Int64 {
        let current = waitingSince.isNumeric ? max(now - waitingSince, .zero) : .zero
        return (waitingTime + current).nanoseconds ?? 0
    }
}
