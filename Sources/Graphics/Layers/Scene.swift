// SPDX-License-Identifier: Apache-2.0

public import PlayheadEffects

/// Everything that one frame shows: a background, and layers from back to front.
///
/// - Concurrency: a value; any thread.
public struct Scene: Sendable, Equatable {
    /// What is there where no layer is.
    public enum Background: Sendable, Equatable {
        /// What was in the target before.
        case none
        /// A colour: red, green, blue, alpha from 0 to 1, not premultiplied.
        case color(SIMD4<Float>)
        /// What a generator makes.
        case generator(EffectInstance)

        /// Opaque black.
        public static let black = Background.color([0, 0, 0, 1])

        /// A grey checkerboard, to see transparency against.
        public static func checkerboard() -> Background {
            guard let effect = try? EffectLibrary.effect(named: "checkerboard") else {
                return .color([0.5, 0.5, 0.5, 1])
            }
            return .generator(EffectInstance(effect))
        }

        public static func == (left: Background, right: Background) -> Bool {
            switch (left, right) {
            case (.none, .none): true
            case (.color(let left), .color(let right)): left == right
            case (.generator(let left), .generator(let right)): left === right
            default: false
            }
        }
    }

    /// What is seen where no layer is.
    public var background: Background
    /// From back to front, where their z positions are the same.
    public var layers: [Layer]
    /// Applied to every layer about the middle of the target, after the layer's own transform: the
    /// place for a perspective. Corresponds to `CALayer.sublayerTransform`.
    public var sublayerTransform = Transform3D.identity

    public init(background: Background = .black, layers: [Layer] = []) {
        self.background = background
        self.layers = layers
    }
}
