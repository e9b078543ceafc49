// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadGL
public import PlayheadLayers
public import PlayheadPresentation
public import PlayheadWindow

/// A surface that shows the frames of a presenter in a window.
///
/// - Concurrency: see `PresentationSurface`.
/// - Ownership: retains the window's context. The window has to stay open while the surface is
///   used.
public final class WindowSurface: PresentationSurface {
    private let window: WindowContext
    /// The window's context.
    public var context: any GLContext { window }

    /// Creates a surface from the context of a window.
    public init(_ window: WindowContext) {
        self.window = window
    }

    /// Returns the window's framebuffer; nil while the window has no size.
    public func nextTarget() throws(GLError) -> RenderTarget? {
        let size = window.framebufferSize
        guard size.width > 0, size.height > 0 else { return nil }
        return .window(width: size.width, height: size.height)
    }

    /// Shows the frame that was drawn.
    public func present() { window.swapBuffers() }

    /// Returns the pixels of the framebuffer; nil while the window has no size.
    public func readPixels() -> RGBAImage? {
        let size = window.framebufferSize
        guard size.width > 0, size.height > 0 else { return nil }
        return GLFramebuffer.image(framebuffer: 0, width: size.width, height: size.height)
    }
}
