// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
package import PlayheadBuffers
package import PlayheadTime

/// Reads the frames of a video composition in a time range, in order.
///
/// - Concurrency: one thread at a time; calls block while they read, decode and draw.
package final class VideoCompositionReading {
    /// The source of the frames from which composed frames are drawn.
    package let source: VideoCompositionSource
    /// The range that is read.
    package let range: MediaTimeRange
    private let engine: any VideoCompositionEngine
    private let drawing: VideoCompositionDrawing
    private var next: MediaTime?

    /// Opens an asset.
    ///
    /// - Parameters:
    ///   - timeRange: The range to read; nil for the whole asset.
    ///   - drawing: The drawing of the frames, which another thread may cancel.
    package init(
        asset: Asset, composition: VideoComposition, timeRange: MediaTimeRange?,
        engine: any VideoCompositionEngine, cancellation: Cancellation,
        drawing: VideoCompositionDrawing = VideoCompositionDrawing()
    ) throws(VideoCompositionError) {
        source = try VideoCompositionSource(
            asset: asset, composition: composition, timeRange: timeRange,
            cancellation: cancellation)
        self.engine = engine
        self.drawing = drawing
        let whole = source.description.shownRange
        range = timeRange.map(whole.intersection) ?? whole
        next = range.isEmpty ? nil : range.start
    }

    /// Returns the next frame; nil after the last one.
    ///
    /// If a frame needs no compositing, it is the decoded frame. All others are in `.rgba`.
    package func copyNext() throws(VideoCompositionError) -> VideoFrame? {
        guard let time = next, time < range.end else { return nil }
        let following = try source.nextTime(after: time)
        let frame = try source.frame(at: time, until: min(following, range.end))
        if frame.sourceFrames.isEmpty, try source.isOver(at: time) {
            next = nil
            return nil
        }
        next = following
        return VideoFrame(
            pixelBuffer: try picture(of: frame), presentationTime: time, duration: frame.duration,
            isKeyframe: true)
    }

    private func picture(
        of frame: VideoCompositionFrame
    ) throws(VideoCompositionError) -> PixelBuffer {
        if let buffer = frame.plainBuffer(for: source.composition) { return buffer }
        return try drawing.draw(frame, of: source.composition, by: engine)
    }
}
