// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
import PlayheadThreads
public import PlayheadTime

/// A sink without a device that runs at the pace of any clock.
///
/// It replaces an audio device on machines without one, in tests and in offline rendering. It
/// requests blocks of 10 ms from its source, always 40 ms ahead of what it "plays", like an audio
/// server. On a `ManualClock` it does so when `renderDueBlocks()` is called, and is deterministic;
/// on any other clock a thread of its own does, during the lifetime of the sink.
///
/// - Concurrency: any thread. On a manual clock, blocks are rendered on the caller's thread.
/// - Corresponds to: `AVAudioEngine` in manual rendering mode.
public final class NullAudioSink: AudioSink {
    /// The format of the requested samples.
    public let format: AudioFormat
    /// The clock on which the sink runs.
    public let clock: any MediaClock
    private let device: BlockDevice

    /// Creates a sink that runs on `clock`, by default the host clock.
    public convenience init(
        format: AudioFormat = .stereo(sampleRate: 48_000),
        clock: any MediaClock = HostClock.shared
    ) {
        self.init(format: format, clock: clock, capture: nil)
    }

    init(format: AudioFormat, clock: any MediaClock, capture: CaptureBuffer?) {
        self.format = format
        self.clock = clock
        device = BlockDevice(format: format, clock: clock, capture: capture)
        if !(clock is ManualClock) { device.startThread() }
    }

    deinit { device.end() }

    /// The constant 40 ms.
    public var latency: MediaTime { MediaTime(nanoseconds: BlockDevice.aheadNanoseconds) }
    /// The current state of the sink.
    public var status: AudioSinkStatus { device.status }

    /// Starts requesting audio from `source`, which replaces any earlier one. Does not resume.
    public func start(
        _ source: any AudioSource, onStatusChange: @escaping @Sendable () -> Void
    ) {
        device.start(source, onStatusChange: onStatusChange)
    }

    /// Resumes output.
    public func resume() { device.resume() }
    /// Pauses output and drops the blocks that have not "played".
    public func pause() { device.pause() }
    /// Stops output and releases the source.
    public func stop() { device.stop() }

    /// Requests every block that is due from the source: those that begin less than the latency
    /// after the clock's current time. For sinks on a `ManualClock`; harmless on others.
    public func renderDueBlocks() { device.renderDueBlocks() }

    /// Moves the manual clock to `time` in steps of a block and renders the blocks that become due,
    /// as a device would.
    ///
    /// - Precondition: the sink was created with a `ManualClock`.
    public func advance(to time: MediaTime) {
        guard let clock = clock as? ManualClock else {
            preconditionFailure("only a manual clock is advanced")
        }
        let step = MediaTime(nanoseconds: BlockDevice.blockNanoseconds)
        renderDueBlocks()
        while clock.time < time {
            clock.advance(to: min(time, clock.time + step))
            renderDueBlocks()
        }
    }
}
