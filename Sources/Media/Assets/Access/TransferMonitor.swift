// SPDX-License-Identifier: Apache-2.0

import Glibc
package import PlayheadTime
import Synchronization

/// A monitor of the transfer of an asset's data, updated as bytes arrive. A player uses it to show
/// that media is being loaded, and how fast, and to avoid playing faster than media arrives.
///
/// - Concurrency: any thread; holds a lock only while it updates counters.
/// - Corresponds to: `AVPlayerItemAccessLogEvent`.
package final class TransferMonitor: Sendable {
    /// The totals of a transfer so far.
    package struct Statistics: Sendable, Hashable {
        /// The number of files and addresses that were opened.
        package var openCount = 0
        package var byteCount: Int64 = 0
        /// The total time that reading has waited for bytes, excluding a wait in progress.
        package var waitingTime = MediaTime.zero
        /// The time, by the monitor's clock, since which a read has been waiting for bytes;
        /// `invalid` if no read is waiting.
        package var waitingSince = MediaTime.invalid

        package init() {}

        /// The bit rate in bits per second, measured while reading waited for data; 0 before the
        /// first read.
        package var observedBitRate: Double {
            let seconds = waitingTime.seconds
            return seconds > 0 ? Double(byteCount) * 8 / seconds : 0
        }
    }

    private struct State {
        var openCount = 0
        var byteCount: Int64 = 0
        /// The time that reading has waited so far, in nanoseconds.
        var waited: Int64 = 0
        var since: Int64?
        var isNetwork: Bool
        var log = TransferLog()
    }

    /// The clock that measures waits.
    package let clock: any MediaClock
    private let state: Mutex<State>

    /// The duration of a single read above which a source that is not a network counts as slow, in
    /// nanoseconds. Even on a busy machine, a read from a fast source takes less time.
    private static let longWait: Int64 = 250_000_000

    /// Creates a monitor.
    ///
    /// - Parameters:
    ///   - clock: The clock that measures waiting; a manual clock for simulated sources.
    ///   - isNetwork: A Boolean value that indicates whether the data comes from a network. It can
    ///     be set later with `noteNetwork()`.
    package init(clock: any MediaClock = HostClock.shared, isNetwork: Bool = false) {
        self.clock = clock
        state = Mutex(State(isNetwork: isNetwork))
    }

    /// The totals of the transfer so far. They can be read on any thread.
    package var statistics: Statistics {
        state.withLock { state in
            var statistics = Statistics()
            statistics.openCount = state.openCount
            statistics.byteCount = state.byteCount
            statistics.waitingTime = MediaTime(nanoseconds: state.waited)
            statistics.waitingSince = state.since.map { MediaTime(nanoseconds: $0) } ?? .invalid
            return statistics
        }
    }

    /// A Boolean value that indicates whether bytes may arrive more slowly than they are needed.
    /// The property is always true for a network. For other sources, it is true while a read has
    /// been waiting for at least `longWait`.
    package var isSlow: Bool {
        let now = clock.time.nanoseconds ?? 0
        return state.withLock { state in
            state.isNetwork || state.since.map { now - $0 >= Self.longWait } ?? false
        }
    }

    /// Records that the data comes from a network.
    package func noteNetwork() { state.withLock { $0.isNetwork = true } }

    /// Calls a function that opens or reads, and records how long the function waited and how many
    /// bytes it read. Call this method only on the thread that reads the asset.
    package func wait<Result>(
        opens: Int = 0, byteCount: (Result) -> Int = { _ in 0 },
        for body: () throws(MediaError) -> Result
    ) throws(MediaError) -> Result {
        let start = clock.time.nanoseconds ?? 0
        state.withLock { $0.since = start }
        defer {
            let end = clock.time.nanoseconds ?? start
            state.withLock {
                $0.since = nil
                $0.waited += end - start
                $0.log.addWait(end - start)
            }
        }
        let result = try body()
        let count = byteCount(result)
        state.withLock {
            $0.openCount += opens
            $0.byteCount += Int64(count)
        }
        return result
    }

    // MARK: - Log

    /// The log of the transfer. It is empty if nothing was requested from a server.
    package var log: TransferLog { state.withLock { $0.log } }

    /// The number of entries and failures in the log so far.
    package var logCount: Int { state.withLock { $0.log.entryCount + $0.log.failureCount } }

    /// Records a request that a server has answered.
    package func noteRequest(_ uri: String, serverAddress: String?) {
        let date = Self.date
        state.withLock { $0.log.addRequest(uri, serverAddress: serverAddress, at: date) }
    }

    /// Records bytes that a server has sent.
    package func noteBytes(_ count: Int) { state.withLock { $0.log.addBytes(count) } }

    /// Records a segment that has been read; see `TransferRates.add`.
    package func noteSegment(byteCount: Int64, waited: Int64, duration: Int64?) {
        state.withLock {
            $0.log.addSegment(byteCount: byteCount, waited: waited, duration: duration)
        }
    }

    /// Records a packet that was read, with its duration in nanoseconds.
    package func noteMedia(_ type: MediaType, byteCount: Int, duration: Int64) {
        state.withLock { $0.log.addMedia(type, byteCount: byteCount, duration: duration) }
    }

    /// Records the variant that is read first, or the next one.
    package func noteVariant(
        _ uri: String, bitRate: Int?, averageBitRate: Int?, isFirst: Bool
    ) {
        let date = Self.date
        state.withLock { state in
            if isFirst {
                state.log.describe(uri, bitRate: bitRate, averageBitRate: averageBitRate)
            } else {
                state.log.begin(
                    uri, bitRate: bitRate, averageBitRate: averageBitRate, at: date)
            }
        }
    }

    /// Records a file or an address that could not be opened.
    package func noteFailure(_ error: MediaError, uri: String) {
        let date = Self.date
        state.withLock { $0.log.addFailure(error, uri: uri, at: date) }
    }

    /// The current time, in seconds since 1970.
    package static var date: Double {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }
}
