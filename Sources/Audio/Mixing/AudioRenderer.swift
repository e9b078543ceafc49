// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
import PlayheadThreads
package import PlayheadTime
import Synchronization

/// Plays decoded sound in step with a timebase.
///
/// The renderer follows. When the sink asks for the frames that will be heard at a moment of its
/// clock, the renderer asks the timebase which item time that moment is, and delivers exactly those
/// samples: silence before the time for which the playback was set to start, and from the right
/// sample on when it is behind, after an underrun or a start in the past. Play, pause, seek and
/// `setRate(_:time:atMasterTime:)` are thus done on the timebase alone, and sound and picture cannot
/// part: they are two readings of one line. Where the timebase has the sink's clock as its master,
/// every sample is delivered once, in order, and none is stretched.
///
/// At rates other than 1 the pitch is kept or follows the rate, as `timePitchAlgorithm` says; at
/// rates that it does not cover, and backwards, there is silence. Either is done within `render`, so
/// a change of rate is heard at once.
///
/// A typical start: `enqueue` until the ring is full, `resume()`, then set the timebase's rate with
/// an anchor `sink.latency` in the future.
///
/// - Concurrency: any thread; enqueueing and flushing exclude each other. `render`, which the sink
///   calls, neither locks nor allocates nor waits.
/// - Ownership: keeps the sink and the timebase, and the sink keeps the renderer, until
///   `invalidate()`.
/// - Corresponds to: `AVSampleBufferAudioRenderer`.
package final class AudioRenderer: AudioSource, @unchecked Sendable {
    // Unchecked: `callback` is touched only by the sink's thread, within `render`; everything else
    // is constant, atomic, or locks for itself.

    /// Where the sound is played.
    package let sink: any AudioSink
    /// What it plays by.
    package let timebase: Timebase
    /// What buffers have to be in: the sink's format.
    package let format: AudioFormat

    let ring: AudioRingBuffer
    let clock: any MediaClock
    /// What the sink had counted when this renderer began.
    private let earlierDeviceUnderruns: Int
    let counters = AudioCounters()
    let targetGain = Atomic<UInt32>(Float(1).bitPattern)
    /// Item time in nanoseconds; the maximum for none.
    let end = Atomic<Int64>(.max)
    var callback: CallbackState
    /// The rate of what was delivered last.
    let heardRate = Atomic<UInt64>((1.0).bitPattern)
    /// What the callback does to the item's sound; nil until something is to be done.
    let mix = RealTimeReference<MixProgram>()
    let parameters = Mutex<AudioMixInputParameters?>(nil)
    /// What taps are timed by; nil for the host clock.
    let stopwatch: (any MediaClock)?
    let hasStopwatch: Bool

    private let pitchAlgorithm = Atomic<UInt8>(AudioTimePitchAlgorithm.timeDomain.rawValue)

    private struct Level {
        var volume: Float = 1
        var isMuted = false
    }
    private let level = Mutex(Level())
    /// Counts the reasons for a writer to look again; the sink's callback does not touch it.
    private let wakeUps = Monitor(0)

    /// How much of what has been delivered stays available for delivering it again after a pause, in seconds
    /// of the item: more than the sink takes ahead.
    private static func historySeconds(ahead latency: MediaTime, rate: Double = 1) -> Double {
        let seconds = (latency.seconds + 0.2) * max(1, rate)
        return seconds.isFinite ? max(0.5, seconds) : 0.5
    }

    /// Makes a renderer and connects it to `sink`, which stays paused.
    ///
    /// - Parameters:
    ///   - timebase: the timeline to follow; in the usual case its master is the sink's clock.
    ///   - bufferSeconds: how much sound the ring holds ahead of what is heard.
    ///   - onStatusChange: called on a thread of the sink's after the sink's status has changed.
    package convenience init(
        sink: any AudioSink, timebase: Timebase, bufferSeconds: Double = 1,
        onStatusChange: @escaping @Sendable () -> Void = {}
    ) {
        self.init(
            sink: sink, timebase: timebase, bufferSeconds: bufferSeconds, stopwatch: nil,
            onStatusChange: onStatusChange)
    }

    /// - Parameter stopwatch: what taps are timed by; nil for the host clock.
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

    /// Parts with the sink, for good.
    package func invalidate() {
        sink.stop()
        mix.exchange(with: nil)
        wakeWriter()
    }

    /// Lets the sink run. What is heard is decided by the timebase.
    package func resume() { sink.resume() }

    /// Halts the sink at once. What it had taken but not played is delivered again after
    /// `resume()`, as the timebase's time then asks for it.
    package func pause() { sink.pause() }

    /// Loudness as a factor on the samples, 1 as they are; changes take 10 ms, so that they do not
    /// click. Above 1, peaks are rounded off rather than cut.
    package var volume: Float {
        get { level.withLock { $0.volume } }
        set { setLevel { $0.volume = newValue.isFinite ? max(0, newValue) : 1 } }
    }

    /// Whether nothing is heard, whatever the volume. Changes as gently as the volume.
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

    /// The item time from which on nothing is heard, exact to the sample; one that is no number for
    /// none. May be changed at any time.
    package var endTime: MediaTime {
        get {
            let end = end.load(ordering: .relaxed)
            return end == .max ? .invalid : MediaTime(nanoseconds: end)
        }
        set { end.store(newValue.nearestNanoseconds ?? .max, ordering: .relaxed) }
    }

    /// What becomes of the pitch at rates other than 1; it is kept unless this is set.
    ///
    /// - Corresponds to: `AVSampleBufferAudioRenderer.audioTimePitchAlgorithm`.
    package var timePitchAlgorithm: AudioTimePitchAlgorithm {
        get {
            AudioTimePitchAlgorithm(rawValue: pitchAlgorithm.load(ordering: .relaxed))
                ?? .timeDomain
        }
        set { pitchAlgorithm.store(newValue.rawValue, ordering: .relaxed) }
    }

    /// What has been delivered and what was missing, since the renderer was made.
    package var statistics: AudioRendererStatistics {
        var statistics = counters.statistics
        statistics.deviceUnderruns = sink.underruns - earlierDeviceUnderruns
        return statistics
    }

    /// Begins to watch for frames that are missing when the sink wants them; see `firstMissedItemTime`.
    package func watchForUnderrun() { counters.watchForUnderrun() }

    /// The item time of the first frame that was missing since `watchForUnderrun` was called last; nil for none.
    package var firstMissedItemTime: MediaTime? { counters.firstMissed }

    /// The stretch of item time that is decoded and waits to be delivered; empty when nothing does.
    package var bufferedTimeRange: MediaTimeRange {
        guard let times = ring.bufferedTimes() else { return .zero }
        return MediaTimeRange(
            start: MediaTime(nanoseconds: times.start), end: MediaTime(nanoseconds: times.end))
    }

    /// The item time at which what was enqueued ends, delivered or not; invalid before anything was.
    package var enqueuedEnd: MediaTime {
        ring.writtenEnd.map { MediaTime(nanoseconds: $0) } ?? .invalid
    }

    /// What is heard, or would be, when the timeline reads `time`: an earlier time where the sink delays
    /// what it plays. What lies before it nobody will hear, unless the timeline goes back.
    package func soundTime(at time: MediaTime) -> MediaTime {
        let rate = Double(bitPattern: heardRate.load(ordering: .relaxed))
        return time - max(.zero, sink.delay) * rate
    }

    /// Whether nothing more can be enqueued before some of it has been delivered.
    package var isFull: Bool { ring.isFull }

    /// Whether everything up to the marked end of the stream has been delivered; it is heard when
    /// another `sink.latency` has passed.
    package var hasDeliveredEndOfStream: Bool { ring.isDrained }
}

