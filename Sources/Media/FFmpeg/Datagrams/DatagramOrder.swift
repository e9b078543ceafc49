// SPDX-License-Identifier: Apache-2.0

/// The order of datagrams with sequence numbers, some of which arrive late, twice or never.
///
/// - Concurrency: a value.
struct DatagramOrder {
    /// The time for which a missing datagram is waited for, in nanoseconds.
    static let patience: Int64 = 50_000_000
    /// The distance between two sequence numbers beyond which a sender has started again.
    private static let longestGap = 1000

    /// The numbers of datagrams that never arrived, and of those that arrived too late or twice.
    private(set) var lostCount = 0
    private(set) var lateCount = 0

    private var expected: UInt16?
    private var waiting: [UInt16: (payload: [UInt8], time: Int64)] = [:]

    /// Adds a datagram that arrives at a time, in nanoseconds.
    mutating func add(_ payload: [UInt8], sequence: UInt16, at time: Int64) {
        var distance = Int(Int16(bitPattern: sequence &- (expected ?? sequence)))
        if abs(distance) > Self.longestGap {
            restart()
            distance = 0
        }
        if expected == nil { expected = sequence }
        guard distance >= 0, waiting[sequence] == nil else {
            lateCount += 1
            return
        }
        waiting[sequence] = (payload, time)
    }

    /// Returns the next datagram; nil if it has not arrived.
    mutating func nextInOrder() -> [UInt8]? { expected.flatMap { take($0) } }

    /// Returns the next datagram; nil if it has not arrived and is still waited for.
    mutating func next(at time: Int64) -> [UInt8]? {
        guard let next = expected, !waiting.isEmpty else { return nil }
        if let payload = take(next) { return payload }
        guard let deadline, time >= deadline else { return nil }
        let distance = waiting.keys.map { $0 &- next }.min() ?? 0
        lostCount += Int(distance)
        return take(next &+ distance)
    }

    /// The time at which a missing datagram counts as lost, in nanoseconds; nil if none is missing.
    var deadline: Int64? { waiting.values.map(\.time).min().map { $0 + Self.patience } }

    /// Forgets everything but the counts, because another sender follows.
    mutating func restart() {
        expected = nil
        waiting = [:]
    }

    private mutating func take(_ sequence: UInt16) -> [UInt8]? {
        guard let (payload, _) = waiting.removeValue(forKey: sequence) else { return nil }
        expected = sequence &+ 1
        return payload
    }
}
