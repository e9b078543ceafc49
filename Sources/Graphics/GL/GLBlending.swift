// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// The way in which a drawn colour is combined with the colour in the target.
package enum GLBlending: Sendable, Hashable {
    /// Replaces the target's colour.
    case replace
    /// Draws over the target with Porter and Duff's "over". The drawn colour is premultiplied by
    /// its alpha.
    case premultipliedOver
    /// Multiplies the source and the destination each by a factor, and adds the products. The
    /// values are the factors of the source colour, the destination colour, the source alpha and
    /// the destination alpha.
    case factors(Factor, Factor, Factor, Factor)

    /// Returns a blending that has the same factors for colour and for alpha.
    package static func factors(_ source: Factor, _ destination: Factor) -> GLBlending {
        .factors(source, destination, source, destination)
    }

    /// A blending factor. The source is the drawn colour, and the destination is the colour in the
    /// target.
    ///
    /// - Corresponds to: the factors of `glBlendFunc`.
    package enum Factor: Sendable, Hashable {
        case zero, one, sourceAlpha, oneMinusSourceAlpha, oneMinusSourceColor
        case destinationAlpha, oneMinusDestinationAlpha, oneMinusDestinationColor

        var code: UInt32 {
            switch self {
            case .zero: UInt32(GL_ZERO)
            case .one: UInt32(GL_ONE)
            case .sourceAlpha: UInt32(GL_SRC_ALPHA)
            case .oneMinusSourceAlpha: UInt32(GL_ONE_MINUS_SRC_ALPHA)
            case .oneMinusSourceColor: UInt32(GL_ONE_MINUS_SRC_COLOR)
            case .destinationAlpha: UInt32(GL_DST_ALPHA)
            case .oneMinusDestinationAlpha: UInt32(GL_ONE_MINUS_DST_ALPHA)
            case .oneMinusDestinationColor: UInt32(GL_ONE_MINUS_DST_COLOR)
            }
        }
    }
}
