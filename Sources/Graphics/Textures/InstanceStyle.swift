// SPDX-License-Identifier: Apache-2.0

package import PlayheadGL

/// How instances are drawn: what `instance.frag` is to do besides showing a picture.
package struct InstanceStyle: Sendable, Hashable {
    /// Whether what is drawn is turned into other values.
    package enum Transfer: Sendable, Hashable {
        case none
        /// From nonlinear values to light, as sRGB has it.
        case toLight
        case toSignal
    }

    /// A picture of what lies behind, for modes that OpenGL's own blending does not have.
    package struct Backdrop {
        /// The texture that it reads.
        package let texture: GLTexture
        /// Its lower left corner in the target, in pixels, as OpenGL counts: from the bottom.
        package let x: Int
        package let y: Int

        package init(texture: GLTexture, x: Int, y: Int) {
            self.texture = texture
            self.x = x
            self.y = y
        }
    }

    /// Whether edges, corners and masks are computed for each pixel.
    package var isShaped = false
    /// Whether pictures are read where the pixel is in the target.
    package var usesScreenCoordinates = false
    /// What the colours are made before they are written.
    package var transfer = Transfer.none
    /// The name of a function in `blend.glsl`, which needs a backdrop.
    package var mode: String?
    /// Whether it is one of Porter and Duff's operators.
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
