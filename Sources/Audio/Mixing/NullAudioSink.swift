// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
import PlayheadThreads
public import PlayheadTime

/// A sink without a device that runs at the pace of any clock.
///
/// It replaces an audio device on machines without one, in tests and in offline rendering. Like an
/// audio server, it requests blocks of 10 ms from its source, always 40 ms ahead of the audio that
/// it "plays". On a `ManualClock`, blocks are requested when `renderDueBlocks()` is called, so the
/// result is deterministic. On any other clock, blocks are requested by a thread that exists until
/// the sink is deallocated.
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

    /// The latency, which is always 40 ms.
    public var latency: MediaTime { MediaTime(nanoseconds: BlockDevice.aheadNanoseconds) }
    /// The current state of the sink.
    public var status: AudioSinkStatus { device.status }

    /// Starts requesting audio from `source`, which replaces any earlier source. Does not resume.
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

    /// Requests every block that is due from the source. A block is due if it begins less than the
    /// latency after the clock's current time. The method is for sinks on a `ManualClock`, and is
    /// harmless on others.
    public func renderDueBlocks() { device.renderDueBlocks() }

    /// Moves the manual clock to `time` in steps of one block, and renders the blocks that become
    /// due, as a device would.
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
