// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadAssets
import PlayheadAudio
public import PlayheadBuffers
public import PlayheadTime
import Synchronization

/// A simulated microphone. It delivers a tone of a tenth of a second at the start of every second,
/// at exact times.
///
/// It needs no hardware and is the same on every run. On a `ManualClock` its audio arrives inside
/// the call of `advance`, on the calling thread, so that a program can be tested without waiting.
/// The tones begin with the flashes of a `SyntheticCamera` that starts at the same time.
///
///     let microphone = SyntheticMicrophone(clock: clock)
///     try session.addInput(CaptureDeviceInput(device: microphone.device))
///
/// - Concurrency: any thread.
/// - Ownership: the device remains usable after the microphone is released.
public final class SyntheticMicrophone: Sendable {
    /// The microphone as a device of a session.
    public let device: CaptureDevice
    private let backend: SyntheticMicrophoneBackend

    /// Creates a microphone.
    ///
    /// - Parameters:
    ///   - name: The name for users.
    ///   - format: The sample rate and the channels, which all have the same samples.
    ///   - frequency: The frequency of the tone, in hertz.
    ///   - clock: The clock of the audio, used in place of the host clock.
    public convenience init(
        name: String = "Synthetic Microphone", format: AudioFormat = .mono(sampleRate: 48_000),
        frequency: Double = 1000, clock: any MediaClock = HostClock.shared
    ) {
        self.init(name: name, format: format, frequency: frequency, clock: clock, drift: 0)
    }

    /// Creates a microphone that delivers blocks of `blockDuration`. Its crystal runs too fast by
    /// the fraction `drift`, such as 1e-4 for 100 ppm.
    package init(
        name: String = "Synthetic Microphone", format: AudioFormat = .mono(sampleRate: 48_000),
        frequency: Double = 1000, clock: any MediaClock, drift: Double,
        blockDuration: MediaTime = MediaTime(value: 10, timescale: 1000)
    ) {
        backend = SyntheticMicrophoneBackend(
            name: name, format: format, frequency: frequency, clock: clock, drift: drift,
            blockFrames: max(1, Int((blockDuration.seconds * Double(format.sampleRate)).rounded())))
        device = CaptureDevice(backend)
    }

    /// Unplugs the microphone.
    public func disconnect() {
        backend.setPresent(false)
        device.setConnected(false)
    }

    /// Plugs the microphone in again.
    public func reconnect() {
        backend.setPresent(true)
        device.setConnected(true)
    }

    /// The host time of the first sample since the microphone was opened; nil if it was never
    /// opened.
    package var startTime: MediaTime? { backend.state.withLock { $0.startTime } }

    /// A Boolean value that indicates whether the microphone delivers no audio, like a device that
    /// hangs.
    public var isStalled: Bool {
        get { backend.state.withLock { $0.isStalled } }
        set { backend.state.withLock { $0.isStalled = newValue } }
    }
}

/// The driver's side of a `SyntheticMicrophone`.
final class SyntheticMicrophoneBackend: CaptureDeviceBackend {
    struct State {
        var isPresent = true
        var isStalled = false
        var startTime: MediaTime?
    }

    let uniqueID: String
    let localizedName: String
    let format: AudioFormat
    let frequency: Double
    let drift: Double
    let blockFrames: Int
    let hostClock: any MediaClock
    let audioClock = AudioClock()
    let state = Mutex(State())
    private let ownClock: SyntheticAudioClock

    init(
        name: String, format: AudioFormat, frequency: Double, clock: any MediaClock, drift: Double,
        blockFrames: Int
    ) {
        precondition(format.sampleRate > 0 && format.channelCount > 0, "a microphone has samples")
        uniqueID = "synthetic:\(name)"
        localizedName = name
        self.format = format
        self.frequency = frequency
        self.drift = drift
        self.blockFrames = blockFrames
        hostClock = clock
        ownClock = SyntheticAudioClock(audioClock, clock)
    }

    var mediaType: MediaType { .audio }
    var clock: (any MediaClock)? { ownClock }
    var isPresent: Bool { state.withLock { $0.isPresent } }

    func setPresent(_ isPresent: Bool) { state.withLock { $0.isPresent = isPresent } }

    func loadFormats() -> [CaptureFormat] { [CaptureFormat(audio: format)] }

    func start(
        _ configuration: CaptureConfiguration,
        receiver: @escaping @Sendable (CaptureStreamEvent) -> Void
    ) throws(CaptureError) -> any CaptureStream {
        guard isPresent else {
            throw CaptureError(
                .deviceDisconnected, subject: localizedName, cause: "the device was disconnected")
        }
        return SyntheticMicrophoneStream(self, configuration, receiver)
    }
}

