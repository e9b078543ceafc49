// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime
import Synchronization

/// A sink from which a host pulls audio. It is for programs with an audio engine of their own.
///
///     let sink = PullAudioSink(format: .stereo(sampleRate: 48_000))
///     let player = Player(playerItem: item, audioSink: sink)
///     // In the engine's callback, for frames that are heard at a host time:
///     sink.read(into: samples, frameCount: 256, hostTime: time)
///
/// The host states when the audio that it pulls is heard. The sink's clock, on which the video
/// runs, follows these times. If the host has a `ManualClock`, which it advances itself, the
/// audio follows that clock instead (`PullPacer`).
///
/// - Concurrency: any thread. `read` is called on one thread; it does not allocate or wait, and
///   takes no lock that another call holds.
/// - Corresponds to: `AVAudioEngine.manualRenderingBlock`.
public final class PullAudioSink: AudioSink, @unchecked Sendable {
    // Unchecked: `run` is touched only by the reading thread; everything else is constant, atomic
    // or locked internally.

    private final class Output: Sendable {
        let source: any AudioSource
        init(_ source: any AudioSource) { self.source = source }
    }

    /// An uninterrupted run of pulled audio.
    private struct Run {
        var frames: Int64 = 0
        /// The last reading of the clock, in nanoseconds of the host clock, and the run's offset
        /// since that reading.
        var reading: (hostTime: Int64, offset: Int64)?
        var pacer: PullPacer
    }

    /// The format of the samples.
    public let format: AudioFormat
    /// The clock of the host's audio.
    public let clock: any MediaClock
    /// The clock that is derived from the times that the host states; nil on a manual clock.
    private let deviceClock: AudioClock?
    private let output = RealTimeReference<Output>()
    private let isRunning = Atomic(false)
    private let hasSource = Atomic(false)
    /// A Boolean value that indicates whether the next read begins a run.
    private let begins = Atomic(true)
    private var run: Run
    /// A lock that serialises changes of the sink's state. `read` and the properties do not take
    /// it.
    private let onStatusChange = Mutex<@Sendable () -> Void>({})
    private let conversion: FrameRateConversion
    private let leastLatency: Int64
    /// The latency that the host last stated, and the duration of the host's last block, in
    /// nanoseconds.
    private let saidLatency = Atomic<Int64>(0)
    private let blockDuration = Atomic<Int64>(0)
    /// The longest latency that a host may state, in nanoseconds.
    private static let longestLatency: Int64 = 10_000_000_000
    /// The shortest assumed wait until the next block is pulled, in nanoseconds.
    private static let shortestWait: Int64 = 20_000_000
    /// The assumed delay of a host that pulls a block late, in nanoseconds.
    private static let lateness: Int64 = 5_000_000

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - latency: The minimum value of the property `latency`. It applies until the host states a
    ///     longer latency in calls of `read`.
    ///   - manualClock: A clock that the host advances itself, for the audio to follow; nil for a
    ///     clock that the sink derives from the times that the host passes to `read`.
    public init(
        format: AudioFormat, latency: MediaTime = MediaTime(value: 40, timescale: 1000),
        manualClock: ManualClock? = nil
    ) {
        self.format = format
        leastLatency = latency.nanoseconds ?? 0
        conversion = FrameRateConversion(sampleRate: format.sampleRate)
        run = Run(pacer: PullPacer(sampleRate: format.sampleRate))
        if let manualClock {
            deviceClock = nil
            clock = manualClock
        } else {
            // A host pulls at irregular times, from the first block on.
            let deviceClock = AudioClock(settles: false)
            self.deviceClock = deviceClock
            clock = deviceClock
        }
    }

    /// The time from when a sample is available until it is heard: the latency that the host last
    /// stated plus the time until the next block is pulled. It is zero on a manual clock.
    public var latency: MediaTime {
        guard deviceClock != nil else { return .zero }
        let wait = max(
            Self.shortestWait, blockDuration.load(ordering: .relaxed) + Self.lateness)
        return MediaTime(
            nanoseconds: max(leastLatency, saidLatency.load(ordering: .relaxed) + wait))
    }

    /// The current state of the sink.
    public var status: AudioSinkStatus {
        if isRunning.load(ordering: .acquiring) { return .running }
        return hasSource.load(ordering: .acquiring) ? .paused : .ready
    }

    /// Starts providing audio from `source`, which replaces any earlier source. Does not resume.
    public func start(
        _ source: any AudioSource, onStatusChange: @escaping @Sendable () -> Void
    ) {
        set { handler in
            handler = onStatusChange
            output.exchange(with: Output(source))
            hasSource.store(true, ordering: .releasing)
        }
    }

