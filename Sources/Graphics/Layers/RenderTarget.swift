// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadGL

/// A framebuffer to draw to, which may belong to a host.
public struct RenderTarget: Sendable, Hashable {
    /// The OpenGL name of the framebuffer; 0 for the window.
    public var framebuffer: UInt32
    /// The width, in pixels.
    public var width: Int
    /// The height, in pixels.
    public var height: Int
    /// A Boolean value that indicates whether the first row of the framebuffer, the bottom row in
    /// OpenGL, is displayed at the top.
    public var isTopRowFirst: Bool
    /// The colour space of the target's values, in which blending happens.
    public var colorSpace: ColorSpace
    /// The number of bits per colour channel. Frames with more bits are dithered to this number.
    /// Nil, for float formats, disables dithering.
    public var bitDepth: Int?
    /// A Boolean value that indicates whether layers are mixed in linear light, as by a lens. If it
    /// is false, they are mixed in the target's nonlinear values, as by browsers and Core
    /// Animation. Mixing in linear light takes an additional image of 16-bit floats.
    package var mixesLight = false
    /// A Boolean value that indicates whether the target is multisampled. Nothing can be copied to
    /// a multisampled target; it can only be drawn to.
    package var isMultisampled = false

    /// Creates a target for a framebuffer that was created elsewhere.
    public init(
        framebuffer: UInt32, width: Int, height: Int, isTopRowFirst: Bool = false,
        colorSpace: ColorSpace = .bt709, bitDepth: Int? = 8
    ) {
        self.framebuffer = framebuffer
        self.width = width
        self.height = height
        self.isTopRowFirst = isTopRowFirst
        self.colorSpace = colorSpace
        self.bitDepth = bitDepth
    }

    /// Creates a target for a framebuffer, with the framebuffer's size and depth.
    public init(_ framebuffer: GLFramebuffer, colorSpace: ColorSpace = .bt709) {
        self.init(
            framebuffer: framebuffer.name, width: framebuffer.width, height: framebuffer.height,
            colorSpace: colorSpace, bitDepth: framebuffer.texture.format.bitDepth)
    }

    /// Returns a target for a window's own framebuffer.
    public static func window(width: Int, height: Int) -> RenderTarget {
        RenderTarget(framebuffer: 0, width: width, height: height)
    }
}
