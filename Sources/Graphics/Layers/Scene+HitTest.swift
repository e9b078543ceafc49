// SPDX-License-Identifier: Apache-2.0

import PlayheadEffects
package import PlayheadTime

/// What a point of a target lies on.
///
/// - Corresponds to: what `CALayer.hitTest` and `convert(_:from:)` give.
public struct LayerHit: Sendable, Equatable {
    /// Index of a layer of the scene, then of a sublayer of it, and so on.
    public let path: [Int]
    /// The layer that was hit, as it stands in the scene.
    public let layer: Layer
    /// Where on the layer, in its own pixels from its top left corner.
    public let point: SIMD2<Double>
}

extension Scene {
    /// The layer that is seen at a point, the frontmost and innermost; nil where there is none.
    ///
    /// Transforms, perspective, corners, shape masks and z positions are honoured; layers that are
    /// hidden or wholly transparent, and groups' own planes, are seen through. A mask that is a
    /// layer counts by its shape, not by the alpha of what it shows, and a picture by its frame.
    /// Animations are not looked at: test `presentation(atHostTime:)` for what is on the screen.
    ///
    /// - Parameters:
    ///   - point: in pixels of the target, from its top left corner.
    ///   - width: of the target, in pixels.
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

    /// The scene as its animations have it when the host clock reads `hostTime`, without them.
    ///
    /// - Corresponds to: `CALayer.presentation()`, at a time of one's choice.
    package func presentation(atHostTime hostTime: MediaTime) -> Scene {
        var scene = self
        scene.layers = layers.map { $0.presentation(atHostTime: hostTime) }
        return scene
    }

    /// Whether there is an animation on any layer.
    var isAnimated: Bool { layers.contains(where: \.isAnimated) }

    /// Whether an animation is under way or yet to begin when the host clock reads a time: then the scene
    /// will look different though nothing else changes.
    package func moves(afterHostTime hostTime: MediaTime) -> Bool {
        layers.contains { $0.moves(afterHostTime: hostTime) }
    }
}

extension Layer {
    /// Whether nothing of it and its sublayers is seen outside its shape: what effects make of a group is a
    /// picture of its frame.
    fileprivate var isCut: Bool {
        mask != nil || masksToBounds
            || (!sublayers.isEmpty && effects.contains { $0.isEnabled })
    }
}

extension LayerPlane {
    /// The point of the plane that is seen at one of the target; nil where there is none.
    func point(seenAt point: SIMD2<Double>) -> SIMD2<Double>? {
        guard let local = map.inverse?.homogeneous(point), local.z != 0 else { return nil }
        let place = SIMD2(local.x, local.y) / local.z
        // What lies behind the eye comes back upside down: it is not seen.
        return map.homogeneous(place).z > PlaneMap.nearest ? place : nil
    }
}
