// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime
import Synchronization

/// The clock of an audio device, as a smooth function of host time.
///
/// A device counts the frames that it plays with its own crystal, whose frequency differs from the
/// host clock by ten to a few hundred parts per million. The device is known only through
/// *readings*: at host time *h* it had played *n* frames. Each reading is late or early because of
/// scheduling jitter or the block size. The clock estimates phase and rate from the readings
/// (`DriftEstimator`) and follows the estimate continuously. A small correction is spread over a
/// second. A larger one takes longer, because during a correction the clock's rate differs from the
/// estimated rate by at most 0.5 %. The clock never jumps or runs backwards, and from vsync to
/// vsync it advances by one vsync interval, to the microsecond.
///
/// A *run* is an interval over which the device plays without a break. Frame *n* of a run is heard
/// at clock time *offset* + *n* / rate. The first reading of a run anchors the run to the clock, so
/// the clock itself does not change. If readings have an error that slewing could not correct
/// within seconds, the run was broken: the device stopped for a while, or was replaced. The run is
/// then anchored to the clock again; the audio skips, and the video is not affected. If there are
/// no readings, because audio is paused, moved to another device or broken, the clock continues at
/// the last rate.
///
/// The clock is initially equal to host time.
///
/// - Concurrency: any thread. Reading takes no lock (it uses a sequence lock, as in `Timebase`).
///   Readings are added by one thread of the sink at a time.
/// - Corresponds to: `CMAudioDeviceClockCreate`.
package final class AudioClock: MediaClock {
    /// The largest difference between the clock's rate during a correction and the estimated rate.
    package static let maximumSlew = 0.005
    /// The duration over which a small correction is spread, in nanoseconds of host time.
    package static let slewDuration = 1e9
    /// The largest error of a reading, in nanoseconds, that slewing corrects. At this error,
    /// slewing takes 6 s.
    package static let grossError = 30e6
    /// The value that replaces `grossError` during the first `settlingReadings` of a run, when a
    /// device may still be starting.
    package static let grossErrorWhileSettling = 5e6
    static let settlingReadings = 8
    /// The number of consecutive gross errors that start a new run. Fewer gross errors count as
    /// stray readings.
    static let grossReadings = 3

    private struct State {
        var line = ClockLine()
        var estimator = DriftEstimator()
        /// The clock time of device time 0; nil before the first reading of a run.
        var offset: Int64?
        var readings = 0
        var grossCount = 0
    }
    /// A lock that only sinks take, on one thread at a time.
    private let state = Mutex(State())

    // The published line. The sequence number is odd during a write.
    private let sequence = Atomic<UInt64>(0)
    private let hostTime = Atomic<Int64>(0)
    private let clockTime = Atomic<Int64>(0)
    private let slewEnd = Atomic<Int64>(0)
    private let driftBefore = Atomic<UInt64>(0)
    private let driftDuring = Atomic<UInt64>(0)
    private let driftAfter = Atomic<UInt64>(0)

    /// The error above which a reading counts as a gross error while a run settles.
    private let settlingError: Double

    /// Creates a clock that reads host time until the first readings.
    ///
    /// - Parameter settles: A Boolean value that indicates whether the first readings of a run may
    ///   come from a device that is still starting. Pass false if later readings are as uneven as
    ///   the first readings.
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

    /// The estimated rate of the device relative to the host clock, minus 1. A value of 1e-6 is 1
    /// part per million.
    package var drift: Double { line.driftAfter }

    /// Begins a new run at the next reading, because the device stops, starts or is replaced.
    ///
    /// - Parameter isNewDevice: A Boolean value that indicates whether the estimated rate may not
    ///   apply to the following readings.
    package func beginRun(isNewDevice: Bool = false) {
        state.withLock { state in
            state.offset = nil
            state.readings = 0
            state.grossCount = 0
            if isNewDevice { state.estimator.forgetRate() }
        }
    }

    /// Adds a reading of the run.
    ///
    /// - Parameters:
    ///   - deviceTime: The duration for which the run had been heard at that time, in nanoseconds:
    ///     the number of frames divided by the nominal rate.
    ///   - hostTime: The host time of the reading, in nanoseconds.
    /// - Returns: The offset of the run: the clock time at which device time 0 of the run is heard.
    ///   The offset is constant unless the run had to be anchored again.
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

    /// Publishes the line to readers. The lock of `state` serialises the writers.
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
