// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// A display link without a thread. Each call of `tick` is a vsync, on the thread of the caller.
///
/// Tests and offline rendering use it to advance a video frame by frame, on a `ManualClock` that
/// the link moves. During the callback, the clock reads the `timestamp` of the tick.
///
///     let link = ManualDisplayLink(clock: clock, schedule: VsyncSchedule(vsyncs: 60)) { tick in
///         _ = renderer.render(scene, hostTime: tick.targetTimestamp, into: target)
///     }
///     for _ in 0..<600 { link.tick() }        // ten seconds, in no time
///
/// - Concurrency: not Sendable. Use it on the thread that calls `tick`.
public final class ManualDisplayLink {
    private let clock: ManualClock
    private let callback: (DisplayTick) -> Void
    /// The period and the phase of the vsyncs that `tick` produces. They can be changed between
    /// ticks.
    package var schedule: VsyncSchedule {
        didSet {
            // The time and the number continue with the first vsync of the new schedule that has
            // not passed.
            let sequence = next + offset
            next = Self.firstVsync(of: schedule, from: clock.time)
            // The clock has a resolution of one nanosecond, but a vsync can be between two
            // nanoseconds.
            if hasTicked, schedule.time(of: next) - clock.time < MediaTime(nanoseconds: 2) {
                next += 1
            }
            offset = sequence - next
        }
    }
    /// The number that the vsync of the next `tick` has in the schedule.
    private var next: Int64
    /// The difference between the `sequence` of a tick and the number of its vsync in the schedule.
    private var offset: Int64 = 0
    private var hasTicked = false

    /// Creates a link. Its first vsync is the first one in `schedule` that is not before the
    /// clock's time.
    public init(
        clock: ManualClock, schedule: VsyncSchedule, callback: @escaping (DisplayTick) -> Void
    ) {
        self.clock = clock
        self.schedule = schedule
        self.callback = callback
        next = Self.firstVsync(of: schedule, from: clock.time)
    }

    private static func firstVsync(of schedule: VsyncSchedule, from time: MediaTime) -> Int64 {
        let sequence = schedule.sequence(atOrBefore: time)
        return schedule.time(of: sequence) < time ? sequence + 1 : sequence
    }

    /// Moves the clock to the next vsync and calls the callback.
    ///
    /// - Parameter missed: The number of vsyncs to skip first, as a slow callback would.
    /// - Returns: The tick that the callback received.
    @discardableResult
    public func tick(missing missed: Int64 = 0) -> DisplayTick {
        let sequence = next + max(0, missed)
        return tick(
            at: schedule.time(of: sequence), target: schedule.time(of: sequence + 1),
            sequence: sequence + offset)
    }

    /// Moves the clock to `timestamp` and calls the callback. The vsync can be at any time, as on a
    /// display with a variable refresh rate.
    ///
    /// - Parameters:
    ///   - target: The time at which the frame that is drawn now will be visible.
    ///   - sequence: The number of the vsync; nil for the number after the last one.
    @discardableResult
    package func tick(
        at timestamp: MediaTime, target: MediaTime, sequence: Int64? = nil
    ) -> DisplayTick {
        let sequence = sequence ?? next + offset
        next = sequence + 1 - offset
        hasTicked = true
        clock.advance(to: timestamp)
        let tick = DisplayTick(
            timestamp: timestamp, targetTimestamp: target, duration: target - timestamp,
            sequence: sequence, source: .manual)
        callback(tick)
        return tick
    }
}
