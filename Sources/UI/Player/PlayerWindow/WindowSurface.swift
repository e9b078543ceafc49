// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadGL
public import PlayheadLayers
public import PlayheadPresentation
public import PlayheadWindow

/// A window to present to.
///
/// - Concurrency: see `PresentationSurface`.
/// - Ownership: keeps the window's context; the window has to stay open as long as it is used.
public final class WindowSurface: PresentationSurface {
    private let window: WindowContext
    public var context: any GLContext { window }

    public init(_ window: WindowContext) {
        self.window = window
    }

    public func nextTarget() throws(GLError) -> RenderTarget? {
        let size = window.framebufferSize
        guard size.width > 0, size.height > 0 else { return nil }
        return .window(width: size.width, height: size.height)
    }

    public func present() { window.swapBuffers() }

    public func readPixels() -> RGBAImage? {
        let size = window.framebufferSize
        guard size.width > 0, size.height > 0 else { return nil }
        return GLFramebuffer.image(framebuffer: 0, width: size.width, height: size.height)
    }
}
