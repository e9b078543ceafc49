// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime
import Synchronization

/// The clock of a sound device, as a smooth map from host time.
///
/// A device counts the frames that it plays, by a crystal of its own that runs some ten to a few
/// hundred parts per million off the host clock's. All that is known of it are *readings*: at host
/// time *h* it had played *n* frames, each late or early by a scheduler's whim or a block. The clock
/// estimates phase and rate from them (`DriftEstimator`), and reads what the estimate says, but
/// continuously: a correction is spread over a second, at a slope that never leaves 1 ± 0.5 % of
/// the estimated rate. So it never jumps, never runs backwards, and advances from one vsync to the
/// next by one vsync, to the microsecond.
///
/// A *run* is a stretch over which the device plays without a break; frame *n* of a run is heard at
/// clock time *offset* + *n* / rate. The first reading of a run ties the run to the clock, not the
/// clock to the run. Readings that are off by more than a slew could make good within seconds mean
/// that the run is not what it was: the device stopped for a while, or is another one. Then, too,
/// the run is tied to the clock anew: the sound skips, and the pictures do not notice. While there
/// are no readings, because sound is paused, moved to another device or broken, the clock goes on
/// at the last rate.
///
/// The clock starts out equal to host time.
///
/// - Concurrency: any thread. Reading takes no lock (a sequence lock, as in `Timebase`); readings
///   are added by one thread of the sink's at a time.
/// - Corresponds to: `CMAudioDeviceClockCreate`.
package final class AudioClock: MediaClock {
    /// The largest slope of a correction.
    package static let maximumSlew = 0.005
    /// How long a small correction takes, in nanoseconds of host time.
    package static let slewDuration = 1e9
    /// The largest error of a reading, in nanoseconds, that is made good by slewing: 30 ms take 6 s.
    package static let grossError = 30e6
    /// The same during the first `settlingReadings` of a run, when a device may still be starting.
    package static let grossErrorWhileSettling = 5e6
    static let settlingReadings = 8
    /// How many gross errors in a row mean a new run; fewer are stray readings.
    static let grossReadings = 3

    private struct State {
        var line = ClockLine()
        var estimator = DriftEstimator()
        /// Clock time of device time 0; nil before the first reading of a run.
        var offset: Int64?
        var readings = 0
        var grossCount = 0
    }
    /// Only sinks take this lock, on one thread at a time.
    private let state = Mutex(State())

    // The published line. The sequence is odd while a write is under way.
    private let sequence = Atomic<UInt64>(0)
    private let hostTime = Atomic<Int64>(0)
    private let clockTime = Atomic<Int64>(0)
    private let slewEnd = Atomic<Int64>(0)
    private let driftBefore = Atomic<UInt64>(0)
    private let driftDuring = Atomic<UInt64>(0)
    private let driftAfter = Atomic<UInt64>(0)

    /// The error of a reading from which on it is gross, while a run settles.
    private let settlingError: Double

    /// A clock that reads host time until readings tell it otherwise.
    ///
    /// - Parameter settles: whether the first readings of a run may be those of a device that is still
    ///   starting; not where they are as uneven later as at first.
    package init(settles: Bool = true) {
        settlingError = settles ? Self.grossErrorWhileSettling : Self.grossError
    }

    package var time: MediaTime {
        MediaTime(nanoseconds: line.time(atHostTime: HostClock.nanoseconds))
    }

    package func time(atHostTime hostTime: MediaTime) -> MediaTime {
        guard let nanoseconds = hostTime.nanoseconds else { return hostTime }
        return MediaTime(nanoseconds: line.time(atHostTime: nanoseconds))
    }

    package func hostTime(at time: MediaTime) -> MediaTime {
        guard let nanoseconds = time.nanoseconds else { return time }
        return MediaTime(nanoseconds: line.hostTime(at: nanoseconds))
    }

    /// The estimated rate of the device against the host clock, minus 1: 1e-6 is 1 part per million.
    package var drift: Double { line.driftAfter }

    /// Says that the device stops, starts, or is exchanged: the next reading belongs to a new run.
    ///
    /// - Parameter isNewDevice: whether the rate learnt so far may not hold for what comes.
    package func beginRun(isNewDevice: Bool = false) {
        state.withLock { state in
            state.offset = nil
            state.readings = 0
            state.grossCount = 0
            if isNewDevice { state.estimator.forgetRate() }
        }
    }

    /// Takes a reading of the run.
    ///
    /// - Parameters:
    ///   - deviceTime: how much of the run had been heard, in nanoseconds: frames by the nominal
    ///     rate.
    ///   - hostTime: when that was, in nanoseconds.
    /// - Returns: the run's offset: what the clock reads when device time 0 of the run is heard. It
    ///   is the same from reading to reading, unless the run had to be tied anew.
    @discardableResult
    package func addReading(deviceTime: Int64, hostTime: Int64) -> Int64 {
        state.withLock { state in
            guard let offset = state.offset else {
                let now = state.line.time(atHostTime: hostTime)
                let offset = now - deviceTime
                state.offset = offset
                state.readings = 1
                state.estimator.begin(hostTime: hostTime, time: now)
                state.line.settle(atHostTime: hostTime)
                publish(state.line)
                return offset
            }
            let error = state.estimator.error(hostTime: hostTime, time: offset + deviceTime)
            let isSettling = state.readings < Self.settlingReadings
            state.readings += 1
            if abs(error) > (isSettling ? settlingError : Self.grossError) {
                state.grossCount += 1
                guard state.grossCount >= Self.grossReadings else { return offset }
                let now = state.line.time(atHostTime: hostTime)
                let newOffset = now - deviceTime
                state.offset = newOffset
                state.readings = 1
                state.grossCount = 0
                state.estimator.begin(hostTime: hostTime, time: now)
                return newOffset
            }
            state.grossCount = 0
            let estimate = state.estimator.update(hostTime: hostTime, time: offset + deviceTime)
            state.line.steer(towards: estimate, atHostTime: hostTime)
            publish(state.line)
            return offset
        }
    }

    private var line: ClockLine {
        while true {
            let before = sequence.load(ordering: .acquiring)
            if before & 1 == 0 {
                let line = ClockLine(
                    hostTime: hostTime.load(ordering: .relaxed),
                    time: clockTime.load(ordering: .relaxed),
                    slewEnd: slewEnd.load(ordering: .relaxed),
                    driftBefore: Double(bitPattern: driftBefore.load(ordering: .relaxed)),
                    driftDuring: Double(bitPattern: driftDuring.load(ordering: .relaxed)),
                    driftAfter: Double(bitPattern: driftAfter.load(ordering: .relaxed)))
                atomicMemoryFence(ordering: .acquiring)
                if sequence.load(ordering: .relaxed) == before { return line }
            }
        }
    }

    /// Writers exclude each other by the lock of `state`.
    private func publish(_ line: ClockLine) {
        sequence.add(1, ordering: .relaxed)
        atomicMemoryFence(ordering: .releasing)
        hostTime.store(line.hostTime, ordering: .relaxed)
        clockTime.store(line.time, ordering: .relaxed)
        slewEnd.store(line.slewEnd, ordering: .relaxed)
        driftBefore.store(line.driftBefore.bitPattern, ordering: .relaxed)
        driftDuring.store(line.driftDuring.bitPattern, ordering: .relaxed)
        driftAfter.store(line.driftAfter.bitPattern, ordering: .relaxed)
        sequence.add(1, ordering: .releasing)
    }
}
