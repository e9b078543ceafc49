// SPDX-License-Identifier: Apache-2.0

import DequeModule
import PlayheadAssets
import PlayheadTime

/// The recent rate of received bytes, over the time spent waiting for them.
///
/// It counts the time that reading has waited, not the elapsed time: a reader that rests because
/// its buffer is full gives no information about the network.
///
/// - Concurrency: a value.
struct TransferRate: Sendable {
    /// The period, in nanoseconds, whose waiting counts.
    static let span: Int64 = 5_000_000_000
    private static let step: Int64 = 100_000_000

    private struct Sample {
        var waited: Int64
        var byteCount: Int64
    }
    private var samples: Deque<Sample> = []

    /// Adds the totals of a transfer.
    ///
    /// - Parameters:
    ///   - waited: The total waiting time, in nanoseconds, including a wait in progress.
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

    /// The rate; infinite without waiting, nil before any bytes have arrived.
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
