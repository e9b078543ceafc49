// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime

/// Rules for making one picture of the video tracks of an asset, for every moment.
///
/// Its instructions follow one another without gaps. A reader, an image generator and an export
/// session draw the same pictures of it, equal in every bit:
///
///     var composition = VideoComposition(
///         renderSize: (1280, 720), frameDuration: MediaTime(value: 1, timescale: 30))
///     composition.instructions = [
///         VideoCompositionInstruction(timeRange: all, layerInstructions: [small, large])
///     ]
///     let session = AssetExportSession(asset: asset, preset: .highestQuality)
///     session.videoComposition = composition
///
/// An instruction that shows one track unchanged, whose frames have the render size, needs no
/// compositing: those frames stay as they were decoded.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: `AVMutableVideoComposition`.
public struct VideoComposition: Sendable {
    /// The size of the picture, in square pixels.
    public var renderSize: (width: Int, height: Int)
    /// The scale of the picture relative to `renderSize`, for previews; 1 by default. Layers are
    /// scaled with it.
    public var renderScale = 1.0
    /// The duration of a frame: frames begin at its multiples. With `sourceTrackIDForFrameTiming`,
    /// where that track shows nothing.
    public var frameDuration: MediaTime
    /// The track whose frames' times are those of the pictures, by `AssetTrack.id`; nil, the
    /// default, for a constant `frameDuration`.
    public var sourceTrackIDForFrameTiming: Int?
    /// The instructions, in the order of their times: each begins where the one before it ends.
    public var instructions: [VideoCompositionInstruction] = []
    /// The colour space of the pictures. Layers are mixed in its numbers, and video of another
    /// dynamic range is converted. BT.709 by default.
    public var colorSpace = ColorSpace.bt709

    /// Makes a compositor of one's own, which draws all pictures; nil, the default, for the layers
    /// of the instructions. Each output, generator and export makes one.
    ///
    /// - Corresponds to: `customVideoCompositorClass`.
    public var makeCompositor: (@Sendable () -> any VideoCompositing)?

    /// Creates a composition without instructions.
    public init(renderSize: (width: Int, height: Int), frameDuration: MediaTime) {
        self.renderSize = renderSize
        self.frameDuration = frameDuration
    }

    /// The size of the pictures, in pixels: the render size with its scale.
    package var pixelSize: (width: Int, height: Int) {
        (
            max(1, Int((Double(renderSize.width) * renderScale).rounded())),
            max(1, Int((Double(renderSize.height) * renderScale).rounded()))
        )
    }

    /// Returns the index of the instruction at a time, or nil without one.
    package func instructionIndex(at time: MediaTime) -> Int? {
        var (low, high) = (0, instructions.count)
        while low < high {
            let middle = (low + high) / 2
            if instructions[middle].timeRange.start <= time {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low > 0 && instructions[low - 1].timeRange.contains(time) ? low - 1 : nil
    }
}