/// The clock of the simulated audio device. It reads the current time from the clock that was
/// passed to the microphone, which need not be the host clock.
private final class SyntheticAudioClock: MediaClock {
    private let audio: AudioClock
    private let host: any MediaClock

    init(_ audio: AudioClock, _ host: any MediaClock) {
        self.audio = audio
        self.host = host
    }

    var time: MediaTime { audio.time(atHostTime: host.hostTime(at: host.time)) }
    func time(atHostTime hostTime: MediaTime) -> MediaTime { audio.time(atHostTime: hostTime) }
    func hostTime(at time: MediaTime) -> MediaTime { audio.hostTime(at: time) }
}

/// The audio of a `SyntheticMicrophone` from one start to the next.
final class SyntheticMicrophoneStream: CaptureStream {
    let configuration: CaptureConfiguration
    private let backend: SyntheticMicrophoneBackend
    private let receiver: @Sendable (CaptureStreamEvent) -> Void
    private let ticker = Mutex<SyntheticTicker?>(nil)
    private let start: MediaTime
    /// The number of blocks from one reading of the clock to the next, for about ten readings a
    /// second.
    private let readingInterval: Int
    private let stallCount = Mutex(0)

    init(
        _ backend: SyntheticMicrophoneBackend, _ configuration: CaptureConfiguration,
        _ receiver: @escaping @Sendable (CaptureStreamEvent) -> Void
    ) {
        self.backend = backend
        self.configuration = configuration
        self.receiver = receiver
        start = backend.hostClock.time
        readingInterval = max(1, backend.format.sampleRate / 10 / backend.blockFrames)
        backend.state.withLock { [start] in $0.startTime = start }
        backend.audioClock.beginRun()
        _ = backend.audioClock.addReading(
            deviceTime: 0, hostTime: backend.hostClock.hostTime(at: start).nanoseconds ?? 0)
        let ticker = SyntheticTicker(
            backend.hostClock, thread: "ph-microphone",
            time: { [backend] in
                MediaTime(
                    nanoseconds: Self.hostNanoseconds(($0 + 1) * backend.blockFrames, backend))
            },
            body: { [weak self] in self?.deliver($0) })
        self.ticker.withLock { $0 = ticker }
    }

    /// The host time, from the start, at which the device has captured the given number of sample
    /// frames.
    private static func hostNanoseconds(
        _ frames: Int, _ backend: SyntheticMicrophoneBackend
    ) -> Int64 {
        let nominal = Double(frames) * 1e9 / Double(backend.format.sampleRate)
        return Int64((nominal / (1 + backend.drift)).rounded())
    }

    private func deliver(_ number: Int) {
        let state = backend.state.withLock { $0 }
        guard state.isPresent else { return }
        let conversion = FrameRateConversion(sampleRate: backend.format.sampleRate)
        let first = number * backend.blockFrames
        let end = first + backend.blockFrames
        let host = backend.hostClock.hostTime(
            at: start + MediaTime(nanoseconds: Self.hostNanoseconds(end, backend)))
        let captured = conversion.nanoseconds(frames: Int64(end))
        var offset: Int64?
        if number % readingInterval == 0 {
            offset = backend.audioClock.addReading(
                deviceTime: captured, hostTime: host.nanoseconds ?? 0)
        }
        if let offset { self.offset.withLock { $0 = offset } }
        if state.isStalled {
            noteStall()
            return
        }
        stallCount.withLock { $0 = 0 }
        let time = self.offset.withLock { $0 } + conversion.nanoseconds(frames: Int64(first))
        let buffer = AudioBuffer(
            format: backend.format, presentationTime: MediaTime(nanoseconds: time),
            frameCount: backend.blockFrames
        ) { samples in
            let channels = backend.format.channelCount
            for frame in 0..<backend.blockFrames {
                let value = sample(first + frame)
                for channel in 0..<channels { samples[frame * channels + channel] = value }
            }
        }
        receiver(.audio(buffer))
    }

    /// The clock time of sample frame 0, in nanoseconds.
    private let offset = Mutex<Int64>(0)

    /// Returns one sample of the signal, which has a tone in the first 0.1 s of each second of host
    /// time.
    private func sample(_ frame: Int) -> Float {
        let seconds = Double(Self.hostNanoseconds(frame, backend)) / 1e9
        let place = seconds - seconds.rounded(.down)
        guard place < 0.1 else { return 0 }
        return Float(0.5 * sin(2 * .pi * backend.frequency * place))
    }

    /// Reports a stall once, after about a second.
    private func noteStall() {
        let count = stallCount.withLock { count in
            count += 1
            return count
        }
        if count == backend.format.sampleRate / backend.blockFrames { receiver(.stalled) }
    }

    func stop() {
        let ticker = ticker.withLock { ticker in
            defer { ticker = nil }
            return ticker
        }
        ticker?.stop()
    }
}
