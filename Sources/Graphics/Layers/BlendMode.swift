// SPDX-License-Identifier: Apache-2.0

import PlayheadGL

/// How a layer meets what lies behind it.
///
/// The formulas are those of the W3C's "Compositing and Blending Level 1": section 10 for the modes
/// that mix colours, section 9 for Porter and Duff's operators. As browsers and Core Animation do,
/// they are applied to the values that the target holds, which are nonlinear.
///
/// An operator that takes away what is behind a layer, such as `copy`, does so where the layer is
/// drawn, not in all of the target.
///
/// - Corresponds to: `CALayer.compositingFilter`, `CGBlendMode`, CSS `mix-blend-mode`.
public enum BlendMode: String, Sendable, Hashable, CaseIterable {
    /// The layer over what is there.
    case normal
    // Separable: channel by channel.
    case multiply, screen, overlay, darken, lighten, colorDodge, colorBurn, hardLight, softLight
    case difference, exclusion
    // Of colours as a whole.
    case hue, saturation, color, luminosity
    /// The sum: Porter and Duff's "lighter".
    case plusLighter
    // Porter and Duff's operators, the layer being the source.
    case clear, copy, destination, destinationOver, sourceIn, destinationIn, sourceOut
    case destinationOut, sourceAtop, destinationAtop, xor

    /// What OpenGL's own blending does for it; nil where the shader has to read what is behind.
    var fixedFunction: GLState.Blending? {
        switch self {
        case .normal: .premultipliedOver
        case .screen: .factors(.one, .oneMinusSourceColor, .one, .oneMinusSourceAlpha)
        case .exclusion:
            .factors(
                .oneMinusDestinationColor, .oneMinusSourceColor, .one, .oneMinusSourceAlpha)
        case .plusLighter: .factors(.one, .one)
        case .clear, .copy, .destinationIn, .sourceIn, .sourceOut, .destinationAtop:
            // A pixel that an edge covers by half keeps half of what it was: that is not a product.
            nil
        case .destination: .factors(.zero, .one)
        case .destinationOver: .factors(.oneMinusDestinationAlpha, .one)
        case .destinationOut: .factors(.zero, .oneMinusSourceAlpha)
        case .sourceAtop: .factors(.destinationAlpha, .oneMinusSourceAlpha)
        case .xor: .factors(.oneMinusDestinationAlpha, .oneMinusSourceAlpha)
        default: nil
        }
    }

    /// Whether it is one of Porter and Duff's operators that the shader has to work out.
    var isOperator: Bool {
        switch self {
        case .clear, .copy, .sourceIn, .destinationIn, .sourceOut, .destinationAtop: true
        default: false
        }
    }
}
