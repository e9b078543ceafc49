// SPDX-License-Identifier: Apache-2.0

import PlayheadGL

/// The way in which a layer is combined with the layers behind it, the backdrop.
///
/// The formulas are those of the W3C's "Compositing and Blending Level 1": section 10 for the modes
/// that mix colours, section 9 for Porter and Duff's operators. As in browsers and Core Animation,
/// they are applied to the target's values, which are nonlinear.
///
/// An operator that removes the backdrop, such as `copy`, removes it in the area of the layer only.
///
/// - Corresponds to: `CALayer.compositingFilter`, `CGBlendMode`, CSS `mix-blend-mode`.
public enum BlendMode: String, Sendable, Hashable, CaseIterable {
    /// The layer is drawn over the backdrop.
    case normal
    /// A mode that is computed channel by channel (section 10.1, separable modes).
    case multiply, screen, overlay, darken, lighten, colorDodge, colorBurn, hardLight, softLight
    /// A mode that is computed channel by channel (section 10.1, separable modes).
    case difference, exclusion
    /// A mode that is computed from whole colours (section 10.2).
    case hue, saturation, color, luminosity
    /// The sum of the layer and the backdrop: Porter and Duff's "lighter".
    case plusLighter
    /// Porter and Duff's operators, with the layer as the source: section 9.1.
    case clear, copy, destination, destinationOver, sourceIn, destinationIn, sourceOut
    /// Porter and Duff's operators, with the layer as the source: section 9.1.
    case destinationOut, sourceAtop, destinationAtop, xor

    /// The equivalent in OpenGL's own blending; nil if the shader must read the backdrop.
    var fixedFunction: GLBlending? {
        switch self {
        case .normal: .premultipliedOver
        case .screen: .factors(.one, .oneMinusSourceColor, .one, .oneMinusSourceAlpha)
        case .exclusion:
            .factors(
                .oneMinusDestinationColor, .oneMinusSourceColor, .one, .oneMinusSourceAlpha)
        case .plusLighter: .factors(.one, .one)
        case .clear, .copy, .destinationIn, .sourceIn, .sourceOut, .destinationAtop:
            // If an edge covers half of a pixel, half of the backdrop must be kept. No product of
            // factors computes that.
            nil
        case .destination: .factors(.zero, .one)
        case .destinationOver: .factors(.oneMinusDestinationAlpha, .one)
        case .destinationOut: .factors(.zero, .oneMinusSourceAlpha)
        case .sourceAtop: .factors(.destinationAlpha, .oneMinusSourceAlpha)
        case .xor: .factors(.oneMinusDestinationAlpha, .oneMinusSourceAlpha)
        default: nil
        }
    }

    /// A Boolean value that indicates whether the mode is one of Porter and Duff's operators that
    /// the shader must compute.
    var isOperator: Bool {
        switch self {
        case .clear, .copy, .sourceIn, .destinationIn, .sourceOut, .destinationAtop: true
        default: false
        }
    }
}
