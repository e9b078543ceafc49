// SPDX-License-Identifier: Apache-2.0

import Glibc
public import PlayheadTime
import Synchronization

/// A simulated display, with vsyncs at any rate. The vsyncs occur in real time, or as fast as they
/// are requested.
///
/// If the display uses the host clock, a timer produces its vsyncs. This is for playing without a
/// window, and for window systems that do not report vsyncs. If the display moves a `ManualClock`,
/// it never waits: waiting for a vsync moves the clock to that vsync. A link to such a display runs
/// a video as fast as it can be drawn, with the same times in every run.
///
///     let clock = ManualClock()
///     let display = SimulatedDisplay(schedule: VsyncSchedule(vsyncs: 60000, inSeconds: 1001),
///                                    driving: clock)
///
/// Faults can be added with a seeded generator: jitter in the reported times, which then have to be
/// estimated as on a real display, and vsyncs that are not reported.
///
/// - Concurrency: see `VsyncSource`.
public final class SimulatedDisplay: VsyncSource {
    /// The faults of a simulated display.
    public struct Faults: Sendable, Hashable {
        /// The maximum deviation of reported times from the true ones, in both directions.
        public var jitter: MediaTime
        /// The fraction of vsyncs that are not reported, 0 ..< 1.
        public var missed: Double
        /// The seed of the generator. The same seed gives the same faults.
        package var seed: UInt64

        /// No faults: every vsync is reported at its time.
        public static let none = Faults()

        package init(jitter: MediaTime = .zero, missed: Double = 0, seed: UInt64 = 0) {
            self.jitter = jitter
            self.missed = missed
            self.seed = seed
        }
    }

    private let plan: VsyncSchedule
    private let faults: Faults
    /// The clock that the display moves; nil if it uses the host clock.
    private let drivenClock: ManualClock?
    private let isStopped = Atomic<Bool>(false)
    /// The last vsync that was reported; .min before the first one. Only the link's thread writes
    /// it.
    private let last = Atomic<Int64>(.min)

    /// Creates a display in real time.
    public convenience init(schedule: VsyncSchedule, faults: Faults = .none) {
        self.init(schedule, faults, driving: nil)
    }

    /// Creates a display whose vsyncs move `clock` and take no real time.
    public convenience init(
        schedule: VsyncSchedule, driving clock: ManualClock, faults: Faults = .none
    ) {
        self.init(schedule, faults, driving: clock)
    }

    private init(_ schedule: VsyncSchedule, _ faults: Faults, driving clock: ManualClock?) {
        precondition(
            (0..<1).contains(faults.missed), "the share of missed vsyncs must be from 0 to below 1")
        plan = schedule
        self.faults = faults
        drivenClock = clock
    }

    /// The period of the schedule.
    public var nominalPeriod: MediaTime { plan.period }
    /// The schedule; nil if the reported times have jitter.
    public var schedule: VsyncSchedule? { faults.jitter > .zero ? nil : plan }

    /// Waits for the next vsync, or moves the clock to it.
    public func waitForVsync() -> VsyncEvent? {
        if isStopped.load(ordering: .acquiring) { return nil }
        let now = drivenClock?.time ?? HostClock.shared.time
        let previous = last.load(ordering: .relaxed)
        let passed = plan.sequence(atOrBefore: now)
        var sequence = previous == .min ? passed + 1 : max(passed, previous + 1)
        while random(sequence, salt: 1) < faults.missed { sequence += 1 }
        if sequence > passed { wait(until: plan.time(of: sequence)) }
        if isStopped.load(ordering: .acquiring) { return nil }
        last.store(sequence, ordering: .relaxed)
        return VsyncEvent(
            hostTime: reportedTime(of: sequence), sequence: sequence,
            source: drivenClock == nil ? .timer : .simulated)
    }

    /// Ends the display. On the host clock, a wait that is in progress lasts until the next vsync.
    public func stop() { isStopped.store(true, ordering: .releasing) }

    private func wait(until time: MediaTime) {
        if let drivenClock {
            drivenClock.advance(to: time)
            return
        }
        guard let nanoseconds = time.nanoseconds else { return }
        var deadline = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nil) == EINTR {}
    }

    private func reportedTime(of sequence: Int64) -> MediaTime {
        let time = plan.time(of: sequence)
        guard faults.jitter > .zero else { return time }
        let offset = faults.jitter * (2 * random(sequence, salt: 2) - 1)
        return MediaTime(nanoseconds: (time + offset).nanoseconds ?? 0)
    }

    /// Returns a number in 0 ..< 1 that depends only on the seed and the vsync (SplitMix64).
    private func random(_ sequence: Int64, salt: UInt64) -> Double {
        var z = faults.seed &+ UInt64(bitPattern: sequence) &* 0x9E37_79B9_7F4A_7C15
        z = (z ^ (z >> 30) ^ salt) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((z ^ (z >> 31)) >> 11) * 0x1p-53
    }
}
