// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
package import PlayheadStretching
import PlayheadThreads
package import PlayheadTime
import Synchronization

/// A renderer that plays decoded audio in step with a timebase.
///
/// The renderer follows the timebase. When the sink requests the frames that will be heard at a
/// time of its clock, the renderer converts that time to item time with the timebase and delivers
/// exactly those samples. It delivers silence before the time at which playback is set to start. If
/// it is behind, after an underrun or a start in the past, it continues with the sample that is
/// due. Play, pause, seek and `setRate(_:time:atMasterTime:)` are therefore calls to the timebase
/// alone, and audio and video stay together, because both follow the same timebase. If the sink's
/// clock is the timebase's master, every sample is delivered once, in order, without stretching.
///
/// At rates other than 1, `timePitchAlgorithm` determines whether the pitch is kept or follows the
/// rate. At rates that the algorithm does not support, there is silence. The rate is applied within
/// `render`, so a change is audible at once.
///
/// At negative rates, the renderer plays audio that was enqueued in reverse order, after
/// `flush(isReversed: true)`. The time of such a buffer is the negated item time at which its first
/// sample begins to be heard, which is where that sample ends in the item. Times on this reversed
/// timeline increase, so that everything else is the same in both directions.
///
/// A typical start: call `enqueue` until the ring is full, then `resume()`, then set the timebase's
/// rate with an anchor `sink.latency` in the future.
///
/// - Concurrency: any thread; enqueueing and flushing exclude each other. The sink calls `render`,
///   which does not lock, allocate or wait.
/// - Ownership: until `invalidate()`, the renderer retains the sink and the timebase, and the sink
///   retains the renderer.
/// - Corresponds to: `AVSampleBufferAudioRenderer`.
package final class AudioRenderer: AudioSource, @unchecked Sendable {
    // Unchecked: `callback` is touched only by the sink's thread, within `render`; everything else
    // is constant, atomic or locked internally.

    /// The sink that plays the audio.
    package let sink: any AudioSink
    /// The timeline that the renderer follows.
    package let timebase: Timebase
    /// The required format of buffers, which is the format of the sink.
    package let format: AudioFormat

    let ring: AudioRingBuffer
    let clock: any MediaClock
    /// The underrun count of the sink when this renderer was created.
    private let earlierDeviceUnderruns: Int
    let counters = AudioCounters()
    let targetGain = Atomic<UInt32>(Float(1).bitPattern)
    /// The item time of the end, in nanoseconds; `Int64.max` if no end is set.
    let end = Atomic<Int64>(.max)
    /// The item time of the end of reverse playback, in nanoseconds; `Int64.max` if no end is set.
    let reverseEnd = Atomic<Int64>(.max)
    /// The item time of the start, in nanoseconds; `Int64.min` if no start is set.
    let start = Atomic<Int64>(.min)
    var callback: CallbackState
    /// The magnitude of the rate of the last delivered frames.
    let heardRate = Atomic<UInt64>((1.0).bitPattern)
    /// The processing of the item's audio in the callback; nil without a mix.
    let mix = RealTimeReference<MixProgram>()
    let parameters = Mutex<AudioMixInputParameters?>(nil)
    /// The clock that measures how long taps take; nil for the host clock.
    let stopwatch: (any MediaClock)?
    let hasStopwatch: Bool

    private let enqueuesReversed = Atomic<Bool>(false)
    private let pitchAlgorithm = Atomic<UInt8>(AudioTimePitchAlgorithm.timeDomain.rawValue)

    private struct Level {
        var volume: Float = 1
        var isMuted = false
    }
    private let level = Mutex(Level())
    /// The number of times that a writer was asked to check again. The sink's callback does not
    /// touch it.
    private let wakeUps = Monitor(0)

    /// Returns the duration of delivered audio that stays available so that it can be delivered
    /// again after a pause, in seconds of the item. It is longer than the audio that the sink
    /// requests ahead.
    private static func historySeconds(ahead latency: MediaTime, rate: Double = 1) -> Double {
        let seconds = (latency.seconds + 0.2) * max(1, rate)
        return seconds.isFinite ? max(0.5, seconds) : 0.5
    }

    /// Creates a renderer and connects it to `sink`, which stays paused.
    ///
    /// - Parameters:
    ///   - timebase: The timeline to follow; its master is usually the sink's clock.
    ///   - bufferSeconds: The duration of audio that the ring holds ahead of the playhead.
    ///   - onStatusChange: Called on a thread of the sink after the sink's status has changed.
    package convenience init(
        sink: any AudioSink, timebase: Timebase, bufferSeconds: Double = 1,
        onStatusChange: @escaping @Sendable () -> Void = {}
    ) {
        self.init(
            sink: sink, timebase: timebase, bufferSeconds: bufferSeconds, stopwatch: nil,
            onStatusChange: onStatusChange)
    }

    /// Creates a renderer.
    ///
    /// - Parameter stopwatch: The clock that measures how long taps take; nil for the host clock.
    init(
        sink: any AudioSink, timebase: Timebase, bufferSeconds: Double,
        stopwatch: (any MediaClock)?, onStatusChange: @escaping @Sendable () -> Void = {}
    ) {
        self.sink = sink
        self.stopwatch = stopwatch
        hasStopwatch = stopwatch != nil
        self.timebase = timebase
        format = sink.format
        clock = sink.clock
        earlierDeviceUnderruns = sink.underruns
        let rate = Double(format.sampleRate)
        ring = AudioRingBuffer(
            format: format, frames: Int(max(0.1, bufferSeconds) * rate),
            historyFrames: Int(Self.historySeconds(ahead: sink.latency) * rate))
        callback = CallbackState(
            sampleRate: format.sampleRate, channelCount: format.channelCount)
        sink.start(self, onStatusChange: onStatusChange)
    }

    /// Disconnects from the sink permanently.
    package func invalidate() {
        sink.stop()
        mix.exchange(with: nil)
        wakeWriter()
    }

    /// Resumes the sink. The timebase decides which audio is heard.
    package func resume() { sink.resume() }

    /// Pauses the sink at once. Audio that the sink took but did not play is delivered again after
    /// `resume()`, when the timebase requires it.
    package func pause() { sink.pause() }

    /// The volume as a factor on the samples; 1 by default. A change takes 10 ms, which prevents a
    /// click. If the volume is above 1, peaks are rounded off rather than clipped.
    package var volume: Float {
        get { level.withLock { $0.volume } }
        set { setLevel { $0.volume = newValue.isFinite ? max(0, newValue) : 1 } }
    }

    /// A Boolean value that indicates whether the audio is muted. A change takes 10 ms, like a
    /// change of the volume.
    package var isMuted: Bool {
        get { level.withLock { $0.isMuted } }
        set { setLevel { $0.isMuted = newValue } }
    }

    private func setLevel(_ change: (inout Level) -> Void) {
        level.withLock { level in
            change(&level)
            let gain = level.isMuted ? 0 : level.volume
            targetGain.store(gain.bitPattern, ordering: .relaxed)
        }
    }

    /// The item time at which silence begins, exact to the sample. A time that is not numeric means
    /// no end. May be changed at any time.
    package var endTime: MediaTime {
        get {
            let end = end.load(ordering: .relaxed)
            return end == .max ? .invalid : MediaTime(nanoseconds: end)
        }
        set { end.store(newValue.nearestNanoseconds ?? .max, ordering: .relaxed) }
    }

    /// The item time at which silence begins in reverse, exact to the sample. A time that is not
    /// numeric means no end. May be changed at any time.
    package var reverseEndTime: MediaTime {
        get {
            let end = reverseEnd.load(ordering: .relaxed)
            return end == .max ? .invalid : MediaTime(nanoseconds: end)
        }
        set { reverseEnd.store(newValue.nearestNanoseconds ?? .max, ordering: .relaxed) }
    }

    /// The item time before which the timeline is silent while it runs forwards, exact to the
    /// sample, because another renderer plays until then. A time that is not numeric, which is the
    /// default, means that audio starts with the timeline. May be changed at any time.
    package var startTime: MediaTime {
        get {
            let start = start.load(ordering: .relaxed)
            return start == .min ? .invalid : MediaTime(nanoseconds: start)
        }
        set { start.store(newValue.nearestNanoseconds ?? .min, ordering: .relaxed) }
    }

    /// The treatment of pitch at rates other than 1. By default, the pitch is kept.
    ///
    /// - Corresponds to: `AVSampleBufferAudioRenderer.audioTimePitchAlgorithm`.
    package var timePitchAlgorithm: AudioTimePitchAlgorithm {
        get {
            AudioTimePitchAlgorithm(rawValue: pitchAlgorithm.load(ordering: .relaxed))
                ?? .timeDomain
        }
        set { pitchAlgorithm.store(newValue.rawValue, ordering: .relaxed) }
    }

    /// The counts of delivered and missing frames since the renderer was created.
    package var statistics: AudioRendererStatistics {
        var statistics = counters.statistics
        statistics.deviceUnderruns = sink.underruns - earlierDeviceUnderruns
        return statistics
    }

    /// Starts watching for frames that are missing when the sink requests them; see
    /// `firstMissedItemTime`.
    package func watchForUnderrun() { counters.watchForUnderrun() }

    /// The item time of the first frame that was missing since the last call of `watchForUnderrun`;
    /// nil if no frame was missing.
    package var firstMissedItemTime: MediaTime? { counters.firstMissed }

    /// A Boolean value that indicates whether audio is enqueued in reverse order.
    package var isReversed: Bool { enqueuesReversed.load(ordering: .relaxed) }

    /// The item time range that is decoded and waits for delivery; empty if no audio is waiting.
    package var bufferedTimeRange: MediaTimeRange {
        guard let times = ring.bufferedTimes() else { return .zero }
        let (start, end) = (
            MediaTime(nanoseconds: times.start), MediaTime(nanoseconds: times.end)
        )
        return isReversed
            ? MediaTimeRange(start: -end, end: -start) : MediaTimeRange(start: start, end: end)
    }

    /// The item time at which the enqueued audio ends, including delivered audio; `invalid` before
    /// the first buffer. In reverse, it is the earliest time.
    package var enqueuedEnd: MediaTime {
        guard let end = ring.writtenEnd.map({ MediaTime(nanoseconds: $0) }) else { return .invalid }
        return isReversed ? -end : end
    }

    /// Returns the item time that is heard when the timeline reads `time`. If the sink delays its
    /// output, it is earlier than `time`, or later in reverse. Audio that precedes it in the
    /// direction of playback will not be heard unless the timeline moves back.
    package func soundTime(at time: MediaTime) -> MediaTime {
        let rate = Double(bitPattern: heardRate.load(ordering: .relaxed))
        let delay = max(.zero, sink.delay) * rate
        return isReversed ? time + delay : time - delay
    }

    /// Returns the duration of decoded audio, in item time, that is heard after the timeline reads
    /// `time`; minus infinity if no audio is waiting.
    package func lead(at time: MediaTime) -> MediaTime {
        let range = bufferedTimeRange
        guard range.duration > .zero else { return .negativeInfinity }
        let heard = soundTime(at: time)
        return isReversed ? heard - range.start : range.end - heard
    }

    /// A Boolean value that indicates whether no more audio can be enqueued until some is
    /// delivered.
    package var isFull: Bool { ring.isFull }

    /// A Boolean value that indicates whether the end of the stream has been marked.
    package var hasEndOfStream: Bool { ring.hasStreamEnd }

    /// A Boolean value that indicates whether all audio up to the marked end of the stream has been
    /// delivered. It is heard `sink.latency` later.
    package var hasDeliveredEndOfStream: Bool { ring.isDrained }
}

