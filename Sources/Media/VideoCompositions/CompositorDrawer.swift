// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
package import PlayheadBuffers
import PlayheadThreads
import PlayheadTime

/// A drawer that requests each frame from a custom compositor, and checks that the compositor keeps
/// the rules of `VideoCompositing`.
///
/// The compositor is called on a separate thread. If it blocks, the caller waits no longer than the
/// limit.
///
/// - Concurrency: one thread at a time; `cancel` on any thread.
package final class CompositorDrawer: VideoCompositionDrawer, @unchecked Sendable {
    // Unchecked: `cancellation` is set before the first frame is drawn; the rest is constant.

    private struct State {
        var calls: [@Sendable () -> Void] = []
        var isEnding = false
        var isCancelled = false
        var lastEnd: MediaTime?
        /// The request in progress.
        var request: VideoCompositionRequest?
        /// A Boolean value that indicates whether the compositor failed to end a request in time.
        var isStuck = false
    }

    /// The time in which a request must be ended, in nanoseconds.
    private static let longestRequest: Int64 = 10_000_000_000
    /// The interval at which the cancellation is read while a request is in progress.
    private static let step: Int64 = 20_000_000

    private let compositor: any VideoCompositing
    private let context: VideoCompositionRenderContext
    private let size: (width: Int, height: Int)
    private let wantsRGBA: Bool
    private let limit: Int64
    private let convert: @Sendable (PixelBuffer) -> PixelBuffer
    private let state = Monitor(State())
    /// The cancellation of the reader or player for which frames are drawn. It is set before the
    /// first one.
    var cancellation: Cancellation?

    /// Creates a drawer.
    ///
    /// - Parameters:
    ///   - limit: The time in which a request must be ended, in nanoseconds; nil for 10 seconds.
    ///   - convert: A function that returns a frame in `.rgba`, upright, with straight alpha.
    package init(
        _ compositor: any VideoCompositing, composition: VideoComposition, limit: Int64? = nil,
        convert: @escaping @Sendable (PixelBuffer) -> PixelBuffer
    ) throws(VideoCompositionError) {
        self.compositor = compositor
        size = composition.pixelSize
        self.limit = limit ?? Self.longestRequest
        self.convert = convert
        context = VideoCompositionRenderContext(
            size: composition.pixelSize, renderScale: composition.renderScale,
            colorSpace: composition.colorSpace)
        let format = compositor.sourcePixelFormat
        guard format == nil || format == .rgba else {
            throw VideoCompositionError(
                .compositorFailed,
                cause: "the compositor requests frames in \(format?.name ?? "")",
                remedy: "use rgba, or nil for the format of the decoder")
        }
        wantsRGBA = format == .rgba
        let state = state
        _ = WorkerThread(name: "ph-compositor") {
            while true {
                let call = state.wait { state -> (@Sendable () -> Void)?? in
                    if !state.calls.isEmpty { return .some(state.calls.removeFirst()) }
                    return state.isEnding ? .some(nil) : nil
                }
                guard let call else { return }
                call()
            }
        }
        perform { [compositor, context] in compositor.renderContextChanged(context) }
    }

    deinit { state.change { $0.isEnding = true } }

    private func perform(_ call: @escaping @Sendable () -> Void) {
        state.change { $0.calls.append(call) }
    }

    package func draw(
        _ frame: VideoCompositionFrame
    ) throws(VideoCompositionError) -> PixelBuffer {
        let (isCancelled, isStuck, last) = state.change { state in
            defer { state.lastEnd = frame.time + frame.duration }
            return (state.isCancelled, state.isStuck, state.lastEnd)
        }
        guard !isCancelled else { throw error(.cancelled, "drawing was cancelled", frame) }
        guard !isStuck else {
            throw error(.compositorFailed, "the compositor has not ended an earlier request", frame)
        }
        let isSeek = last != nil && last != frame.time
        let hint = VideoCompositionRenderHint(
            startTime: frame.time, endTime: isSeek ? frame.time : frame.time + frame.duration)
        let request = VideoCompositionRequest(
            at: frame.time, frame.instruction,
            frames: frame.sourceFrames.mapValues {
                wantsRGBA ? convert($0.pixelBuffer) : $0.pixelBuffer
            }, context: context)
        state.change { state in
            state.request = request
            if state.isCancelled { request.finishCancelledRequest() }
        }
        defer { state.change { $0.request = nil } }
        perform { [compositor] in
            compositor.anticipateRendering(hint)
            compositor.startRequest(request)
        }
        guard let end = wait(for: request) else {
            state.change { $0.isStuck = true }
            // The request is abandoned. If the compositor ends it later, the result is ignored.
            request.finishCancelledRequest()
            throw error(
                .compositorFailed,
                "the compositor has not ended the request in \(Double(limit) / 1e9) seconds", frame)
        }
        switch end {
        case .cancelled:
            guard state.withLock({ $0.isCancelled }) else {
                throw error(
                    .compositorFailed, "the compositor cancelled a request without being asked to",
                    frame)
            }
            throw error(.cancelled, "drawing was cancelled", frame)
        case .error(let text): throw error(.compositorFailed, text, frame)
        case .picture(let buffer):
            guard buffer.width == size.width, buffer.height == size.height else {
                throw error(
                    .compositorFailed,
                    "the compositor returned a frame of \(buffer.width) x \(buffer.height) "
                        + "pixels instead of \(size.width) x \(size.height)", frame)
            }
            return buffer
        }
    }

    /// Returns the end of a request; nil if it was not ended in time.
    private func wait(for request: VideoCompositionRequest) -> VideoCompositionRequest.End? {
        guard let cancellation else { return request.wait(nanoseconds: limit) }
        var rest = limit
        while rest > 0 {
            if let end = request.wait(nanoseconds: min(rest, Self.step)) { return end }
            if cancellation.isCancelled { cancel() }
            rest -= Self.step
        }
        return nil
    }

    /// Returns a Boolean value that indicates whether the drawer can draw another composition,
    /// because the compositor is of the same type and the frames are of the same kind.
    ///
    /// - Parameter compositor: A compositor of the other composition.
    package func canDraw(
        _ composition: VideoComposition, with compositor: any VideoCompositing
    ) -> Bool {
        type(of: compositor) == type(of: self.compositor) && composition.pixelSize == size
            && composition.renderScale == context.renderScale
            && composition.colorSpace == context.colorSpace
    }

    package func cancel() {
        let request = state.change { state in
            state.isCancelled = true
            return state.request
        }
        // The caller of `draw` stops waiting, even if the compositor continues.
        request?.finishCancelledRequest()
        // A compositor may block until it has ended its requests.
        _ = WorkerThread(name: "ph-compositor") { [compositor] in
            compositor.cancelAllPendingRequests()
        }
    }

    private func error(
        _ code: VideoCompositionError.Code, _ cause: String, _ frame: VideoCompositionFrame
    ) -> VideoCompositionError {
        VideoCompositionError(
            code, cause: cause, instructionIndex: frame.instructionIndex, time: frame.time)
    }
}
