// SPDX-License-Identifier: Apache-2.0

/// A mask that determines the visible part of a layer.
///
/// Shapes are computed for every pixel, with smooth edges, and need no intermediate image.
///
/// - Corresponds to: `CALayer.mask`, with `CAShapeLayer` for the shapes.
public enum LayerMask: Sendable, Equatable {
    /// A rectangle with rounded corners, in fractions of the layer's frame. The radius is in
    /// pixels.
    case roundedRectangle(LayerRect, cornerRadius: Double)
    /// The ellipse that touches a rectangle's sides, in fractions of the frame.
    case ellipse(in: LayerRect)
    /// The alpha of another layer, which is positioned relative to this one. Both are drawn into
    /// intermediate images.
    indirect case layer(Layer)

    /// The ellipse that touches the frame's sides; a circle in a square frame.
    public static let ellipse = LayerMask.ellipse(in: .unit)
}
