// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
import PlayheadThreads
public import PlayheadTime

/// A request for one composed frame, with the time, the instruction and the frames that the tracks
/// show.
///
/// End the request once, with one of the three `finish` methods. Further calls are ignored.
///
/// - Concurrency: any thread.
/// - Corresponds to: `AVAsynchronousVideoCompositionRequest`.
public final class VideoCompositionRequest: Sendable {
    /// The result of a request.
    enum End: Sendable {
        case picture(PixelBuffer)
        case error(String)
        case cancelled
    }

    /// The time of the composed frame.
    public let compositionTime: MediaTime
    /// The instruction at the time.
    public let instruction: VideoCompositionInstruction
    /// The size of the composed frame, and a pool of memory for it.
    public let renderContext: VideoCompositionRenderContext

    private let frames: [Int: PixelBuffer]
    private let end = Monitor<End?>(nil)

    init(
        at time: MediaTime, _ instruction: VideoCompositionInstruction,
        frames: [Int: PixelBuffer], context: VideoCompositionRenderContext
    ) {
        compositionTime = time
        self.instruction = instruction
        self.frames = frames
        renderContext = context
    }

    /// The identifiers of the tracks that show a frame, in ascending order.
    ///
    /// - Corresponds to: `sourceTrackIDs`.
    public var sourceTrackIDs: [Int] { frames.keys.sorted() }

    /// Returns the frame that a track shows; nil if it shows nothing.
    ///
    /// - Corresponds to: `sourceFrame(byTrackID:)`.
    public func sourceFrame(byTrackID id: Int) -> PixelBuffer? { frames[id] }

    /// Ends the request with the composed frame, which may be a source frame.
    ///
    /// - Corresponds to: `finish(withComposedVideoFrame:)`.
    public func finish(with buffer: PixelBuffer) { finish(.picture(buffer)) }

    /// Ends the request with an error. The description of the error is reported.
    ///
    /// - Corresponds to: `finish(with:)` with an error.
    public func finish(throwing error: any Error) { finish(.error(String(describing: error))) }

    /// Ends the request without a frame, because the request was cancelled.
    ///
    /// - Corresponds to: `finishCancelledRequest()`.
    public func finishCancelledRequest() { finish(.cancelled) }

    private func finish(_ result: End) {
        end.change { if $0 == nil { $0 = result } }
    }

    /// Waits for the request to end.
    ///
    /// - Parameter nanoseconds: The maximum time to wait.
    /// - Returns: The result; nil if the request was not ended in this time.
    func wait(nanoseconds: Int64) -> End? { end.wait(nanoseconds: nanoseconds) { $0 } }
}
