// SPDX-License-Identifier: Apache-2.0

package import PlayheadGL

/// The way in which instances are drawn: everything that `instance.frag` does other than sampling.
package struct InstanceStyle: Sendable, Hashable {
    /// The conversion that is applied to colours before they are written.
    package enum Transfer: Sendable, Hashable {
        case none
        /// The conversion from nonlinear values to linear light, with sRGB's curve.
        case toLight
        case toSignal
    }

    /// A copy of the target behind a layer. It is needed for modes that OpenGL's own blending does
    /// not have.
    package struct Backdrop {
        /// The texture that contains the copy.
        package let texture: GLTexture
        /// The left edge of the texture in the target, in pixels.
        package let x: Int
        /// The lower edge of the texture in the target, in pixels from the bottom.
        package let y: Int

        package init(texture: GLTexture, x: Int, y: Int) {
            self.texture = texture
            self.x = x
            self.y = y
        }
    }

    /// A Boolean value that indicates whether edges, corners and masks are computed for each pixel.
    package var isShaped = false
    /// A Boolean value that indicates whether textures are sampled at the pixel's position in the
    /// target.
    package var usesScreenCoordinates = false
    /// The conversion that is applied to colours before they are written.
    package var transfer = Transfer.none
    /// The name of the blend function in `blend.glsl`, which needs a backdrop; nil for OpenGL's own
    /// blending.
    package var mode: String?
    /// A Boolean value that indicates whether `mode` is one of Porter and Duff's operators.
    package var modeIsOperator = false

    package init() {}

    var defines: [(name: String, value: String)] {
        var defines: [(name: String, value: String)] = []
        if isShaped { defines.append(("LAYER_IS_SHAPED", "1")) }
        if usesScreenCoordinates { defines.append(("SCREEN_COORDINATES", "1")) }
        switch transfer {
        case .none: break
        case .toLight: defines.append(("TO_LIGHT", "1"))
        case .toSignal: defines.append(("TO_SIGNAL", "1"))
        }
        if let mode { defines.append(("BLEND_MODE", mode)) }
        if modeIsOperator { defines.append(("BLEND_IS_OPERATOR", "1")) }
        return defines
    }
}
