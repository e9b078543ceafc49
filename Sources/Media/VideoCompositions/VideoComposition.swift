// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime

/// A description of how the video tracks of an asset are composed into frames.
///
/// Its instructions follow one another without gaps. A reader, an image generator and an export
/// session draw identical frames from it, bit for bit:
///
///     var composition = VideoComposition(
///         renderSize: (1280, 720), frameDuration: MediaTime(value: 1, timescale: 30))
///     composition.instructions = [
///         VideoCompositionInstruction(timeRange: all, layerInstructions: [small, large])
///     ]
///     let session = AssetExportSession(asset: asset, preset: .highestQuality)
///     session.videoComposition = composition
///
/// If an instruction shows one track unchanged and the track's frames have the render size, no
/// compositing is needed: the decoded frames are used as they are.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: `AVMutableVideoComposition`.
public struct VideoComposition: Sendable {
    /// The size of the composed frames, in square pixels.
    public var renderSize: (width: Int, height: Int)
    /// The scale of composed frames relative to `renderSize`, for previews; 1 by default. Layers
    /// are scaled too.
    public var renderScale = 1.0
    /// The duration of a composed frame. Frames begin at multiples of it. If
    /// `sourceTrackIDForFrameTiming` is set, this duration applies only where that track shows
    /// nothing.
    public var frameDuration: MediaTime
    /// The `AssetTrack.id` of the track that determines the times of composed frames; nil, the
    /// default, for a constant `frameDuration`.
    public var sourceTrackIDForFrameTiming: Int?
    /// The instructions, sorted by time. Each begins where the one before it ends.
    public var instructions: [VideoCompositionInstruction] = []
    /// The colour space of composed frames; BT.709 by default. Layers are blended in the encoded
    /// values of this colour space. Video with another dynamic range is converted.
    public var colorSpace = ColorSpace.bt709

    /// A function that creates a custom compositor, which composes all frames. Each output,
    /// generator and export calls it once. If it is nil, the default, the layers of the
    /// instructions are drawn.
    ///
    /// - Corresponds to: `customVideoCompositorClass`.
    public var makeCompositor: (@Sendable () -> any VideoCompositing)?

    /// The effects, titles and shaders that are drawn in addition to the layers of the
    /// instructions; nil if there are none. Only the module that draws them knows the type.
    package var drawing: (any Sendable)?

    /// A Boolean value that indicates whether decoded frames are used unchanged, whatever their
    /// size, orientation and colours.
    var showsFramesUnchanged = false

    /// A Boolean value that indicates whether every frame must be drawn, so that no decoded frame
    /// is used unchanged.
    package var drawsEveryPicture: Bool { makeCompositor != nil || drawing != nil }

    /// Creates a composition without instructions.
    public init(renderSize: (width: Int, height: Int), frameDuration: MediaTime) {
        self.renderSize = renderSize
        self.frameDuration = frameDuration
    }

    /// The size of the frames, in pixels: the render size times the render scale.
    package var pixelSize: (width: Int, height: Int) {
        (
            max(1, Int((Double(renderSize.width) * renderScale).rounded())),
            max(1, Int((Double(renderSize.height) * renderScale).rounded()))
        )
    }

    /// Returns the index of the instruction at a time; nil if there is no instruction.
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
