// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
public import PlayheadBuffers
import PlayheadThreads
public import PlayheadTime
import Synchronization

/// A camera whose frames are computed. Each frame shows its number, and the times are exact.
///
/// It needs no hardware, and its frames are the same on every run. With a `ManualClock`, frames
/// arrive within `advance`, on the calling thread, so that a program can be tested without waiting.
///
///     let clock = ManualClock()
///     let camera = SyntheticCamera(clock: clock)
///     let session = CaptureSession()
///     try session.addInput(CaptureDeviceInput(device: camera.device))
///     try session.startRunning()
///     clock.advance(by: MediaTime(value: 1, timescale: 1))    // 30 frames
///
/// - Concurrency: any thread.
/// - Ownership: the device retains the state that it needs; the camera itself may be released.
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
    public init(
        name: String = "Synthetic Camera", width: Int = 640, height: Int = 360,
        framesPerSecond: Int32 = 30, pixelFormat: PixelFormat = .yuv420p,
        clock: any MediaClock = HostClock.shared
    ) {
        backend = SyntheticCameraBackend(
            name: name, width: width, height: height, framesPerSecond: framesPerSecond,
            pixelFormat: pixelFormat, clock: clock)
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

    /// A Boolean value that indicates whether frames are withheld, as if the camera hung.
    public var isStalled: Bool {
        get { backend.faults.withLock { $0.isStalled } }
        set { backend.faults.withLock { $0.isStalled = newValue } }
    }

    /// The numbers of frames that are lost, as if the driver had no free buffer.
    package var lostFrames: Set<Int> {
        get { backend.faults.withLock { $0.lostFrames } }
        set { backend.faults.withLock { $0.lostFrames = newValue } }
    }

    /// The error that opening the camera throws; nil for no error.
    package var openingError: CaptureError? {
        get { backend.faults.withLock { $0.openingError } }
        set { backend.faults.withLock { $0.openingError = newValue } }
    }

    /// The number of times that the camera was opened, and the number of times that it is open now.
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
    let faults = Mutex(Faults())

    init(
        name: String, width: Int, height: Int, framesPerSecond: Int32, pixelFormat: PixelFormat,
        clock: any MediaClock
    ) {
        precondition(width > 0 && height > 0 && framesPerSecond > 0, "a camera has frames")
        uniqueID = "synthetic:\(name)"
        localizedName = name
        self.width = width
        self.height = height
        self.framesPerSecond = framesPerSecond
        self.pixelFormat = pixelFormat
        self.clock = clock
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
///
/// With a manual clock, a timer of a timebase delivers them on the thread that advances the clock;
/// otherwise a separate thread does.
final class SyntheticCameraStream: CaptureStream {
    private struct State {
        var next = 0
        var isStopped = false
        var timer: TimebaseTimer?
        /// The number of the last frame before a stall, and whether the stall was reported.
        var lastDelivered = -1
        var hasStalled = false
    }

    let configuration: CaptureConfiguration
    private let backend: SyntheticCameraBackend
    private let receiver: @Sendable (CaptureStreamEvent) -> Void
    private let start: MediaTime
    private let timebase: Timebase
    private let state = Monitor(State())
    private let thread = Mutex<WorkerThread?>(nil)

    init(
        _ backend: SyntheticCameraBackend, _ configuration: CaptureConfiguration,
        _ receiver: @escaping @Sendable (CaptureStreamEvent) -> Void
    ) {
        self.backend = backend
        self.configuration = configuration
        self.receiver = receiver
        start = backend.clock.time
        timebase = Timebase(masterClock: backend.clock)
        timebase.setRate(1, time: .zero, atMasterTime: start)
        if backend.clock is ManualClock {
            setTimer()
        } else {
            let thread = WorkerThread(name: "ph-camera") { [weak self] in
                while let stream = self, stream.waitForNext() { stream.deliver() }
            }
            self.thread.withLock { $0 = thread }
        }
    }

    /// Returns the time of a frame after the start. The exposure takes one period.
    private func time(of number: Int) -> MediaTime {
        MediaTime(value: Int64(number + 1), timescale: backend.framesPerSecond)
    }

    private func setTimer() {
        let number = state.withLock { $0.next }
        let timer = timebase.addTimer(at: time(of: number)) { [weak self] _ in
            guard let self else { return }
            deliver()
            if !state.withLock({ $0.isStopped }) { setTimer() }
        }
        let isStopped = state.withLock { state in
            state.timer = timer
            return state.isStopped
        }
        if isStopped { timer.cancel() }
    }

    /// Waits for the time of the next frame. Returns false once the stream is stopped.
    private func waitForNext() -> Bool {
        while true {
            let due = backend.clock.hostTime(at: start + time(of: state.withLock { $0.next }))
            let rest = (due - HostClock.shared.time).nanoseconds ?? 0
            if rest <= 0 { return !state.withLock { $0.isStopped } }
            let isStopped = state.wait(nanoseconds: rest) { $0.isStopped ? true : nil }
            if isStopped == true { return false }
        }
    }

    private func deliver() {
        let number = state.withLock { state in
            defer { state.next += 1 }
            return state.next
        }
        let faults = backend.faults.withLock { $0 }
        let hostTime = backend.clock.hostTime(at: start + time(of: number))
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
                    pixelBuffer: buffer, hostTime: hostTime, arrivalTime: hostTime,
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
        let timer = state.change { state -> TimebaseTimer? in
            if state.isStopped { return nil }
            state.isStopped = true
            backend.faults.withLock { $0.open -= 1 }
            return state.timer
        }
        timer?.cancel()
        let thread = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        if let thread, !thread.isCurrent { thread.join() }
    }
}
