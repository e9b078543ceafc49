// SPDX-License-Identifier: Apache-2.0

/// The plane of a layer, or of a scene: its size, and its map to the target.
///
/// Drawing and hit testing both use it, so that their results agree.
struct LayerPlane {
    /// The width, in the plane's own pixels, whose origin is the top left corner.
    var width: Double
    var height: Double
    /// The map from the plane's own pixels to those of the target.
    var map: PlaneMap
    /// A Boolean value that indicates whether the plane was positioned by frames only, without
    /// transforms. Its contents are then aligned to whole pixels. Transforms may move a layer by a
    /// fraction of a pixel, and its edges are then smoothed.
    var isFlat: Bool
    /// The transform of the layers in the plane, about the point at `anchor`.
    var sublayerTransform: Transform3D
    var anchor: SIMD2<Double>

    /// Creates the plane of a target.
    init(width: Int, height: Int, sublayerTransform: Transform3D) {
        self.width = Double(width)
        self.height = Double(height)
        map = .identity
        isFlat = true
        self.sublayerTransform = sublayerTransform
        anchor = SIMD2(self.width / 2, self.height / 2)
    }

    /// Creates the plane of a layer in another one; nil if the layer's coordinates are not finite
    /// or too large.
    init?(of layer: Layer, in parent: LayerPlane) {
        let frame = layer.frame.rect(width: parent.width, height: parent.height)
        guard frame.isReasonable else { return nil }
        width = frame.width
        height = frame.height
        sublayerTransform = layer.sublayerTransform
        anchor = layer.anchorPoint * SIMD2(width, height)
        if layer.transform == .identity, parent.sublayerTransform == .identity {
            map = parent.map.after(.translation(frame.x, frame.y))
            isFlat = parent.isFlat
        } else {
            let place = SIMD2(frame.x, frame.y) + anchor - parent.anchor
            let transform = Transform3D.translation(x: -anchor.x, y: -anchor.y)
                .concatenating(layer.transform)
                .concatenating(.translation(x: place.x, y: place.y, z: layer.zPosition))
                .concatenating(parent.sublayerTransform)
                .concatenating(.translation(x: parent.anchor.x, y: parent.anchor.y))
            let map = parent.map.after(PlaneMap(transform))
            self.map = map
            isFlat =
                map.isTranslation && map.one.x == map.one.x.rounded()
                && map.one.y == map.one.y.rounded()
        }
        guard map.isFinite, sublayerTransform.isFinite, anchor.x.isFinite, anchor.y.isFinite else {
            return nil
        }
    }

    /// The bounds, in the plane's own pixels.
    var bounds: LayerRect { LayerRect(x: 0, y: 0, width: width, height: height) }

    /// Returns this plane mapped to a part of the target instead of the whole.
    ///
    /// - Parameters:
    ///   - x, y: the position of the target's origin relative to the part's corner.
    func moved(by x: Double, _ y: Double) -> LayerPlane {
        var plane = self
        plane.map = PlaneMap.translation(x, y).after(map)
        return plane
    }
}

extension [Layer] {
    /// Calls `body` with the index of each layer that may be visible, from back to front.
    func forEachFromBack(_ body: (Int) -> Void) {
        guard contains(where: { $0.zPosition != self[0].zPosition }) else {
            for index in indices { body(index) }
            return
        }
        let order = indices.sorted {
            (self[$0].zPosition, $0) < (self[$1].zPosition, $1)
        }
        for index in order { body(index) }
    }
}
