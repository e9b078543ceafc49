// SPDX-License-Identifier: Apache-2.0

public import PlayheadEffects

/// One layer on its way to become another: what a layer of this content shows.
///
/// ```swift
/// let wipe = EffectInstance(try EffectLibrary.load("directionalwipe.glsl"))
/// var layer = Layer(.transition(LayerTransition(wipe, from: Layer(.video(a)), to: Layer(.video(b)))))
/// layer.animate(.progress([0, 1]), beginTime: now, duration: oneSecond)
/// ```
///
/// Both sides are drawn as pictures of the layer's size, with effects and sublayers of their own, and the
/// effect mixes them. At 0 and at 1 the one or the other is seen as it is, whatever the effect does.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: `CATransition` with a `filter`; a gl-transition, an ISF transition.
public struct LayerTransition: Sendable, Equatable {
    /// Of kind `transition`: it reads `startImage` and `endImage`, and is told `progress`.
    public var effect: EffectInstance
    /// Stands in the layer as a sublayer would.
    public var from: Layer
    /// What is seen at its end.
    public var to: Layer
    /// From 0 to 1.
    public var progress: Double

    public init(_ effect: EffectInstance, from: Layer, to: Layer, progress: Double = 0) {
        self.effect = effect
        self.from = from
        self.to = to
        self.progress = progress
    }

    /// Effects are the same when they are the same objects.
    public static func == (left: LayerTransition, right: LayerTransition) -> Bool {
        left.effect === right.effect && left.progress == right.progress && left.from == right.from
            && left.to == right.to
    }

    /// What is to be drawn.
    enum Sides {
        case from, to, both
    }

    var sides: Sides {
        if progress >= 1 { return .to }
        return progress > 0 ? .both : .from
    }
}
