// SPDX-License-Identifier: Apache-2.0

/// The reason why a layer cannot be drawn.
public enum LayerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A property is NaN, infinite, or too large to draw.
    case unreasonable(property: String, layer: String)

    /// The layer, its property and the consequence.
    public var description: String {
        switch self {
        case .unreasonable(let property, let layer):
            "the \(property) of \(layer.isEmpty ? "a layer" : "layer '\(layer)'") is not "
                + "finite or is too large to draw; the layer is skipped"
        }
    }
}

extension Layer {
    /// Returns the error for the property that prevents the layer from being drawn; nil if it can
    /// be drawn.
    ///
    /// - Parameter frame: the layer's frame, in pixels of its parent.
    func problem(frame: LayerRect) -> LayerError? {
        let property: String? =
            if !frame.isReasonable {
                "frame"
            } else if !contentsRect.isReasonable {
                "contentsRect"
            } else if !transform.isFinite || !sublayerTransform.isFinite {
                "transform"
            } else if !anchorPoint.x.isFinite || !anchorPoint.y.isFinite || !zPosition.isFinite {
                "anchorPoint or zPosition"
            } else if opacity.isNaN || cornerRadius.isNaN {
                "opacity or cornerRadius"
            } else {
                nil
            }
        return property.map { .unreasonable(property: $0, layer: name) }
    }
}
