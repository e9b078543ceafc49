// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
import PlayheadThreads
public import PlayheadTime

/// A sink that plays into nothing, at the pace of any clock.
///
/// Stands in for a sound device on machines without one, and in tests and offline rendering. It
/// asks its source for blocks of 10 ms, always 40 ms ahead of what it "plays", like a sound server.
/// On a `ManualClock` it does so when told, by `renderDueBlocks()`, and everything is deterministic;
/// on any other clock a thread of its own does, from its making to its end.
///
/// - Concurrency: any thread. On a manual clock, blocks are rendered on the caller's thread.
/// - Corresponds to: `AVAudioEngine` in manual rendering mode.
public final class NullAudioSink: AudioSink {
    public let format: AudioFormat
    public let clock: any MediaClock
    private let device: BlockDevice

    /// A sink that runs on `clock`, by default the host clock.
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

    public var latency: MediaTime { MediaTime(nanoseconds: BlockDevice.aheadNanoseconds) }
    public var status: AudioSinkStatus { device.status }

    public func start(
        _ source: any AudioSource, onStatusChange: @escaping @Sendable () -> Void
    ) {
        device.start(source, onStatusChange: onStatusChange)
    }

    public func resume() { device.resume() }
    public func pause() { device.pause() }
    public func stop() { device.stop() }

    /// Asks the source for every block that is due: those that begin less than the latency after
    /// what the clock reads now. For sinks on a `ManualClock`; harmless on others.
    public func renderDueBlocks() { device.renderDueBlocks() }

    /// Moves the manual clock on to `time` in steps of a block, rendering what falls due on the
    /// way, as a device would have done.
    ///
    /// - Precondition: the sink was made with a `ManualClock`.
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
