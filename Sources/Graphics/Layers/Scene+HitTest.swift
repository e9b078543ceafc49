// SPDX-License-Identifier: Apache-2.0

import PlayheadEffects
package import PlayheadTime

/// The result of a hit test: the layer at a point of a target.
///
/// - Corresponds to: the results of `CALayer.hitTest` and `convert(_:from:)`.
public struct LayerHit: Sendable, Equatable {
    /// The path of the layer in the tree: the index of a layer of the scene, then the index of one
    /// of its sublayers, and so on.
    public let path: [Int]
    /// The layer that was hit.
    public let layer: Layer
    /// The point on the layer, in the layer's own pixels from its top left corner.
    public let point: SIMD2<Double>
}

extension Scene {
    /// Returns the visible layer at a point: the frontmost and innermost one. Returns nil if no
    /// layer is visible there.
    ///
    /// Transforms, perspective, corners, shape masks and z positions are taken into account. Layers
    /// that are hidden or fully transparent are ignored, together with their sublayers. A layer
    /// without content is never the result, but its sublayers can be. A mask that is a layer is
    /// tested by the shape of that layer, not by the alpha of its content. An image is tested by
    /// its frame. Animations are not applied: to test the scene that is on the screen, call the
    /// method on `presentation(atHostTime:)`.
    ///
    /// - Parameters:
    ///   - point: the point in pixels of the target, from its top left corner.
    ///   - width: the width of the target, in pixels.
    public func hitTest(_ point: SIMD2<Double>, width: Int, height: Int) -> LayerHit? {
        let plane = LayerPlane(
            width: width, height: height, sublayerTransform: sublayerTransform)
        return Self.hit(point, layers, in: plane, path: [])
    }

    private static func hit(
        _ point: SIMD2<Double>, _ layers: [Layer], in parent: LayerPlane, path: [Int]
    ) -> LayerHit? {
        var order: [Int] = []
        layers.forEachFromBack { order.append($0) }
        for index in order.reversed() {
            let layer = layers[index]
            guard !layer.isHidden, layer.opacity > 0,
                let plane = LayerPlane(of: layer, in: parent),
                let local = plane.point(seenAt: point)
            else { continue }
            let shape = LayerShape(of: layer, in: plane)
            let isInside = shape.contains(local)
            if layer.isCut, !isInside { continue }
            if case .layer(let mask) = layer.mask, hit(point, [mask], in: plane, path: []) == nil {
                continue
            }
            if let found = hit(point, layer.sublayers, in: plane, path: path + [index]) {
                return found
            }
            if isInside, layer.content != .none {
                return LayerHit(path: path + [index], layer: layer, point: local)
            }
        }
        return nil
    }

    /// Returns the scene as it appears when the host clock reads `hostTime`: with the current
    /// values of its animations as properties, and without animations.
    ///
    /// - Corresponds to: `CALayer.presentation()`, at any time.
    package func presentation(atHostTime hostTime: MediaTime) -> Scene {
        var scene = self
        scene.layers = layers.map { $0.presentation(atHostTime: hostTime) }
        return scene
    }

    /// A Boolean value that indicates whether any layer has an animation.
    var isAnimated: Bool { layers.contains(where: \.isAnimated) }

    /// Returns whether an animation is running or has yet to begin when the host clock reads a
    /// time. If so, the scene will look different although nothing else changes.
    package func moves(afterHostTime hostTime: MediaTime) -> Bool {
        layers.contains { $0.moves(afterHostTime: hostTime) }
    }
}

extension Layer {
    /// A Boolean value that indicates whether the layer and its sublayers are clipped to the
    /// layer's shape. A group with effects always is, because it is drawn as an image of the size
    /// of its frame.
    fileprivate var isCut: Bool {
        mask != nil || masksToBounds
            || (!sublayers.isEmpty && effects.contains { $0.isEnabled })
    }
}

extension LayerPlane {
    /// Returns the point of the plane that is visible at a point of the target; nil if no point is
    /// visible there.
    func point(seenAt point: SIMD2<Double>) -> SIMD2<Double>? {
        guard let local = map.inverse?.homogeneous(point), local.z != 0 else { return nil }
        let place = SIMD2(local.x, local.y) / local.z
        // Points behind the eye are mapped upside down and are not visible.
        return map.homogeneous(place).z > PlaneMap.nearest ? place : nil
    }
}
