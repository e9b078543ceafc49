// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// A display link without a thread: each call of `tick` is one vsync, on the caller's thread.
///
/// Tests and offline rendering step a film with it, frame by frame, on a `ManualClock` that it
/// moves: during the callback the clock reads the tick's `timestamp`.
///
///     let link = ManualDisplayLink(clock: clock, schedule: VsyncSchedule(vsyncs: 60)) { tick in
///         renderer.draw(forHostTime: tick.targetTimestamp)
///     }
///     for _ in 0..<600 { link.tick() }        // ten seconds, in no time
///
/// - Concurrency: not for sharing: it lives where it is ticked.
public final class ManualDisplayLink {
    private let clock: ManualClock
    private let callback: (DisplayTick) -> Void
    /// The period and phase of the vsyncs that `tick` makes; may be changed between ticks.
    public var schedule: VsyncSchedule
    /// The vsync that the next `tick` is for.
    private var next: Int64

    /// A link whose first vsync is the first one of `schedule` that is not before the clock's time.
    public init(
        clock: ManualClock, schedule: VsyncSchedule, callback: @escaping (DisplayTick) -> Void
    ) {
        self.clock = clock
        self.schedule = schedule
        self.callback = callback
        next = schedule.sequence(atOrBefore: clock.time)
        if schedule.time(of: next) < clock.time { next += 1 }
    }

    /// Moves the clock to the next vsync and calls back.
    ///
    /// - Parameter missed: how many vsyncs go by before, as if the last callback had been slow.
    /// - Returns: the tick that the callback was given.
    @discardableResult
    public func tick(missing missed: Int64 = 0) -> DisplayTick {
        let sequence = next + max(0, missed)
        return tick(
            at: schedule.time(of: sequence), target: schedule.time(of: sequence + 1),
            sequence: sequence)
    }

    /// Moves the clock to `timestamp` and calls back for a vsync at any time: a display of variable
    /// refresh rate.
    ///
    /// - Parameters:
    ///   - target: when what is drawn now will be seen.
    ///   - sequence: the vsync's count; one more than the last one's if nil.
    @discardableResult
    public func tick(
        at timestamp: MediaTime, target: MediaTime, sequence: Int64? = nil
    ) -> DisplayTick {
        let sequence = sequence ?? next
        next = sequence + 1
        clock.advance(to: timestamp)
        let tick = DisplayTick(
            timestamp: timestamp, targetTimestamp: target, duration: target - timestamp,
            sequence: sequence, source: .manual)
        callback(tick)
        return tick
    }
}