// MARK: - The decoder's side

extension AudioRenderer {
    /// Takes a buffer's frames from `startingAt` on, as many as fit, without waiting.
    ///
    /// A gap in item time becomes silence; frames that overlap what was enqueued before are cut
    /// off. A buffer without a time follows on.
    ///
    /// - Returns: how many frames were taken. When that is fewer than the buffer has, wait with
    ///   `waitUntilReady`, and enqueue it again from there on.
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
        // A device may take further ahead than it did when the item was opened.
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

    /// Discards everything that is enqueued, for a seek, and wakes a waiting writer. Does not wait
    /// for the sink.
    package func flush() {
        ring.flush()
        wakeWriter()
    }

    /// Discards what is enqueued for times before `time`: the playhead has been moved past it while
    /// the sink was paused or broken, so that nothing else makes room. Does not wait for the sink.
    package func discard(before time: MediaTime) {
        if let time = time.nearestNanoseconds { ring.discard(before: time) }
    }

    /// Says that no more buffers follow, until the next flush: running dry is then no underrun.
    package func markEndOfStream() { ring.markEndOfStream() }

    /// Waits until `frames` more frames can be enqueued.
    ///
    /// The sink's callback must not lock, so it cannot wake anybody; instead the wait is bounded
    /// by the time in which the sink would make that room, and then looks again; not while the
    /// timebase stands, when it makes none. A flush and `wakeWriter()` end it at once.
    ///
    /// - Returns: whether there is room; false after a wake-up or when `nanoseconds` have passed.
    package func waitUntilReady(frames: Int = 1, nanoseconds: Int64) -> Bool {
        let wanted = min(frames, ring.capacity - ring.historyFrames)
        let end = HostClock.nanoseconds + max(0, nanoseconds)
        let seen = wakeUps.withLock { $0 }
        while ring.writableFrames < wanted {
            let now = HostClock.nanoseconds
            guard now < end else { return false }
            let missing = ring.conversion.nanoseconds(frames: Int64(wanted - ring.writableFrames))
            let rate = timebase.rate
            // Where it plays faster meanwhile it is there sooner, and most of the ring is left.
            let due = Int64(Double(missing) / max(1, rate))
            let pause = rate == 0 ? end - now : min(end - now, max(2_000_000, due))
            let woken = wakeUps.wait(nanoseconds: pause) { $0 == seen ? nil : true }
            if woken != nil { return ring.writableFrames >= wanted }
        }
        return true
    }

    /// Ends a `waitUntilReady` that is under way, so that its thread looks at what it is to do.
    package func wakeWriter() { wakeUps.change { $0 += 1 } }
}

extension MediaTime {
    /// The nearest whole nanosecond. Times of samples are rarely whole nanoseconds, and rounding
    /// them down would put them before the sample that they belong to.
    var nearestNanoseconds: Int64? { converted(toTimescale: 1_000_000_000).nanoseconds }
}
