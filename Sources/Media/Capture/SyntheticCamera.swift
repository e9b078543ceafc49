// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
public import PlayheadBuffers
public import PlayheadTime
import Synchronization

/// A simulated camera. Every frame shows its number, and has an exact time.
///
/// It needs no hardware and is the same on every run. On a `ManualClock` its frames arrive inside
/// the call of `advance`, on the calling thread, so that a program can be tested without waiting.
///
///     let clock = ManualClock()
///     let camera = SyntheticCamera(clock: clock)
///     let session = CaptureSession()
///     try session.addInput(CaptureDeviceInput(device: camera.device))
///     try session.startRunning()
///     clock.advance(by: MediaTime(value: 1, timescale: 1))    // 30 frames
///
/// - Concurrency: any thread.
/// - Ownership: the device remains usable after the camera is released.
public final class SyntheticCamera: Sendable {
    /// The camera as a device of a session.
    public let device: CaptureDevice
    private let backend: SyntheticCameraBackend

    /// Creates a camera.
    ///
    /// - Parameters:
    ///   - name: The name for users.
    ///   - width: The width of the frames; numbers are visible from 64 pixels on.
    ///   - height: The height of the frames.
    ///   - framesPerSecond: The rate.
    ///   - pixelFormat: Any format with integer samples of up to 16 bits.
    ///   - clock: The clock of the frames, used in place of the host clock.
    public convenience init(
        name: String = "Synthetic Camera", width: Int = 640, height: Int = 360,
        framesPerSecond: Int32 = 30, pixelFormat: PixelFormat = .yuv420p,
        clock: any MediaClock = HostClock.shared
    ) {
        self.init(
            name: name, width: width, height: height, framesPerSecond: framesPerSecond,
            pixelFormat: pixelFormat, clock: clock, stampDrift: 0)
    }

    /// Creates a camera whose driver's clock runs too fast by the fraction `stampDrift`, such as
    /// 2e-4 for 200 ppm.
    package init(
        name: String = "Synthetic Camera", width: Int = 640, height: Int = 360,
        framesPerSecond: Int32 = 30, pixelFormat: PixelFormat = .yuv420p,
        clock: any MediaClock, stampDrift: Double
    ) {
        backend = SyntheticCameraBackend(
            name: name, width: width, height: height, framesPerSecond: framesPerSecond,
            pixelFormat: pixelFormat, clock: clock, stampDrift: stampDrift)
        device = CaptureDevice(backend)
    }

    /// Unplugs the camera.
    public func disconnect() {
        backend.setPresent(false)
        device.setConnected(false)
    }

    /// Plugs the camera in again.
    public func reconnect() {
        backend.setPresent(true)
        device.setConnected(true)
    }

    /// A Boolean value that indicates whether the camera delivers no frames, like a camera that
    /// hangs.
    public var isStalled: Bool {
        get { backend.faults.withLock { $0.isStalled } }
        set { backend.faults.withLock { $0.isStalled = newValue } }
    }

    /// The numbers of frames that are lost, as by a driver without a free buffer.
    package var lostFrames: Set<Int> {
        get { backend.faults.withLock { $0.lostFrames } }
        set { backend.faults.withLock { $0.lostFrames = newValue } }
    }

    /// The error that opening the camera throws; nil if opening succeeds.
    package var openingError: CaptureError? {
        get { backend.faults.withLock { $0.openingError } }
        set { backend.faults.withLock { $0.openingError = newValue } }
    }

    /// The number of times that the camera was opened so far, and the number of times that it is
    /// open now.
    package var openings: (all: Int, now: Int) { backend.faults.withLock { ($0.opened, $0.open) } }
}

/// The driver's side of a `SyntheticCamera`.
final class SyntheticCameraBackend: CaptureDeviceBackend {
    struct Faults {
        var isPresent = true
        var isStalled = false
        var lostFrames: Set<Int> = []
        var openingError: CaptureError?
        var opened = 0
        var open = 0
    }

    let uniqueID: String
    let localizedName: String
    let width: Int
    let height: Int
    let framesPerSecond: Int32
    let pixelFormat: PixelFormat
    let clock: any MediaClock
    let stampDrift: Double
    let faults = Mutex(Faults())

    init(
        name: String, width: Int, height: Int, framesPerSecond: Int32, pixelFormat: PixelFormat,
        clock: any MediaClock, stampDrift: Double
    ) {
        precondition(width > 0 && height > 0 && framesPerSecond > 0, "a camera has frames")
        uniqueID = "synthetic:\(name)"
        localizedName = name
        self.width = width
        self.height = height
        self.framesPerSecond = framesPerSecond
        self.pixelFormat = pixelFormat
        self.clock = clock
        self.stampDrift = stampDrift
    }

    var isPresent: Bool { faults.withLock { $0.isPresent } }

