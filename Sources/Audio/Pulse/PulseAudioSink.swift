// SPDX-License-Identifier: Apache-2.0

public import PlayheadAudio
public import PlayheadBuffers
import PlayheadThreads
public import PlayheadTime

/// A sink that plays through PulseAudio, or PipeWire in its place.
///
/// Sound is written straight into the server's shared memory from the client library's own thread,
/// about `latency` ahead of what is heard. Where the server counts what it has played, the sink
/// takes readings for its `AudioClock`, ten a second.
///
/// When the server dies, or the stream is closed from outside, the status becomes `failed` and the
/// clock goes on; the sink tries to connect again every second, and sound returns in step, since
/// what is heard follows the timebase. A move to another device, and a suspended one, only silence
/// the stream for as long as the server takes.
///
/// The server is found the way all PulseAudio clients find it: `PULSE_SERVER`, `PULSE_SINK`,
/// `PULSE_COOKIE`, `PULSE_RUNTIME_PATH`, then `client.conf`, then `$XDG_RUNTIME_DIR/pulse/native`. It
/// is never started by us.
///
/// - Concurrency: any thread but the sink's own: the source's `render` must not call back.
/// - Ownership: the connection lasts as long as the sink.
/// - Errors: `init(options:)` throws an `AudioError` when there is no server; later failures are statuses, as all
///   of `init(connectingInBackground:)` are.
/// - Corresponds to: an `AVAudioEngine`'s output node on the default device.
public final class PulseAudioSink: AudioSink {
    /// What to ask of the server.
    public struct Options: Sendable {
        /// Shown by volume controls.
        public var applicationName = "Playhead"
        /// The stream's name, for a player the film's title.
        public var title = "Video"
        /// The server; nil for the environment's.
        public var server: String?
        /// The name of the device to play on; nil for the server's choice.
        public var device: String?
        /// Frames a second; nil for what the device runs at, which saves the server resampling.
        public var sampleRate: Int? = 48_000
        /// In the order of the interleaved samples.
        public var channels: [AudioChannel] = [.frontLeft, .frontRight]
        /// How much sound to keep at the server, 10 ms at least. Less starts and stops sooner, and
        /// breaks off sooner on a busy machine.
        public var latency = MediaTime(value: 40, timescale: 1_000)
        /// What the sound is for: desktops have volumes for each role, and lower or halt some for
        /// others. PulseAudio's `media.role`: video, music, game, event, phone, animation,
        /// production, a11y.
        package var role = "video"
        /// By how much later than the server says sound is heard from a device, by its name: what
        /// wireless loudspeakers and displays keep to themselves.
        package var latencyOffsets: [String: MediaTime] = [:]
        /// How long the server is waited for.
        package var deadline = MediaTime(value: 2, timescale: 1)

        static let shortestLatency = MediaTime(value: 10, timescale: 1_000)

        public init() {}
    }

    public let format: AudioFormat
    private let audioClock: AudioClock
    private let keeper: PulseKeeper

    /// Connects to the server, and waits for it, for `Options.deadline` at most.
    public init(options: Options = Options()) throws(AudioError) {
        let clock = AudioClock()
        let connection = try PulseConnection(options: options, clock: clock, format: nil)
        audioClock = clock
        format = connection.format
        keeper = PulseKeeper(options: options, clock: clock, connection: connection)
    }

    /// Looks for the server in the background, at once and then each second as long as there is none, as after
    /// one has died; waits for nobody.
    ///
    /// As long as nobody knows whether there is a server, `isAwake` is false: a film that is started meanwhile
    /// waits, so that its beginning is heard. Where there is none, it plays on without sound, and `status` says
    /// why (`Player.audioError`).
    public init(connectingInBackground options: Options) {
        let clock = AudioClock()
        audioClock = clock
        format = AudioFormat(
            sampleRate: options.sampleRate ?? Self.usualSampleRate, channels: options.channels)
        keeper = PulseKeeper(options: options, clock: clock, format: format)
    }

    /// Where the server's is not known yet, and none is asked for.
    private static let usualSampleRate = 48_000

    deinit { keeper.end() }

    public var clock: any MediaClock { audioClock }
    public var latency: MediaTime { MediaTime(nanoseconds: keeper.latency) }
    public var status: AudioSinkStatus { keeper.status }
    public var underruns: Int { keeper.underruns }
    /// Servers let devices sleep that nobody has played to for some seconds. One that does not wake is waited
    /// for once, for two seconds, and then no more until it has.
    public var isAwake: Bool { keeper.isAwake }

    /// How far the device's crystal is off the host clock, as estimated: 1e-6 is 1 ppm fast.
    package var clockDrift: Double { audioClock.drift }

    public func start(
        _ source: any AudioSource, onStatusChange: @escaping @Sendable () -> Void
    ) {
        keeper.start(source, onStatusChange: onStatusChange)
    }

    public func resume() { keeper.setRunning(true) }
    public func pause() { keeper.setRunning(false) }
    public func stop() { keeper.stop() }

    public func onInterruption(_ handler: @escaping @Sendable (AudioInterruption) -> Void) {
        keeper.onInterruption(handler)
    }

    // MARK: Devices

    /// The name of the device that plays, as the server tells it; nil while there is no server.
    package var currentDevice: String? { keeper.deviceName }

    /// Goes on at another device, nil for the server's choice, also after the server has been away.
    /// The film plays on meanwhile, and sound returns in step. A name that the server does not know
    /// changes nothing.
    public func move(toDevice name: String?) { keeper.move(toDevice: name) }

    /// By how much later than the server says sound is heard from a device.
    public func latencyOffset(forDevice name: String) -> MediaTime {
        keeper.options.latencyOffsets[name] ?? .zero
    }

    /// Sets by how much later than the server says sound is heard from a device; may be negative.
    /// The sound is in step with it within a few hundredths of a second.
    public func setLatencyOffset(_ offset: MediaTime, forDevice name: String) {
        keeper.setLatencyOffset(offset.isNumeric ? offset : .zero, forDevice: name)
    }

    /// Renames the stream, when another film plays.
    package func setTitle(_ title: String) { keeper.setTitle(title) }
}
