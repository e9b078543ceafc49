// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads
import PlayheadTime

/// The pace of a `LoopbackServer`: a number of bytes per second, up to an offset, with pauses.
///
///     let pace = Pace(bytesPerSecond: 100_000)
///     let server = try LoopbackServer { _ in .paced(film, pace) }
///     pace.hold()      // an outage
///     pace.release()
///
/// - Concurrency: any thread.
public final class Pace: Sendable {
    private struct State {
        var end: Int
        var isHeld = false
        var isEnded = false
        /// The host time until which the data sent so far takes, in nanoseconds.
        var busyUntil: Int64 = 0
        /// The connections that wait for `end` to be moved.
        var waitingCount = 0
    }
    private let state: Monitor<State>
    private let bytesPerSecond: Double

    /// The number of bytes that are sent at once.
    private static let partSize = 4096
    /// The maximum delay of this thread that is compensated, in nanoseconds.
    private static let slack: Int64 = 100_000_000

    /// Creates a pace.
    ///
    /// - Parameter end: The offset in the file at which the server waits for `allow`.
    public init(bytesPerSecond: Double = .infinity, end: Int = .max) {
        self.bytesPerSecond = bytesPerSecond
        state = Monitor(State(end: end))
    }

    /// Pauses until `release`.
    public func hold() { state.change { $0.isHeld = true } }
    public func release() { state.change { $0.isHeld = false } }

    /// Allows sending up to an offset in the file.
    public func allow(upTo end: Int) { state.change { $0.end = max($0.end, end) } }

    /// The offset at which the server waits for `allow`.
    public var end: Int { state.withLock { $0.end } }

    /// A Boolean value that indicates whether everything that is allowed has been sent.
    public var isWaiting: Bool { state.withLock { $0.waitingCount > 0 } }

    func stop() { state.change { $0.isEnded = true } }

    /// Waits until data at an offset may be sent. Returns the number of bytes, 0 at the end.
    func next(at offset: Int, of count: Int) -> Int {
        state.change { $0.waitingCount += offset >= $0.end ? 1 : 0 }
        let isStopped = state.wait { state -> Bool? in
            if state.isEnded { return true }
            return state.isHeld || offset >= state.end ? nil : false
        }
        state.change { $0.waitingCount = 0 }
        if isStopped { return 0 }
        let (part, until) = state.withLock { state in
            let part = min(count, Self.partSize, state.end - offset)
            let start = max(state.busyUntil, HostClock.nanoseconds - Self.slack)
            state.busyUntil = start + Int64(Double(part) / bytesPerSecond * 1e9)
            return (part, state.busyUntil)
        }
        let isOver = state.wait(nanoseconds: until - HostClock.nanoseconds) { state -> Bool? in
            state.isEnded ? true : nil
        }
        return isOver == true ? 0 : part
    }
}
