// SPDX-License-Identifier: Apache-2.0

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
    /// Whether layers are mixed in light, as lenses mix them, and not in the nonlinear values that
    /// the target holds, as browsers and Core Animation do. Takes a picture of half floats more.
    public var mixesLight = false

    public init(framebuffer: UInt32, width: Int, height: Int, isTopRowFirst: Bool = false) {
        self.framebuffer = framebuffer
        self.width = width
        self.height = height
        self.isTopRowFirst = isTopRowFirst
    }

    public init(_ framebuffer: GLFramebuffer) {
        self.init(
            framebuffer: framebuffer.name, width: framebuffer.width, height: framebuffer.height)
    }

    /// A window's own framebuffer.
    public static func window(width: Int, height: Int) -> RenderTarget {
        RenderTarget(framebuffer: 0, width: width, height: height)
    }
}
