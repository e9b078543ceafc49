// SPDX-License-Identifier: Apache-2.0

import PlayheadGL

/// The combination of a layer with the layers behind it.
///
/// The formulas are those of the W3C's "Compositing and Blending Level 1": section 10 for the modes
/// that mix colours, section 9 for Porter and Duff's operators. As in browsers and Core Animation,
/// they are applied to the values that the target holds, which are nonlinear.
///
/// An operator that removes the backdrop, such as `copy`, does so in the area of the layer, not in
/// all of the target.
///
/// - Corresponds to: `CALayer.compositingFilter`, `CGBlendMode`, CSS `mix-blend-mode`.
public enum BlendMode: String, Sendable, Hashable, CaseIterable {
    /// The layer over the backdrop.
    case normal
    /// A separable mode: computed channel by channel. Section 10.1.
    case multiply, screen, overlay, darken, lighten, colorDodge, colorBurn, hardLight, softLight
    /// A separable mode: computed channel by channel. Section 10.1.
    case difference, exclusion
    /// A mode that is computed from whole colours. Section 10.2.
    case hue, saturation, color, luminosity
    /// The sum: Porter and Duff's "lighter".
    case plusLighter
    /// One of Porter and Duff's operators, with the layer as the source. Section 9.1.
    case clear, copy, destination, destinationOver, sourceIn, destinationIn, sourceOut
    /// One of Porter and Duff's operators, with the layer as the source. Section 9.1.
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
            // Half of a pixel that an edge covers by half must be kept, which is not a product.
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
