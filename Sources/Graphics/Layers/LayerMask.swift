// SPDX-License-Identifier: Apache-2.0

/// What of a layer is seen.
///
/// Shapes are computed for every pixel, edges included, and cost no intermediate picture.
///
/// - Corresponds to: `CALayer.mask`, with `CAShapeLayer` for the shapes.
public enum LayerMask: Sendable, Equatable {
    /// What lies in a rectangle with rounded corners, in fractions of the layer's frame; the radius
    /// in pixels.
    case roundedRectangle(LayerRect, cornerRadius: Double)
    /// What lies in the ellipse that touches a rectangle's sides, in fractions of the frame.
    case ellipse(in: LayerRect)
    /// As much as another layer, which stands in this one, covers: its alpha. Drawn into pictures
    /// of their own.
    indirect case layer(Layer)

    /// The ellipse that touches the frame's sides; a circle where it is square.
    public static let ellipse = LayerMask.ellipse(in: .unit)
}
