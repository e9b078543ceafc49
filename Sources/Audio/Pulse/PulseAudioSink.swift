// SPDX-License-Identifier: Apache-2.0

public import PlayheadAudio
public import PlayheadBuffers
import PlayheadThreads
public import PlayheadTime

/// A sink that plays through PulseAudio, or through PipeWire in place of PulseAudio.
///
/// A thread of the client library writes audio into the server's shared memory, about `latency`
/// ahead of what is heard. During playback, the sink requests the playback position from the server
/// about ten times per second, and adds each answer to its `AudioClock` as a reading.
///
/// If the server dies, or another program closes the stream, the status becomes `failed` and the
/// clock continues. The sink tries to connect again every second. After the reconnection, audio and
/// video are in sync, because audio follows the timebase. If the stream moves to another device, or
/// the device is suspended, audio is silent only until the server plays the stream again.
///
/// The sink finds the server as all PulseAudio clients do: `PULSE_SERVER`, `PULSE_SINK`,
/// `PULSE_COOKIE`, `PULSE_RUNTIME_PATH`, then `client.conf`, then `$XDG_RUNTIME_DIR/pulse/native`.
/// It never starts a server.
///
/// - Concurrency: any thread except the sink's own thread: the source's `render` must not call the
///   sink.
/// - Ownership: the connection has the lifetime of the sink.
/// - Errors: `init(options:)` throws an `AudioError` if there is no server. Later failures are
///   reported as statuses; so are all failures of `init(connectingInBackground:)`.
/// - Corresponds to: the output node of an `AVAudioEngine` on the default device.
public final class PulseAudioSink: AudioSink {
    /// The format of the requested samples.
    public let format: AudioFormat
    private let audioClock: AudioClock
    private let reconnector: PulseReconnector

    /// Connects to the server. Waits for the server, but no longer than
    /// `PulseAudioOptions.deadline`.
    public init(options: PulseAudioOptions = .init()) throws(AudioError) {
        let clock = AudioClock()
        let connection = try PulseConnection(options: options, clock: clock, format: nil)
        audioClock = clock
        format = connection.format
        reconnector = PulseReconnector(options: options, clock: clock, connection: connection)
    }

    /// Looks for the server in the background: at once, and then each second until there is one. If
    /// a server dies, the search begins again. Does not wait.
    ///
    /// Until it is known whether there is a server, `isAwake` is false. A video that is started
    /// meanwhile waits, so that its beginning is heard. Without a server, the video plays silently
    /// and `status` states the reason (`Player.audioError`).
    public init(connectingInBackground options: PulseAudioOptions) {
        let clock = AudioClock()
        audioClock = clock
        format = AudioFormat(
            sampleRate: options.sampleRate ?? Self.usualSampleRate, channels: options.channels)
        reconnector = PulseReconnector(options: options, clock: clock, format: format)
    }

    /// The sample rate that is used if none is requested and the server's rate is not known yet.
    private static let usualSampleRate = 48_000

    deinit { reconnector.end() }

    /// The clock of the device.
    public var clock: any MediaClock { audioClock }
    /// The measured time from the source to the listener.
    public var latency: MediaTime { MediaTime(nanoseconds: reconnector.latency) }
    /// The current state of the sink.
    public var status: AudioSinkStatus { reconnector.status }
    /// The number of underruns of all connections so far.
    public var underruns: Int { reconnector.underruns }
    /// A Boolean value that indicates whether the device is awake. Servers suspend devices after
    /// some seconds without audio. If a device does not wake within two seconds, the sink stops
    /// waiting for it, and does not wait again until the device has woken.
    public var isAwake: Bool { reconnector.isAwake }

    /// The estimated rate of the device's crystal relative to the host clock, minus 1. A value of
    /// 1e-6 means that the device is 1 ppm fast.
    package var clockDrift: Double { audioClock.drift }

    /// Starts requesting audio from `source`, which replaces any earlier source. Does not resume.
    public func start(
        _ source: any AudioSource, onStatusChange: @escaping @Sendable () -> Void
    ) {
        reconnector.start(source, onStatusChange: onStatusChange)
    }

    /// Resumes output.
    public func resume() { reconnector.setRunning(true) }
    /// Pauses output and empties the server's buffer.
    public func pause() { reconnector.setRunning(false) }
    /// Stops output and releases the source.
    public func stop() { reconnector.stop() }

    /// Sets a handler for requests of the desktop to interrupt audio.
    public func onInterruption(_ handler: @escaping @Sendable (AudioInterruption) -> Void) {
        reconnector.onInterruption(handler)
    }

    // MARK: Devices

    /// The name of the device that plays, as the server reports it; nil while there is no server.
    package var currentDevice: String? { reconnector.deviceName }

    /// Moves to another device; nil lets the server choose. The device also applies after a
    /// reconnection. The video continues during the move, and the audio is in sync with it
    /// afterwards. A name that the server does not know has no effect.
    public func move(toDevice name: String?) { reconnector.move(toDevice: name) }

    /// Returns the extra latency of a device, which the server does not report.
    package func latencyOffset(forDevice name: String) -> MediaTime {
        reconnector.options.latencyOffsets[name] ?? .zero
    }

    /// Sets the extra latency of a device, which the server does not report. It may be negative.
    /// Audio is synchronised to the new latency within a few hundredths of a second.
    public func setLatencyOffset(_ offset: MediaTime, forDevice name: String) {
        reconnector.setLatencyOffset(offset.isNumeric ? offset : .zero, forDevice: name)
    }

    /// Renames the stream, for example when another video plays.
    package func setTitle(_ title: String) { reconnector.setTitle(title) }
}
