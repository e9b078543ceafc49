// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers

/// A compositor of one's own: makes each picture of a video composition of the frames of its
/// tracks, off the render thread, with pixel buffers.
///
///     final class Negative: VideoCompositing {
///         var sourcePixelFormat: PixelFormat? { .rgba }
///         func renderContextChanged(_ context: VideoCompositionRenderContext) {}
///         func startRequest(_ request: VideoCompositionRequest) { … }
///     }
///     composition.makeCompositor = { Negative() }
///
/// Each reader output, image generator and export has an instance of its own. The first call is
/// `renderContextChanged`; then requests start in the order of their times, except after seeks.
/// Each request is ended once: with a picture, with an error or as cancelled. A further end is
/// ignored.
///
/// - Concurrency: calls come from one thread of the library at a time, except
///   `cancelAllPendingRequests`, which may come from any. A request may be ended on any thread.
/// - Errors: a request that is not ended in time, that ends with an error, or whose picture has
///   another size ends reading with `VideoCompositionError.Code.compositorFailed`.
/// - Corresponds to: `AVVideoCompositing`.
public protocol VideoCompositing: AnyObject, Sendable {
    /// The format of the frames in requests: `.rgba`, with straight alpha and upright, or nil for
    /// that of the decoder. It is read once.
    var sourcePixelFormat: PixelFormat? { get }

    /// Receives the size of the pictures, before the first request.
    func renderContextChanged(_ context: VideoCompositionRenderContext)

    /// Starts making a picture. It may return before the request is ended.
    func startRequest(_ request: VideoCompositionRequest)

    /// Ends all requests that are started, with `finishCancelledRequest`, and returns then.
    func cancelAllPendingRequests()

    /// Receives the times for which pictures will be requested next, before the first of them.
    ///
    /// - Parameter hint: A range that is empty after a seek.
    func anticipateRendering(_ hint: VideoCompositionRenderHint)
}

extension VideoCompositing {
    /// The format of the decoder.
    public var sourcePixelFormat: PixelFormat? { nil }

    /// Does nothing: for compositors that end each request before `startRequest` returns.
    public func cancelAllPendingRequests() {}

    /// Does nothing.
    public func anticipateRendering(_ hint: VideoCompositionRenderHint) {}
}
