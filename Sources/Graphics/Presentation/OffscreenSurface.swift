// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadGL
public import PlayheadLayers

/// A picture in memory to present to, on a machine with or without a display.
///
/// - Concurrency: see `PresentationSurface`.
/// - Corresponds to: an offscreen `CARenderer`.
public final class OffscreenSurface: PresentationSurface, @unchecked Sendable {
    // Unchecked: `framebuffer` is made and used on the render thread only; the rest is constant.

    public var context: any GLContext { headless }
    private let headless: HeadlessContext
    /// In pixels.
    public let width: Int
    public let height: Int
    private var framebuffer: GLFramebuffer?

    /// Makes a headless context.
    ///
    /// - Throws: when there is no OpenGL 3.3 without a display either.
    public init(width: Int, height: Int) throws(GLError) {
        precondition(width > 0 && height > 0, "a surface has a size")
        headless = try HeadlessContext()
        // The render thread takes it from here.
        headless.clearCurrent()
        self.width = width
        self.height = height
    }

    public func nextTarget() throws(GLError) -> RenderTarget? {
        if framebuffer == nil {
            framebuffer = try GLFramebuffer(
                width: width, height: height, label: "surface", context: context)
        }
        return framebuffer.map { RenderTarget($0) }
    }

    public func remakeContext() throws(GLError) -> Bool {
        framebuffer = nil
        try headless.remake()
        return true
    }

    /// Nothing looks at the picture before it is read back; the drawing is begun now, as a swap
    /// would begin it.
    public func present() { GLState.flush() }

    /// Returns the address of an OpenGL function, for drawing of your own; nil if there is none.
    ///
    /// - Precondition: the context is current on the calling thread.
    /// - Corresponds to: `eglGetProcAddress`.
    public func procAddress(_ name: String) -> UnsafeRawPointer? { headless.procAddress(name) }

    public var keepsPixels: Bool { true }
    public func readPixels() -> RGBAImage? { framebuffer?.image() }
}
