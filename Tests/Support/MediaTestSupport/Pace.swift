// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads
import PlayheadTime

/// How a `LoopbackServer` hands out a file: so many bytes a second, as far as it is told to, and not
/// while it is held.
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
        /// Until when, in nanoseconds of host time, what has been sent takes.
        var busyUntil: Int64 = 0
        /// The connections that wait for `end` to be moved.
        var waitingCount = 0
    }
    private let state: Monitor<State>
    private let bytesPerSecond: Double

    /// What is sent at once.
    private static let partSize = 4096
    /// How much lateness of this thread is made up for, in nanoseconds.
    private static let slack: Int64 = 100_000_000

    /// - Parameter end: the offset in the file at which the server waits to be told to go on.
    public init(bytesPerSecond: Double = .infinity, end: Int = .max) {
        self.bytesPerSecond = bytesPerSecond
        state = Monitor(State(end: end))
    }

    /// Sends nothing until `release`.
    public func hold() { state.change { $0.isHeld = true } }
    public func release() { state.change { $0.isHeld = false } }

    /// Goes on up to an offset in the file.
    public func allow(upTo end: Int) { state.change { $0.end = max($0.end, end) } }

    /// The offset at which the server waits to be told to go on.
    public var end: Int { state.withLock { $0.end } }

    /// Whether all has been sent that may be.
    public var isWaiting: Bool { state.withLock { $0.waitingCount > 0 } }

    func stop() { state.change { $0.isEnded = true } }

    /// Waits until something may be sent that begins at an offset; gives how much, 0 when it is over.
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
