// SPDX-License-Identifier: Apache-2.0

public import PlayheadLayers

/// Layers that are drawn with the frames of a video composition: titles, shaders and images with
/// animations, burnt into an export.
///
///     var title = Layer(.image(text), frame: .pixels(place))
///     title.animate(.opacity([0, 1]), beginTime: .zero, duration: oneSecond)
///     composition.animationTool = VideoCompositionAnimationTool(over: [title])
///
/// Animations run on the timeline of the composition: a begin time of 0 is its start. The same
/// layers are drawn wherever the composition is drawn: in an export, in an image and in a player.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: `AVVideoCompositionCoreAnimationTool`.
public struct VideoCompositionAnimationTool: Sendable {
    /// A function that receives the layer of the video, which fills the frame, and returns all
    /// layers of the frame, from back to front.
    let layers: @Sendable (_ video: Layer) -> [Layer]

    /// Creates a tool that draws layers over the video.
    ///
    /// - Parameter layers: The layers, from back to front.
    public init(over layers: [Layer]) { self.layers = { [$0] + layers } }

    /// Creates a tool that draws the layers that a function returns. The video may be among them,
    /// even several times.
    ///
    ///     VideoCompositionAnimationTool { video in
    ///         var small = video
    ///         small.frame = .fraction(LayerRect(x: 0.1, y: 0.1, width: 0.8, height: 0.8))
    ///         return [backdrop, small]
    ///     }
    ///
    /// - Parameter layers: A function that returns the layers, from back to front. It is called for
    ///   each frame, on the thread that draws.
    /// - Corresponds to: `init(postProcessingAsVideoLayer:in:)`.
    public init(layers: @escaping @Sendable (_ video: Layer) -> [Layer]) { self.layers = layers }
}
