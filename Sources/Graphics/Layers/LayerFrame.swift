// SPDX-License-Identifier: Apache-2.0

/// The position and size of a layer in its parent. For the layers of a scene, the parent is the
/// target.
///
/// - Corresponds to: `CALayer.frame`, which is always in points.
public enum LayerFrame: Sendable, Hashable {
    /// The whole area of the parent, regardless of its size.
    case whole
    /// A rectangle in fractions of the parent's width and height.
    case fraction(LayerRect)
    /// A rectangle in pixels of the parent.
    case pixels(LayerRect)

    /// Returns a frame from the size of a layer, in pixels, and the position of its anchor point in
    /// the parent.
    ///
    /// - Corresponds to: `CALayer.bounds`, `position` and `anchorPoint`.
    public static func bounds(
        width: Double, height: Double, position: SIMD2<Double>,
        anchorPoint: SIMD2<Double> = SIMD2(0.5, 0.5)
    ) -> LayerFrame {
        .pixels(
            LayerRect(
                x: position.x - anchorPoint.x * width, y: position.y - anchorPoint.y * height,
                width: width, height: height))
    }

    /// Returns the rectangle for a parent of a given size, in pixels of the parent.
    public func rect(width: Int, height: Int) -> LayerRect {
        rect(width: Double(width), height: Double(height))
    }

    func rect(width: Double, height: Double) -> LayerRect {
        switch self {
        case .whole:
            LayerRect(x: 0, y: 0, width: width, height: height)
        case .fraction(let rect):
            LayerRect(
                x: rect.x * width, y: rect.y * height, width: rect.width * width,
                height: rect.height * height)
        case .pixels(let rect):
            rect
        }
    }

    /// The rectangle, in the unit of the frame. The rectangle of `whole` is in fractions.
    var ownRect: LayerRect {
        get {
            switch self {
            case .whole: .unit
            case .fraction(let rect), .pixels(let rect): rect
            }
        }
        set {
            switch self {
            case .whole, .fraction: self = .fraction(newValue)
            case .pixels: self = .pixels(newValue)
            }
        }
    }
}
