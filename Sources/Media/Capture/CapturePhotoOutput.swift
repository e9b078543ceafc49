// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Synchronization

/// An output that delivers single frames on request.
///
///     let photo = CapturePhotoOutput()
///     try session.addOutput(photo)
///     let frame = try await photo.capturePhoto()
///
/// The frame is the next one that the device delivers after the call. It has the device's sample
/// format, and a time on the session's clock.
///
/// - Concurrency: any thread. Concurrent requests receive the same frame.
/// - Corresponds to: `AVCapturePhotoOutput`.
public final class CapturePhotoOutput: CaptureOutput, @unchecked Sendable {
    // Unchecked as its superclass is; the state is under a lock.

    private struct State {
        var isRunning = false
        var waiting: [@Sendable (Result<VideoFrame, CaptureError>) -> Void] = []
    }

    private let state = Mutex(State())

    /// Creates an output that belongs to no session.
    public override init() { super.init() }

    deinit {
        let waiting = state.withLock { $0.waiting }
        for handler in waiting { handler(.failure(Self.noFrame)) }
    }

    private static let noFrame = CaptureError(
        .wrongState, subject: "", cause: "the session stopped before a frame arrived",
        remedy: "start the session, and stop it after the photo")
    private static let noDevice = CaptureError(
        .wrongState, subject: "", cause: "the output is not connected to a device",
        remedy: "add it to a session with an input first")

    /// Returns the next frame of the device.
    ///
    /// - Throws: `wrongState` if the session is not running or stops before a frame arrives, if the
    ///   output has no connection or loses it, or if the task is cancelled.
    public func capturePhoto() async throws(CaptureError) -> VideoFrame {
        let result = await waitForCompletion(
            orCancellation: Result<VideoFrame, CaptureError>.failure(
                CaptureError(.wrongState, subject: "", cause: "the photo was cancelled"))
        ) { completion in
            let isRunning = state.withLock { state in
                if state.isRunning { state.waiting.append(completion) }
                return state.isRunning
            }
            if !isRunning { completion(.failure(Self.noFrame)) }
            // The connection may have been removed just before.
            if connection == nil { fail(Self.noDevice) }
        }
        return try result.get()
    }

    /// Fails all requests.
    private func fail(_ error: CaptureError) {
        let waiting = state.withLock { state in
            defer { state.waiting.removeAll() }
            return state.waiting
        }
        for handler in waiting { handler(.failure(error)) }
    }

    /// The number of requests that wait for a frame.
    package var pendingRequestCount: Int { state.withLock { $0.waiting.count } }

    // MARK: - Interface of the session

    override func receive(
        _ frame: CaptureFrame, at time: MediaTime, from connection: CaptureConnection
    ) {
        let waiting = state.withLock { state in
            defer { state.waiting.removeAll() }
            return state.waiting
        }
        guard !waiting.isEmpty else { return }
        let photo = VideoFrame(
            pixelBuffer: frame.pixelBuffer.oriented(connection.orientation),
            presentationTime: time, duration: .invalid, isKeyframe: true)
        for handler in waiting { handler(.success(photo)) }
    }

    override func detach(from connection: CaptureConnection) {
        super.detach(from: connection)
        if self.connection == nil { fail(Self.noDevice) }
    }

    override func sessionDidChange(isRunning: Bool) {
        state.withLock { $0.isRunning = isRunning }
        if !isRunning { fail(Self.noFrame) }
    }
}
