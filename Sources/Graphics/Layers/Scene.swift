// SPDX-License-Identifier: Apache-2.0

public import PlayheadEffects

/// The content of one frame: a background, and layers from back to front.
///
/// - Concurrency: a value; any thread.
public struct Scene: Sendable, Equatable {
    /// The background of a scene.
    public enum Background: Sendable, Equatable {
        /// The previous contents of the target.
        case none
        /// A colour: red, green, blue, alpha from 0 to 1, not premultiplied.
        case color(SIMD4<Float>)
        /// The output of a generator.
        case generator(EffectInstance)

        /// Opaque black.
        public static let black = Background.color([0, 0, 0, 1])

        /// Returns a grey checkerboard, which makes transparency visible.
        public static func checkerboard() -> Background {
            guard let effect = try? EffectLibrary.effect(named: "checkerboard") else {
                return .color([0.5, 0.5, 0.5, 1])
            }
            return .generator(EffectInstance(effect))
        }

        /// Returns whether two backgrounds are equal. Generators are compared by identity.
        public static func == (left: Background, right: Background) -> Bool {
            switch (left, right) {
            case (.none, .none): true
            case (.color(let left), .color(let right)): left == right
            case (.generator(let left), .generator(let right)): left === right
            default: false
            }
        }
    }

    /// The background behind all layers.
    public var background: Background
    /// The layers, from back to front if their z positions are equal.
    public var layers: [Layer]
    /// The transform of every layer about the centre of the target, after the layer's own
    /// transform. Use it for a perspective. Corresponds to `CALayer.sublayerTransform`.
    public var sublayerTransform = Transform3D.identity

    /// Creates a scene.
    public init(background: Background = .black, layers: [Layer] = []) {
        self.background = background
        self.layers = layers
    }
}