    /// Resumes output.
    public func resume() {
        set { _ in
            guard status == .paused else { return }
            begins.store(true, ordering: .relaxed)
            isRunning.store(true, ordering: .releasing)
        }
    }

    /// Pauses output. While it is paused, `read` returns silence.
    public func pause() {
        set { _ in isRunning.store(false, ordering: .releasing) }
    }

    /// Stops output and releases the source.
    public func stop() {
        set { _ in
            hasSource.store(false, ordering: .releasing)
            isRunning.store(false, ordering: .releasing)
            output.exchange(with: nil)
        }
        onStatusChange.withLock { $0 = {} }
    }

    /// Changes the state. Reports a new status without the lock.
    private func set(_ body: (inout @Sendable () -> Void) -> Void) {
        let tell = onStatusChange.withLock { handler -> (@Sendable () -> Void)? in
            let old = status
            body(&handler)
            return status == old ? nil : handler
        }
        tell?()
    }

    /// Reads the next frames. They are silent if there is no audio or, on a manual clock, if none
    /// is due yet.
    ///
    /// - Parameters:
    ///   - samples: The interleaved samples, in `format`.
    ///   - hostTime: The host time at which the first frame is heard, as far as the host knows.
    ///     Jitter is smoothed.
    public func read(
        into samples: UnsafeMutablePointer<Float>, frameCount: Int, hostTime: MediaTime
    ) {
        guard let host = hostTime.nanoseconds else {
            silence(samples, frameCount)
            return
        }
        let now = HostClock.nanoseconds
        let latency = host - now
        note(latency, frameCount)
        render(into: samples, frameCount) { _, heard, deviceClock in
            // The reading describes the audio that is heard now, not the audio that is pulled now.
            // A reading from the future would make the clock step.
            deviceClock.addReading(deviceTime: heard - latency, hostTime: now)
        }
    }

    /// Reads the next frames. They are silent if there is no audio or, on a manual clock, if none
    /// is due yet.
    ///
    /// - Parameters:
    ///   - samples: The interleaved samples, in `format`.
    ///   - latency: The time until the first frame is heard, from 0 to 10 s. If consecutive blocks
    ///     state the same latency, it applies to the first of these blocks.
    public func read(
        into samples: UnsafeMutablePointer<Float>, frameCount: Int, latency: MediaTime
    ) {
        let latency = min(max(latency.nanoseconds ?? 0, 0), Self.longestLatency)
        let half = conversion.nanoseconds(frames: Int64(frameCount)) / 2
        note(latency, frameCount)
        render(into: samples, frameCount) { run, heard, deviceClock in
            let now = HostClock.nanoseconds
            if let (hostTime, offset) = run.reading, now - hostTime < half { return offset }
            let offset = deviceClock.addReading(deviceTime: heard - latency, hostTime: now)
            run.reading = (now, offset)
            return offset
        }
    }

    /// Records the stated latency, for audio that is played later. It is recorded even while
    /// nothing plays.
    private func note(_ latency: Int64, _ frameCount: Int) {
        saidLatency.store(min(max(latency, 0), Self.longestLatency), ordering: .relaxed)
        blockDuration.store(conversion.nanoseconds(frames: Int64(frameCount)), ordering: .relaxed)
    }

    /// Fills a block with audio.
    ///
    /// - Parameter tie: Returns the offset of a run from the device's clock. `heard` is the
    ///   duration pulled so far in this run, in nanoseconds.
    private func render(
        into samples: UnsafeMutablePointer<Float>, _ frameCount: Int,
        tie: (_ run: inout Run, _ heard: Int64, AudioClock) -> Int64
    ) {
        guard isRunning.load(ordering: .acquiring) else {
            silence(samples, frameCount)
            return
        }
        if begins.exchange(false, ordering: .relaxed) {
            run = Run(pacer: PullPacer(sampleRate: format.sampleRate))
            deviceClock?.beginRun()
        }
        let heard = conversion.nanoseconds(frames: run.frames)
        let offset: Int64?
        if let deviceClock {
            offset = tie(&run, heard, deviceClock)
        } else {
            offset = run.pacer.offset(
                at: clock.time.nanoseconds ?? 0, taken: heard, frameCount: frameCount)
        }
        // The host may stop advancing its clock, and then the audio stops too.
        guard let offset else {
            silence(samples, frameCount)
            return
        }
        run.frames += Int64(frameCount)
        if let output = output.beginReading() {
            output._withUnsafeGuaranteedRef {
                $0.source.render(
                    into: samples, frameCount: frameCount, presentationTime: offset + heard)
            }
        } else {
            silence(samples, frameCount)
        }
        output.endReading()
    }

    private func silence(_ samples: UnsafeMutablePointer<Float>, _ frameCount: Int) {
        samples.update(repeating: 0, count: frameCount * format.channelCount)
    }
}
