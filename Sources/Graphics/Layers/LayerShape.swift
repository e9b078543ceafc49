// SPDX-License-Identifier: Apache-2.0

/// The visible part of a layer's plane, in the layer's own pixels: its bounds with round corners,
/// and a mask with a simple shape.
struct LayerShape: Equatable {
    enum Kind: Int {
        case none, roundedRectangle, ellipse
    }

    var bounds: LayerRect
    var cornerRadius = 0.0
    var mask = Kind.none
    var maskRect = LayerRect.unit
    var maskRadius = 0.0
    /// A Boolean value that indicates whether the bounds clip the group instead of this layer.
    /// Clipping twice would thin the edges.
    var isCutByGroup = false

    init(bounds: LayerRect) {
        self.bounds = bounds
    }

    /// Creates the shape of a layer's corner radius and mask.
    init(of layer: Layer, in plane: LayerPlane) {
        bounds = plane.bounds
        cornerRadius = Self.radius(layer.cornerRadius, in: bounds)
        func place(_ rect: LayerRect) -> LayerRect {
            LayerRect(
                x: rect.x * bounds.width, y: rect.y * bounds.height,
                width: max(0, rect.width * bounds.width),
                height: max(0, rect.height * bounds.height))
        }
        switch layer.mask {
        case .none, .layer: break
        case .ellipse(let rect):
            mask = .ellipse
            maskRect = place(rect)
        case .roundedRectangle(let rect, let cornerRadius):
            mask = .roundedRectangle
            maskRect = place(rect)
            maskRadius = Self.radius(cornerRadius, in: maskRect)
        }
        if !maskRect.isReasonable { maskRect = LayerRect(x: 0, y: 0, width: 0, height: 0) }
    }

    /// Returns a radius, limited to half of the shorter side.
    private static func radius(_ radius: Double, in rect: LayerRect) -> Double {
        guard radius > 0 else { return 0 }
        return min(radius, rect.width / 2, rect.height / 2)
    }

    /// A Boolean value that indicates whether only the bounds clip the layer.
    var isPlain: Bool { cornerRadius == 0 && mask == .none }

    /// Returns whether a point, in the layer's own pixels, is visible.
    func contains(_ point: SIMD2<Double>) -> Bool {
        guard Self.roundedRectangle(bounds, cornerRadius, contains: point) else { return false }
        switch mask {
        case .none: return true
        case .roundedRectangle:
            return Self.roundedRectangle(maskRect, maskRadius, contains: point)
        case .ellipse:
            let radii = SIMD2(maskRect.width, maskRect.height) / 2
            guard radii.x > 0, radii.y > 0 else { return false }
            let place = (point - maskRect.point(0.5, 0.5)) / radii
            return (place * place).sum() < 1
        }
    }

    private static func roundedRectangle(
        _ rect: LayerRect, _ radius: Double, contains point: SIMD2<Double>
    ) -> Bool {
        guard rect.contains(point) else { return false }
        let fromMiddle = point - rect.point(0.5, 0.5)
        let corner = SIMD2(
            abs(fromMiddle.x) - rect.width / 2 + radius,
            abs(fromMiddle.y) - rect.height / 2 + radius)
        guard corner.x > 0, corner.y > 0 else { return true }
        return (corner * corner).sum() < radius * radius
    }
}
