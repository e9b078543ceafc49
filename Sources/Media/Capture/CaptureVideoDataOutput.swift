// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
public import PlayheadPlayback
import PlayheadThreads
import PlayheadTime
import Synchronization

/// An output that delivers frames to a delegate, for analysis or processing.
///
///     let output = CaptureVideoDataOutput()
///     output.setDelegate(detector, queue: ObservationQueue(queue))
///     try session.addOutput(output)
///
/// The delegate has at most four frames at a time, including those that wait for it. While it keeps
/// four, further frames are dropped, for this output only: the device, the preview and other
/// outputs continue. Each dropped frame is reported once, with its time and the reason.
///
/// - Concurrency: any thread. The delegate is called on its queue, one call at a time.
/// - Ownership: the delegate is not retained.
/// - Corresponds to: `AVCaptureVideoDataOutput`.
public final class CaptureVideoDataOutput: CaptureOutput, @unchecked Sendable {
    // Unchecked as its superclass is; the state is under a lock.

    /// The maximum number of frames that the delegate has at a time.
    public static let maximumFrameCount = 4

    fileprivate enum Event {
        case frame(VideoFrame, CaptureConnection)
        case drop(MediaTime, CaptureDropReason, CaptureConnection)
    }

    fileprivate struct State {
        weak var delegate: (any CaptureVideoDataOutputDelegate)?
        var queue = ObservationQueue.background
        var discardsLateFrames = true
        /// The frames and drops that have not been reported to the delegate yet.
        var events: [Event] = []
        /// A Boolean value that indicates whether a job that calls the delegate is in the
        /// delegate's queue.
        var isScheduled = false
        /// The number of frames in `events`, plus one while the delegate is being called for a
        /// frame.
        var pendingCount = 0
        /// The frames that clients have not released yet.
        var lent: [WeakReference<PixelBuffer>] = []
    }

    private let state = Mutex(State())

    /// Creates an output without a delegate.
    public override init() { super.init() }

    /// A Boolean value that indicates whether frames that arrive while the delegate is busy are
    /// dropped; `true` by default. If it is `false`, up to four frames wait.
    public var alwaysDiscardsLateVideoFrames: Bool {
        get { state.withLock { $0.discardsLateFrames } }
        set { state.withLock { $0.discardsLateFrames = newValue } }
    }

    /// Sets the delegate, which is not retained, and the serial queue on which it is called.
    ///
    /// - Corresponds to: `setSampleBufferDelegate(_:queue:)`.
    public func setDelegate(
        _ delegate: (any CaptureVideoDataOutputDelegate)?, queue: ObservationQueue = .background
    ) {
        state.withLock {
            $0.delegate = delegate
            $0.queue = queue
        }
    }

    /// The number of frames that the delegate has or that wait for it.
    package var lentFrameCount: Int { state.withLock { $0.countLent() } }

    // MARK: - Interface of the session

    override func receive(
        _ frame: CaptureFrame, at time: MediaTime, from connection: CaptureConnection
    ) {
        let orientation = connection.orientation
        add { state in
            let reason: CaptureDropReason? =
                if state.discardsLateFrames, state.pendingCount > 0 {
                    .lateData
                } else if state.countLent() >= Self.maximumFrameCount {
                    .outOfBuffers
                } else {
                    nil
                }
            if let reason { return [.drop(time, reason, connection)] }
            // This is a separate object, so that only clients of this output retain it.
            let buffer = PixelBuffer(sharing: frame.pixelBuffer).oriented(orientation)
            state.lent.append(WeakReference(buffer))
            state.pendingCount += 1
            let video = VideoFrame(
                pixelBuffer: buffer, presentationTime: time, duration: .invalid, isKeyframe: true)
            return [.frame(video, connection)]
        }
    }

    override func receiveDrop(
        count: Int, at time: MediaTime, reason: CaptureDropReason,
        from connection: CaptureConnection
    ) {
        add { _ in Array(repeating: .drop(time, reason, connection), count: count) }
    }

    private func add(_ events: (inout State) -> [Event]) {
        let queue = state.withLock { state -> ObservationQueue? in
            guard state.delegate != nil else { return nil }
            state.events += events(&state)
            if state.isScheduled || state.events.isEmpty { return nil }
            state.isScheduled = true
            return state.queue
        }
        queue?.async { [weak self] in self?.deliver() }
    }

    /// Calls the delegate, on its queue, for all waiting frames and drops.
    private func deliver() {
        while let (event, delegate) = next() {
            switch event {
            case .frame(let frame, let connection):
                delegate?.captureOutput(self, didOutput: frame, from: connection)
            case .drop(let time, let reason, let connection):
                delegate?.captureOutput(
                    self, didDropFrameAt: time, reason: reason, from: connection)
            }
            if case .frame = event { state.withLock { $0.pendingCount -= 1 } }
        }
    }

    private func next() -> (Event, (any CaptureVideoDataOutputDelegate)?)? {
        state.withLock { state in
            guard !state.events.isEmpty else {
                state.isScheduled = false
                return nil
            }
            return (state.events.removeFirst(), state.delegate)
        }
    }
}

extension CaptureVideoDataOutput.State {
    fileprivate mutating func countLent() -> Int {
        lent.removeAll { $0.object == nil }
        return lent.count
    }
}