// MARK: - Interface of the decoder

extension AudioRenderer {
    /// Enqueues as many frames of a buffer, from `startingAt` on, as fit. Does not wait.
    ///
    /// A gap in item time becomes silence, and frames that overlap earlier ones are skipped. A
    /// buffer without a time follows the previous buffer. If audio is enqueued in reverse, the time
    /// of a buffer is a negated item time.
    ///
    /// - Returns: The number of frames enqueued. If it is smaller than the buffer, wait with
    ///   `waitUntilReady` and enqueue the rest.
    /// - Precondition: the buffer is in `format`.
    package func enqueue(_ buffer: AudioBuffer, startingAt frame: Int = 0) -> Int {
        precondition(
            buffer.format.sampleRate == format.sampleRate
                && buffer.format.channelCount == format.channelCount,
            "a renderer takes buffers of its own format")
        precondition((0...buffer.frameCount).contains(frame), "the frame lies in the buffer")
        let start = buffer.presentationTime
        var time: Int64?
        if start.isNumeric {
            time = start.nearestNanoseconds.map {
                $0 + ring.conversion.nanoseconds(frames: Int64(frame))
            }
        }
        // A device may request audio further ahead than at the time when the item was opened.
        let rate = Double(bitPattern: heardRate.load(ordering: .relaxed))
        let history = Self.historySeconds(ahead: sink.latency, rate: rate)
        ring.keep(historyFrames: Int(min(history, 60) * Double(format.sampleRate)))
        return buffer.withSamples { samples in
            guard let base = samples.baseAddress else { return 0 }
            return ring.write(
                base + frame * format.channelCount, frameCount: buffer.frameCount - frame,
                at: time)
        }
    }

