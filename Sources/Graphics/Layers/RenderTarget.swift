// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadGL

/// Where a frame is drawn to: a framebuffer of anyone's.
public struct RenderTarget: Sendable, Hashable {
    /// OpenGL's name of it; 0 for the window.
    public var framebuffer: UInt32
    /// In pixels.
    public var width: Int
    public var height: Int
    /// Whether the row that OpenGL calls the bottom one is shown at the top.
    public var isTopRowFirst: Bool
    /// What its numbers stand for; blending happens in them.
    public var colorSpace: ColorSpace
    /// Bits of a colour channel, to which finer pictures are dithered; nil for floats.
    public var bitDepth: Int?
    /// Whether layers are mixed in light, as lenses mix them, and not in the nonlinear values that
    /// the target holds, as browsers and Core Animation do. Takes a picture of half floats more.
    package var mixesLight = false
    /// Whether it has several samples a pixel: nothing can be copied to it then, only drawn.
    package var isMultisampled = false

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

    public init(_ framebuffer: GLFramebuffer, colorSpace: ColorSpace = .bt709) {
        self.init(
            framebuffer: framebuffer.name, width: framebuffer.width, height: framebuffer.height,
            colorSpace: colorSpace, bitDepth: framebuffer.texture.format.bitDepth)
    }

    /// A window's own framebuffer.
    public static func window(width: Int, height: Int) -> RenderTarget {
        RenderTarget(framebuffer: 0, width: width, height: height)
    }
}
