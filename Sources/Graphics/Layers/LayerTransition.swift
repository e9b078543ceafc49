// SPDX-License-Identifier: Apache-2.0

public import PlayheadEffects

/// A transition between two layers, which is the content of a third layer.
///
/// ```swift
/// let wipe = EffectInstance(try EffectLibrary.load("directionalwipe.glsl"))
/// var layer = Layer(
///     .transition(LayerTransition(wipe, from: Layer(.video(a)), to: Layer(.video(b)))))
/// layer.animate(.progress([0, 1]), beginTime: now, duration: oneSecond)
/// ```
///
/// Both sides, each with its own effects and sublayers, are drawn as images of the layer's size,
/// and the effect mixes them. At a progress of 0 only the first side is drawn, and at 1 only the
/// second, without the effect.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: `CATransition` with a `filter`; a gl-transition, an ISF transition.
public struct LayerTransition: Sendable, Equatable {
    /// The effect, whose kind is `transition`. It reads `startImage`, `endImage` and `progress`.
    public var effect: EffectInstance
    /// The layer at the start, positioned like a sublayer.
    public var from: Layer
    /// The layer at the end, positioned like a sublayer.
    public var to: Layer
    /// The progress, from 0 to 1.
    public var progress: Double
    /// A Boolean value that indicates whether the effect is also drawn at a progress of 0 and 1. A
    /// few effects do not draw exactly one of the two sides there.
    package var drawsEffectAtEnds = false

    /// Creates a transition.
    public init(_ effect: EffectInstance, from: Layer, to: Layer, progress: Double = 0) {
        self.effect = effect
        self.from = from
        self.to = to
        self.progress = progress
    }

    /// Returns whether two transitions are equal. Effects are compared by identity.
    public static func == (left: LayerTransition, right: LayerTransition) -> Bool {
        left.effect === right.effect && left.progress == right.progress && left.from == right.from
            && left.to == right.to && left.drawsEffectAtEnds == right.drawsEffectAtEnds
    }

    /// The sides of the transition that are drawn.
    enum Sides {
        case from, to, both
    }

    var sides: Sides {
        if drawsEffectAtEnds { return .both }
        if progress >= 1 { return .to }
        return progress > 0 ? .both : .from
    }
}
