// SPDX-License-Identifier: Apache-2.0

/// The rule for the times of a screen's frames: they are no more frequent than the rate, and if
/// nothing is drawn, the last frame is due again.
///
/// Two frames are at least half a period apart. The other half makes up for a frame that was late,
/// so that the rate is kept on average.
///
/// - Concurrency: a value; any thread.
struct FramePacer: Sendable {
    private let period: Int64
    private var next: Int64?
    private var lastDelivery: Int64?

    /// The interval at which an unchanged frame is delivered again, in nanoseconds.
    private static let repetition: Int64 = 1_000_000_000

    /// Creates a pacer before the first frame, which is due at any time.
    ///
    /// - Parameter period: The duration of a frame, in nanoseconds.
    init(periodNanoseconds period: Int64) { self.period = period }

    /// The earliest time of the next frame, in nanoseconds.
    var nextTime: Int64 { next ?? 0 }

    /// The time at which the last frame is due again, in nanoseconds; nil before the first frame.
    var repetitionTime: Int64? { lastDelivery.map { $0 + max(Self.repetition, period) } }

    /// Returns whether a frame may have the given time, in nanoseconds.
    func isDue(at time: Int64) -> Bool { time >= nextTime }

    /// Records a frame, which is new or the last one again.
    ///
    /// - Parameters:
    ///   - time: The time of the frame, in nanoseconds.
    ///   - now: The time at which it is delivered, in nanoseconds.
    mutating func note(_ time: Int64, deliveredAt now: Int64) {
        next = max((next ?? time) + period, time + period / 2)
        lastDelivery = now
    }
}
