// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadGL
public import PlayheadLayers

/// A surface in memory. It works on machines with and without a display.
///
/// - Concurrency: see `PresentationSurface`.
/// - Corresponds to: an offscreen `CARenderer`.
public final class OffscreenSurface: PresentationSurface, @unchecked Sendable {
    // Unchecked: `framebuffer` is created and used on the render thread only; the rest is constant.

    /// The headless context in which the surface is drawn.
    public var context: any GLContext { headless }
    private let headless: HeadlessContext
    /// The width, in pixels.
    public let width: Int
    /// The height, in pixels.
    public let height: Int
    private var framebuffer: GLFramebuffer?

    /// Creates a surface with a headless context.
    ///
    /// - Throws: `GLError`, if OpenGL 3.3 is not available without a display.
    public init(width: Int, height: Int) throws(GLError) {
        precondition(width > 0 && height > 0, "the size of a surface must be positive")
        headless = try HeadlessContext()
        // From here on, the context is used on the render thread.
        headless.clearCurrent()
        self.width = width
        self.height = height
    }

    /// Returns the framebuffer to which the next frame is drawn. It is created when it is first
    /// requested.
    public func nextTarget() throws(GLError) -> RenderTarget? {
        if framebuffer == nil {
            framebuffer = try GLFramebuffer(
                width: width, height: height, label: "surface", context: context)
        }
        return framebuffer.map { RenderTarget($0) }
    }

    /// Recreates the context after it was lost. Returns true.
    public func remakeContext() throws(GLError) -> Bool {
        framebuffer = nil
        try headless.remake()
        return true
    }

    /// Submits the draw calls to the GPU, as a swap would.
    public func present() { GLState.flush() }

    /// Returns the address of an OpenGL function for the program's own drawing code; nil if the
    /// function does not exist.
    ///
    /// - Precondition: the context is current on the calling thread.
    /// - Corresponds to: `eglGetProcAddress`.
    public func procAddress(_ name: String) -> UnsafeRawPointer? { headless.procAddress(name) }

    /// True: the framebuffer keeps the last frame.
    public var keepsPixels: Bool { true }
    /// Reads the frame that was drawn last; nil before the first one. Waits for the GPU.
    public func readPixels() -> RGBAImage? { framebuffer?.image() }
}
