// SPDX-License-Identifier: Apache-2.0

public import PlayheadEffects
import PlayheadLayers
public import PlayheadVideoCompositions

/// The effects, titles and shaders that are drawn in addition to the layers of the instructions.
///
/// - Concurrency: a value; any thread.
struct CompositionDrawing: Sendable {
    /// The effects of each track, by track ID.
    var effects: [Int: [EffectInstance]] = [:]
    var animationTool: VideoCompositionAnimationTool?
    var makeTextureCompositor: (@Sendable () -> any TextureCompositing)?

    var isEmpty: Bool {
        effects.isEmpty && animationTool == nil && makeTextureCompositor == nil
    }
}

extension VideoComposition {
    /// The effects, titles and shaders that are drawn in addition to the layers.
    var ownDrawing: CompositionDrawing {
        get { drawing as? CompositionDrawing ?? CompositionDrawing() }
        set { drawing = newValue.isEmpty ? nil : newValue }
    }

    /// Returns the effects of a track.
    public func effects(ofTrack trackID: Int) -> [EffectInstance] {
        ownDrawing.effects[trackID] ?? []
    }

    /// Sets the effects of a track. The first effect is applied first. All effects are applied to a
    /// frame before it is cropped and transformed.
    ///
    /// Effects receive the time of the composition. If an input of an effect is set while the
    /// composition is being read, the new value applies to the next frame.
    ///
    /// - Parameter trackID: The track, by `AssetTrack.id`.
    /// - Corresponds to: `AVMutableVideoComposition(asset:applyingCIFiltersWithHandler:)`.
    public mutating func setEffects(_ effects: [EffectInstance], ofTrack trackID: Int) {
        ownDrawing.effects[trackID] = effects.isEmpty ? nil : effects
    }

    /// The layers that are drawn with the video; nil, the default, for none.
    ///
    /// - Corresponds to: `AVVideoComposition.animationTool`.
    public var animationTool: VideoCompositionAnimationTool? {
        get { ownDrawing.animationTool }
        set { ownDrawing.animationTool = newValue }
    }

    /// A function that creates a compositor, which draws all composed frames with OpenGL. Each
    /// reader output, image generator and export creates its own compositor. If nil, the default,
    /// the layers of the instructions are drawn. If `makeCompositor` is set too, this function is
    /// not used.
    ///
    /// - Corresponds to: `customVideoCompositorClass`.
    public var makeTextureCompositor: (@Sendable () -> any TextureCompositing)? {
        get { ownDrawing.makeTextureCompositor }
        set { ownDrawing.makeTextureCompositor = newValue }
    }
}
