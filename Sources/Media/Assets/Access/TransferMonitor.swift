// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime
import Synchronization

/// How the bytes of an asset come in, as they do: for showing that a film is being loaded, and how
/// fast.
///
/// - Concurrency: any thread; takes a lock for a few additions.
/// - Corresponds to: `AVPlayerItemAccessLogEvent`.
public final class TransferMonitor: Sendable {
    public struct Statistics: Sendable, Hashable {
        /// Files and addresses that were opened.
        public var openCount = 0
        public var byteCount: Int64 = 0
        /// How long reading has waited for bytes in all, that wait not included which is under way.
        public var waitingTime = MediaTime.zero
        /// Since when, in host time, a read has been waiting; `invalid` while none does.
        public var waitingSince = MediaTime.invalid

        public init() {}

        /// Bits a second while reading waited for them; 0 before anything was read.
        public var observedBitRate: Double {
            let seconds = waitingTime.seconds
            return seconds > 0 ? Double(byteCount) * 8 / seconds : 0
        }
    }

    private struct State {
        var openCount = 0
        var byteCount: Int64 = 0
        /// Nanoseconds.
        var waited: Int64 = 0
        var since: Int64?
    }

    private let state = Mutex(State())

    public init() {}

    public var statistics: Statistics {
        state.withLock { state in
            var statistics = Statistics()
            statistics.openCount = state.openCount
            statistics.byteCount = state.byteCount
            statistics.waitingTime = MediaTime(nanoseconds: state.waited)
            statistics.waitingSince = state.since.map { MediaTime(nanoseconds: $0) } ?? .invalid
            return statistics
        }
    }

    /// Calls a function that opens something or reads, on the one thread that reads the asset.
    package func wait<Result>(
        opens: Int = 0, byteCount: (Result) -> Int = { _ in 0 },
        for body: () throws(MediaError) -> Result
    ) throws(MediaError) -> Result {
        let start = HostClock.nanoseconds
        state.withLock { $0.since = start }
        defer {
            let end = HostClock.nanoseconds
            state.withLock {
                $0.since = nil
                $0.waited += end - start
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
}
