// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import PlayheadVideoCompositions

/// An output of the frames of an export, in the order of their times: those of a track or of a
/// video composition.
protocol ExportVideoOutput: AnyObject {
    /// Returns the next frame; nil after the last one.
    func copyNextSampleBuffer() throws(MediaError) -> VideoFrame?
}

extension AssetReaderTrackOutput: ExportVideoOutput where Sample == VideoFrame {}

/// The frames of a video composition.
final class ComposedVideoOutput: ExportVideoOutput {
    private let reading: VideoCompositionReading

    init(
        _ composition: VideoComposition, of asset: Asset, in range: MediaTimeRange,
        engine: any VideoCompositionEngine, cancellation: Cancellation,
        drawing: VideoCompositionDrawing
    ) throws(MediaError) {
        do throws(VideoCompositionError) {
            reading = try VideoCompositionReading(
                asset: asset, composition: composition, timeRange: range, engine: engine,
                cancellation: cancellation, drawing: drawing)
        } catch {
            throw error.mediaError(subject: asset.subject)
        }
    }

    func copyNextSampleBuffer() throws(MediaError) -> VideoFrame? {
        do throws(VideoCompositionError) {
            return try reading.copyNext()
        } catch {
            throw error.mediaError(subject: reading.source.subject)
        }
    }
}
