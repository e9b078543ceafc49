// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadPlayback
public import PlayheadTime
import Synchronization

/// An output that shows the newest frame: a source for layers, effects and windows, like the video
/// output of a player.
///
///     let preview = CapturePreview()
///     try session.addOutput(preview)
///     presenter.scene = Scene(layers: [Layer(.video(preview), effects: [effect])])
///
/// The preview holds one frame. A new frame replaces the previous one, even if the previous one was
/// not shown. Item times are times of the session's clock.
///
/// - Concurrency: any thread, one caller at a time. Never waits for a device.
/// - Corresponds to: `AVCaptureVideoPreviewLayer`.
public final class CapturePreview: CaptureOutput, NotifyingPixelBufferSource, @unchecked Sendable {
    // Unchecked as its superclass is; the state is under a lock.

    fileprivate struct State {
        var frame: (buffer: PixelBuffer, time: MediaTime)?
        /// The identifier of the last frame that was taken.
        var taken: UInt64?
        /// The handlers that wait for a frame, by number.
        var waiting: [Int: @Sendable () -> Void] = [:]
        var lastNumber = 0
        var clock: (any MediaClock)?
        var receivedCount = 0
        var replacedCount = 0
    }

    private let state = Mutex(State())

    /// Creates a preview that belongs to no session.
    public override init() { super.init() }

    /// The number of frames that were replaced by newer ones before they were taken.
    package var replacedFrameCount: Int { state.withLock { $0.replacedCount } }

    /// The number of frames that have arrived.
    public var receivedFrameCount: Int { state.withLock { $0.receivedCount } }

    /// Returns the time of the session's clock when the host clock reads `hostTime`.
    public func itemTime(forHostTime hostTime: MediaTime) -> MediaTime {
        state.withLock { $0.clock }?.time(atHostTime: hostTime) ?? hostTime
    }

    /// Returns whether a frame has arrived since the last one that was taken. The time does not
    /// matter: a camera's newest frame is always due.
    public func hasNewPixelBuffer(forItemTime itemTime: MediaTime) -> Bool {
        state.withLock { $0.hasNews }
    }

    /// Returns the newest frame and the time at which it was captured, and marks it as taken.
    public func copyPixelBuffer(
        forItemTime itemTime: MediaTime
    ) -> (PixelBuffer, displayTime: MediaTime)? {
        state.withLock { state in
            guard let frame = state.frame else { return nil }
            state.taken = frame.buffer.identifier
            return (frame.buffer, frame.time)
        }
    }

    /// Calls `handler` once: when the next frame arrives, or immediately if a new frame has arrived
    /// already.
    ///
    /// A camera does not announce its frames, so `interval` has no effect.
    public func notifyOfMediaDataChange(
        withAdvanceInterval interval: MediaTime, on queue: ObservationQueue,
        handler: @escaping @Sendable () -> Void
    ) -> ObservationToken {
        let gate = ObservationGate()
        let fulfil: @Sendable () -> Void = { queue.async { gate.pass(handler) } }
        let number = state.withLock { state -> Int? in
            if state.hasNews { return nil }
            state.lastNumber += 1
            state.waiting[state.lastNumber] = fulfil
            return state.lastNumber
        }
        if number == nil { fulfil() }
        return ObservationToken(gate: gate) { [weak self] in
            guard let self, let number else { return }
            let former = state.withLock { $0.waiting.removeValue(forKey: number) }
            withExtendedLifetime(former) {}
        }
    }

    // MARK: - Interface of the session

    override func attach(to owner: (any AnyObject & Sendable)?, clock: (any MediaClock)?) {
        super.attach(to: owner, clock: clock)
        state.withLock { $0.clock = clock }
    }

    override func receive(
        _ frame: CaptureFrame, at time: MediaTime, from connection: CaptureConnection
    ) {
        let buffer = frame.pixelBuffer.oriented(connection.orientation)
        let (waiting, former) = state.withLock { state in
            if state.hasNews { state.replacedCount += 1 }
            state.receivedCount += 1
            let former = state.frame
            state.frame = (buffer, time)
            defer { state.waiting.removeAll() }
            return (Array(state.waiting.values), former)
        }
        // The frame's memory is freed outside of the lock.
        withExtendedLifetime(former) {}
        for handler in waiting { handler() }
    }
}

extension CapturePreview.State {
    fileprivate var hasNews: Bool { frame.map { $0.buffer.identifier != taken } ?? false }
}
