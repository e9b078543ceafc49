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
/// the film runs.
///
/// - Concurrency: any thread; `read` from one thread, where it neither allocates nor waits, and takes
///   no lock that any other call holds.
/// - Corresponds to: `AVAudioEngine.manualRenderingBlock`.
public final class PullAudioSink: AudioSink {
    private final class Output: Sendable {
        let source: any AudioSource
        init(_ source: any AudioSource) { self.source = source }
    }

    private struct Control {
        var status = AudioSinkStatus.ready
        var onStatusChange: @Sendable () -> Void = {}
    }

    public let format: AudioFormat
    /// How far ahead the host takes its sound.
    public let latency: MediaTime
    private let deviceClock = AudioClock(settles: false)
    private let output = RealTimeReference<Output>()
    private let isRunning = Atomic(false)
    /// Whether what is taken next begins a run of the clock.
    private let begins = Atomic(true)
    private let framesRead = Atomic<Int64>(0)
    private let control = Mutex(Control())
    private let conversion: FrameRateConversion

    /// - Parameter latency: how long before it is heard the host takes sound, at most.
    public init(
        format: AudioFormat, latency: MediaTime = MediaTime(value: 40, timescale: 1000)
    ) {
        self.format = format
        self.latency = latency
        conversion = FrameRateConversion(sampleRate: format.sampleRate)
    }

    public var clock: any MediaClock { deviceClock }
    public var status: AudioSinkStatus { control.withLock { $0.status } }

    public func start(
        _ source: any AudioSource, onStatusChange: @escaping @Sendable () -> Void
    ) {
        set { control in
            control.onStatusChange = onStatusChange
            output.exchange(with: Output(source))
            if control.status == .ready { control.status = .paused }
        }
    }

    public func resume() {
        set { control in
            guard control.status == .paused else { return }
            control.status = .running
            begins.store(true, ordering: .relaxed)
            isRunning.store(true, ordering: .releasing)
        }
    }

    public func pause() {
        set { control in
            guard control.status == .running else { return }
            control.status = .paused
            isRunning.store(false, ordering: .releasing)
        }
    }

    public func stop() {
        set { control in
            isRunning.store(false, ordering: .releasing)
            control.status = .ready
            output.exchange(with: nil)
        }
        control.withLock { $0.onStatusChange = {} }
    }

    private func set(_ body: (inout Control) -> Void) {
        let tell = control.withLock { control -> (@Sendable () -> Void)? in
            let old = control.status
            body(&control)
            return control.status == old ? nil : control.onStatusChange
        }
        tell?()
    }

    /// Takes the next frames; silence where nothing plays.
    ///
    /// - Parameters:
    ///   - samples: interleaved, in `format`.
    ///   - hostTime: when the first of them is heard, as far as the host can tell; jitter is smoothed.
    public func read(
        into samples: UnsafeMutablePointer<Float>, frameCount: Int, hostTime: MediaTime
    ) {
        guard isRunning.load(ordering: .acquiring), let host = hostTime.nanoseconds else {
            samples.update(repeating: 0, count: frameCount * format.channelCount)
            return
        }
        if begins.exchange(false, ordering: .relaxed) { deviceClock.beginRun() }
        let first = framesRead.load(ordering: .relaxed)
        framesRead.store(first + Int64(frameCount), ordering: .relaxed)
        let device = conversion.nanoseconds(frames: first)
        // What is heard now, not what will be: a clock that is steered from a time to come would step
        // before it.
        let now = HostClock.nanoseconds
        let offset = deviceClock.addReading(deviceTime: device - (host - now), hostTime: now)
        if let output = output.beginReading() {
            output._withUnsafeGuaranteedRef {
                $0.source.render(
                    into: samples, frameCount: frameCount, presentationTime: offset + device)
            }
        } else {
            samples.update(repeating: 0, count: frameCount * format.channelCount)
        }
        output.endReading()
    }
}
