// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// The combination of drawn colours with those in the target.
package enum GLBlending: Sendable, Hashable {
    /// Replaces the target's colour.
    case replace
    /// Draws over the target; the colour is premultiplied by its alpha. Porter and Duff's
    /// "over".
    case premultipliedOver
    /// Multiplies each by a factor and adds both: factors of the source colour and the
    /// destination colour, then of their alphas.
    case factors(Factor, Factor, Factor, Factor)

    /// Returns a blending with the same factors for colour and alpha.
    package static func factors(_ source: Factor, _ destination: Factor) -> GLBlending {
        .factors(source, destination, source, destination)
    }

    /// A blending factor. The source is the drawn colour, the destination that in the target.
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
