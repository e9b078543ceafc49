// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
public import PlayheadBuffers
import PlayheadTime

/// A reader output that returns the frames of a video composition in the time range of an
/// `AssetReader`.
///
///     let reader = try AssetReader(asset: asset)
///     let frames = try reader.addVideoCompositionOutput(composition)
///     while let frame = try frames.copyNextSampleBuffer() { … }
///
/// Every frame has its exact time and duration; the first begins at the start of the range.
/// Composed frames are in `PixelFormat.rgba`, with straight alpha. If an instruction needs no
/// compositing, the output returns the decoded frames in their own format.
///
/// - Concurrency: one thread at a time, for a reader and all its outputs together; calls block
///   while they read, decode and draw. Drawing uses a separate thread and OpenGL context.
/// - Ownership: keeps its reader alive.
/// - Errors: `VideoCompositionError`.
/// - Corresponds to: `AVAssetReaderVideoCompositionOutput`.
public final class AssetReaderVideoCompositionOutput {
    /// The composition to read.
    public let videoComposition: VideoComposition

    private let reader: AssetReader
    private let engine: any VideoCompositionEngine
    private var reading: VideoCompositionReading
    private var generation: Int

    /// Creates an output.
    ///
    /// - Throws: The first error in the composition.
    package init(
        _ composition: VideoComposition, of reader: AssetReader,
        engine: any VideoCompositionEngine
    ) throws(VideoCompositionError) {
        videoComposition = composition
        self.reader = reader
        self.engine = engine
        generation = reader.generation
        reading = try Self.reading(of: composition, reader, engine)
    }

    /// Returns the next frame in the reader's time range; nil after the last one.
    ///
    /// - Corresponds to: `copyNextSampleBuffer()`.
    public func copyNextSampleBuffer() throws(VideoCompositionError) -> VideoFrame? {
        if generation != reader.generation {
            generation = reader.generation
            reading = try Self.reading(of: videoComposition, reader, engine)
        }
        return try reading.copyNext()
    }

    private static func reading(
        of composition: VideoComposition, _ reader: AssetReader,
        _ engine: any VideoCompositionEngine
    ) throws(VideoCompositionError) -> VideoCompositionReading {
        try VideoCompositionReading(
            asset: reader.asset, composition: composition, timeRange: reader.timeRange,
            engine: engine, cancellation: reader.cancellation)
    }
}
