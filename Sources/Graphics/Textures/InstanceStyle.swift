// SPDX-License-Identifier: Apache-2.0

public import PlayheadGL

/// How instances are drawn: what `instance.frag` is to do besides showing a picture.
public struct InstanceStyle: Sendable, Hashable {
    /// Whether what is drawn is turned into other values.
    public enum Transfer: Sendable, Hashable {
        case none
        /// From nonlinear values to light, as sRGB has it.
        case toLight
        case toSignal
    }

    /// A picture of what lies behind, for modes that OpenGL's own blending does not have.
    public struct Backdrop {
        /// The texture that it reads.
        public let texture: GLTexture
        /// Its lower left corner in the target, in pixels, as OpenGL counts: from the bottom.
        public let x: Int
        public let y: Int

        public init(texture: GLTexture, x: Int, y: Int) {
            self.texture = texture
            self.x = x
            self.y = y
        }
    }

    /// Whether edges, corners and masks are computed for each pixel.
    public var isShaped = false
    /// Whether pictures are read where the pixel is in the target.
    public var usesScreenCoordinates = false
    /// What the colours are made before they are written.
    public var transfer = Transfer.none
    /// The name of a function in `blend.glsl`, which needs a backdrop.
    public var mode: String?
    /// Whether it is one of Porter and Duff's operators.
    public var modeIsOperator = false

    public init() {}

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
