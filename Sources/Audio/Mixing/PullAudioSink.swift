// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime
import Synchronization

/// A sink from which a host takes its sound, when it wants to: for programs that have a sound engine
/// of their own.
///
///     let sink = PullAudioSink(format: .stereo(sampleRate: 48_000))
///     let player = Player(playerItem: item, audioSink: sink)
///     // In the engine's callback, for frames that are heard at a host time:
///     sink.read(into: samples, frameCount: 256, hostTime: time)
///
/// The host says when what it takes is heard. Of these readings the sink makes its clock, on which
/// the film runs. On a `ManualClock`, which a host ticks itself, the sound keeps to that clock instead
/// (`PullPacer`).
///
/// - Concurrency: any thread; `read` from one thread, where it neither allocates nor waits, and takes
///   no lock that any other call holds.
/// - Corresponds to: `AVAudioEngine.manualRenderingBlock`.
public final class PullAudioSink: AudioSink, @unchecked Sendable {
    // Unchecked: `run` is touched by the thread that reads only; everything else is constant, atomic,
    // or locks for itself.

    private final class Output: Sendable {
        let source: any AudioSource
        init(_ source: any AudioSource) { self.source = source }
    }

    /// What has been taken without a break.
    private struct Run {
        var frames: Int64 = 0
        /// What the clock was told last, in nanoseconds of the host clock, and the run's offset since.
        var reading: (hostTime: Int64, offset: Int64)?
        var pacer: PullPacer
    }

    public let format: AudioFormat
    public let clock: any MediaClock
    /// Nil on a manual clock.
    private let deviceClock: AudioClock?
    private let output = RealTimeReference<Output>()
    private let isRunning = Atomic(false)
    private let hasSource = Atomic(false)
    /// Whether what is taken next begins a run.
    private let begins = Atomic(true)
    private var run: Run
    /// Changes what the sink does, one after another; nobody who reads or asks takes it.
    private let onStatusChange = Mutex<@Sendable () -> Void>({})
    private let conversion: FrameRateConversion
    private let leastLatency: Int64
    /// What the host said last, and how long the block was that it took last, in nanoseconds.
    private let saidLatency = Atomic<Int64>(0)
    private let blockDuration = Atomic<Int64>(0)
    /// Longest that a host may say it takes, in nanoseconds.
    private static let longestLatency: Int64 = 10_000_000_000
    /// How long it takes at least until the next block is taken.
    private static let shortestWait: Int64 = 20_000_000
    /// How much later than it should a host comes for a block.
    private static let lateness: Int64 = 5_000_000

    /// - Parameters:
    ///   - latency: how long before it is heard the host takes sound, at least: what the sink goes by until
    ///     the host has said more.
    ///   - manualClock: what the sound keeps to, if the host ticks time itself; nil for a clock that follows
    ///     what the host says.
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
            // A host comes when it likes, from the first block on.
            let deviceClock = AudioClock(settles: false)
            self.deviceClock = deviceClock
            clock = deviceClock
        }
    }

    /// How long before it is heard the host takes sound: what it said last, and how long it may be until it
    /// comes again; zero on a manual clock.
    public var latency: MediaTime {
        guard deviceClock != nil else { return .zero }
        let wait = max(
            Self.shortestWait, blockDuration.load(ordering: .relaxed) + Self.lateness)
        return MediaTime(
            nanoseconds: max(leastLatency, saidLatency.load(ordering: .relaxed) + wait))
    }

    public var status: AudioSinkStatus {
        if isRunning.load(ordering: .acquiring) { return .running }
        return hasSource.load(ordering: .acquiring) ? .paused : .ready
    }

    public func start(
        _ source: any AudioSource, onStatusChange: @escaping @Sendable () -> Void
    ) {
        set { handler in
            handler = onStatusChange
            output.exchange(with: Output(source))
            hasSource.store(true, ordering: .releasing)
        }
    }

    public func resume() {
        set { _ in
            guard status == .paused else { return }
            begins.store(true, ordering: .relaxed)
            isRunning.store(true, ordering: .releasing)
        }
    }

    public func pause() {
        set { _ in isRunning.store(false, ordering: .releasing) }
    }

    public func stop() {
        set { _ in
            hasSource.store(false, ordering: .releasing)
            isRunning.store(false, ordering: .releasing)
            output.exchange(with: nil)
        }
        onStatusChange.withLock { $0 = {} }
    }

    /// Changes the state, and tells of a status that is another outside of the lock.
    private func set(_ body: (inout @Sendable () -> Void) -> Void) {
        let tell = onStatusChange.withLock { handler -> (@Sendable () -> Void)? in
            let old = status
            body(&handler)
            return status == old ? nil : handler
        }
        tell?()
    }

    /// Takes the next frames; silence where nothing plays, or is due yet on a manual clock.
    ///
    /// - Parameters:
    ///   - samples: interleaved, in `format`.
    ///   - hostTime: when the first of them is heard, as far as the host can tell; jitter is smoothed.
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
            // What is heard now, not what will be: a clock that is steered from a time to come would step
            // before it.
            deviceClock.addReading(deviceTime: heard - latency, hostTime: now)
        }
    }

    /// Takes the next frames; silence where nothing plays, or is due yet on a manual clock.
    ///
    /// - Parameters:
    ///   - samples: interleaved, in `format`.
    ///   - latency: in how long the first of them is heard, from 0 to 10 s. Of blocks that are taken in a
    ///     row, with the same named for each, the first tells.
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

    /// Notes what the host says, also while nothing plays, for what will.
    private func note(_ latency: Int64, _ frameCount: Int) {
        saidLatency.store(min(max(latency, 0), Self.longestLatency), ordering: .relaxed)
        blockDuration.store(conversion.nanoseconds(frames: Int64(frameCount)), ordering: .relaxed)
    }

    /// - Parameter tie: gives the offset of a run from the device's clock, of which so many nanoseconds have
    ///   been taken.
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
        // A clock that is ticked may stand, and its sound with it.
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
