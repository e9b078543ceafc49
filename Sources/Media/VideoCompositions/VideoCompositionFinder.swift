// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
package import PlayheadBuffers
package import PlayheadTime

/// Finds the frames of a video composition by their times.
///
/// - Concurrency: one thread at a time; calls block while they read, decode and draw.
package final class VideoCompositionFinder: VideoFrameFinder {
    private let source: VideoCompositionSource
    private let painter: VideoCompositionPainter

    /// Opens an asset.
    package init(
        asset: Asset, composition: VideoComposition, engine: any VideoCompositionEngine
    ) throws(MediaError) {
        painter = VideoCompositionPainter(composition, engine: engine)
        do throws(VideoCompositionError) {
            source = try VideoCompositionSource(
                asset: asset, composition: composition, timeRange: nil,
                cancellation: Cancellation())
        } catch {
            throw error.mediaError(subject: asset.subject)
        }
    }

    /// The description of the asset.
    package var description: AssetDescription { source.description }

    /// Returns the frame that is shown at a time. Tolerances have no effect, because a frame can be
    /// drawn for any time.
    package func picture(
        at time: MediaTime, toleranceBefore tolerance: MediaTime, isCancelled: () -> Bool
    ) throws(MediaError) -> VideoFrame {
        let range = source.description.shownRange
        guard range.contains(time) else {
            throw MediaError(
                .noSuchFrame, subject: source.subject,
                cause: "the video composition shows nothing at \(time)",
                remedy: "use a time in \(range)")
        }
        do throws(VideoCompositionError) {
            let begin = try source.time(at: time)
            let end = min(try source.nextTime(after: begin), range.end)
            let frame = try source.frame(at: begin, until: end)
            return VideoFrame(
                pixelBuffer: try painter.picture(of: frame), presentationTime: begin,
                duration: frame.duration, isKeyframe: true)
        } catch {
            throw error.mediaError(subject: source.subject)
        }
    }
}