    func setPresent(_ isPresent: Bool) { faults.withLock { $0.isPresent = isPresent } }

    /// The colours that `SyntheticPicture` paints.
    static let color = ColorAttachments(
        matrix: .bt709, range: .limited, primaries: .bt709, transfer: .bt709, chromaLocation: .left)

    func loadFormats() -> [CaptureFormat] {
        [
            CaptureFormat(
                mediaSubType: pixelFormat.name, width: width, height: height,
                frameRateRanges: [CaptureFrameRateRange(framesPerSecond: framesPerSecond)],
                color: Self.color)
        ]
    }

    func start(
        _ configuration: CaptureConfiguration,
        receiver: @escaping @Sendable (CaptureStreamEvent) -> Void
    ) throws(CaptureError) -> any CaptureStream {
        let error = faults.withLock { faults -> CaptureError? in
            if let error = faults.openingError { return error }
            guard faults.isPresent else {
                return CaptureError(
                    .deviceDisconnected, subject: localizedName,
                    cause: "the device was disconnected")
            }
            faults.opened += 1
            faults.open += 1
            return nil
        }
        if let error { throw error }
        return SyntheticCameraStream(self, configuration, receiver)
    }
}

/// The frames of a `SyntheticCamera` from one start to the next.
final class SyntheticCameraStream: CaptureStream {
    private struct State {
        /// The number of the last frame before the camera stalled, and whether the stall was
        /// reported.
        var lastDelivered = -1
        var hasStalled = false
        var stamps = StampClock()
    }

    let configuration: CaptureConfiguration
    private let backend: SyntheticCameraBackend
    private let receiver: @Sendable (CaptureStreamEvent) -> Void
    private let start: MediaTime
    private let state = Mutex(State())
    private let ticker = Mutex<SyntheticTicker?>(nil)

    init(
        _ backend: SyntheticCameraBackend, _ configuration: CaptureConfiguration,
        _ receiver: @escaping @Sendable (CaptureStreamEvent) -> Void
    ) {
        self.backend = backend
        self.configuration = configuration
        self.receiver = receiver
        start = backend.clock.time
        let rate = backend.framesPerSecond
        let ticker = SyntheticTicker(
            backend.clock, thread: "ph-camera", time: { Self.time(of: $0, rate) },
            body: { [weak self] in self?.deliver($0) })
        self.ticker.withLock { $0 = ticker }
    }

    /// The time of a frame, from the start. The first frame arrives one period after the start.
    private static func time(of number: Int, _ rate: Int32) -> MediaTime {
        MediaTime(value: Int64(number + 1), timescale: rate)
    }

    /// The host time that the camera states, and the time at which the frame arrives.
    private func times(of number: Int) -> (stamp: MediaTime, arrival: MediaTime) {
        let elapsed = Self.time(of: number, backend.framesPerSecond)
        let arrival = backend.clock.hostTime(at: start + elapsed)
        guard backend.stampDrift != 0 else { return (arrival, arrival) }
        let error = Int64((elapsed.seconds * backend.stampDrift * 1e9).rounded())
        let now = arrival.nanoseconds ?? 0
        let stamp = state.withLock { $0.stamps.time(stamp: now + error, arrival: now) }
        return (MediaTime(nanoseconds: stamp), arrival)
    }

    private func deliver(_ number: Int) {
        let faults = backend.faults.withLock { $0 }
        let (hostTime, arrival) = times(of: number)
        if !faults.isPresent { return }
        if faults.isStalled {
            noteStall(at: number)
            return
        }
        state.withLock { ($0.lastDelivered, $0.hasStalled) = (number, false) }
        if faults.lostFrames.contains(number) {
            receiver(.lost(count: 1, time: hostTime, reason: .discontinuity))
            return
        }
        let picture = SyntheticPicture(
            number: number % FrameNumberStrip.limit, width: backend.width, height: backend.height,
            isFlash: number % Int(backend.framesPerSecond) < 2)
        let buffer = picture.pixelBuffer(
            format: backend.pixelFormat,
            attachments: PixelBufferAttachments(color: SyntheticCameraBackend.color))
        receiver(
            .frame(
                CaptureFrame(
                    pixelBuffer: buffer, hostTime: hostTime, arrivalTime: arrival,
                    sequence: number)))
    }

    /// Reports a stall once, a second after the last frame.
    private func noteStall(at number: Int) {
        let begins = state.withLock { state in
            guard !state.hasStalled,
                number - state.lastDelivered > Int(backend.framesPerSecond)
            else { return false }
            state.hasStalled = true
            return true
        }
        if begins { receiver(.stalled) }
    }

    func stop() {
        let ticker = ticker.withLock { ticker in
            defer { ticker = nil }
            return ticker
        }
        guard let ticker, ticker.stop() else { return }
        backend.faults.withLock { $0.open -= 1 }
    }
}
