// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers

/// A custom compositor, which composes each frame of a video composition from the frames of its
/// tracks. It works with pixel buffers, outside of the render thread.
///
///     final class Negative: VideoCompositing {
///         var sourcePixelFormat: PixelFormat? { .rgba }
///         func renderContextChanged(_ context: VideoCompositionRenderContext) {}
///         func startRequest(_ request: VideoCompositionRequest) { … }
///     }
///     composition.makeCompositor = { Negative() }
///
/// Each reader output, image generator and export uses a separate instance. The first call is
/// `renderContextChanged`; then requests start in the order of their times, except after seeks. End
/// each request once: with a composed frame, with an error or as cancelled. If it is ended again,
/// the call is ignored.
///
/// - Concurrency: called on one thread of the library at a time, except `cancelAllPendingRequests`,
///   which is called on any thread. A request may be ended on any thread.
/// - Errors: if a request is not ended in time, ends with an error, or ends with a frame of the
///   wrong size, reading fails with `VideoCompositionError.Code.compositorFailed`.
/// - Corresponds to: `AVVideoCompositing`.
public protocol VideoCompositing: AnyObject, Sendable {
    /// The format of the frames in requests: `.rgba`, upright and with straight alpha, or nil for
    /// the format of the decoder. The property is read once.
    var sourcePixelFormat: PixelFormat? { get }

    /// Called with the size of the composed frames, before the first request.
    func renderContextChanged(_ context: VideoCompositionRenderContext)

    /// Starts composing a frame. The method may return before the request is ended.
    func startRequest(_ request: VideoCompositionRequest)

    /// Ends all started requests with `finishCancelledRequest`, and then returns.
    func cancelAllPendingRequests()

    /// Called with the times for which frames will be requested next, before the first of these
    /// requests.
    ///
    /// - Parameter hint: The range of times; empty after a seek.
    func anticipateRendering(_ hint: VideoCompositionRenderHint)
}

extension VideoCompositing {
    /// The default implementation returns nil, for the format of the decoder.
    public var sourcePixelFormat: PixelFormat? { nil }

    /// The default implementation does nothing. It suits compositors that end each request before
    /// `startRequest` returns.
    public func cancelAllPendingRequests() {}

    /// The default implementation does nothing.
    public func anticipateRendering(_ hint: VideoCompositionRenderHint) {}
}