    /// Discards all enqueued audio, for a seek, and wakes a waiting writer. Does not wait for the
    /// sink.
    ///
    /// - Parameter isReversed: A Boolean value that indicates whether audio is enqueued in reverse
    ///   order from now on, to be heard at negative rates.
    package func flush(isReversed: Bool = false) {
        ring.flush()
        enqueuesReversed.store(isReversed, ordering: .relaxed)
        wakeWriter()
    }

    /// Discards audio before `time` without waiting for the sink. This is necessary after the
    /// playhead has passed audio that the sink did not read because it was paused or broken. If
    /// audio is enqueued in reverse, `time` is a negated item time.
    package func discard(before time: MediaTime) {
        if let time = time.nearestNanoseconds { ring.discard(before: time) }
    }

    /// Marks the end of the stream, until the next flush. Missing frames after the end do not count
    /// as an underrun.
    package func markEndOfStream() { ring.markEndOfStream() }

    /// Waits until `frames` more frames can be enqueued.
    ///
    /// The sink's callback must not lock, so it cannot wake a writer. Instead, the writer waits for
    /// as long as the sink is expected to take to free that space, and then checks again. While the
    /// timebase is stopped, the wait is limited only by `nanoseconds`. A flush and `wakeWriter()`
    /// end the wait at once.
    ///
    /// - Returns: A Boolean value that indicates whether there is space. It is false after a
    ///   wake-up or after `nanoseconds`.
    package func waitUntilReady(frames: Int = 1, nanoseconds: Int64) -> Bool {
        let wanted = min(frames, ring.capacity - ring.historyFrames)
        let end = HostClock.nanoseconds + max(0, nanoseconds)
        let seen = wakeUps.withLock { $0 }
        while ring.writableFrames < wanted {
            let now = HostClock.nanoseconds
            guard now < end else { return false }
            let missing = ring.conversion.nanoseconds(frames: Int64(wanted - ring.writableFrames))
            let rate = timebase.rate.magnitude
            // If the rate increases meanwhile, the space is free sooner, and most of the ring's
            // audio is left.
            let due = Int64(Double(missing) / max(1, rate))
            let pause = rate == 0 ? end - now : min(end - now, max(2_000_000, due))
            let woken = wakeUps.wait(nanoseconds: pause) { $0 == seen ? nil : true }
            if woken != nil { return ring.writableFrames >= wanted }
        }
        return true
    }

    /// Ends a `waitUntilReady` in progress, so that its thread checks for other work.
    package func wakeWriter() { wakeUps.change { $0 += 1 } }
}

extension MediaTime {
    /// The nearest whole nanosecond. Times of samples are rarely whole nanoseconds, so rounding
    /// down would give a time before the sample itself.
    var nearestNanoseconds: Int64? { converted(toTimescale: 1_000_000_000).nanoseconds }
}
