// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadGL
import PlayheadLayers
import PlayheadPresentation
import PlayheadWindow

/// A window to present to.
final class WindowSurface: PresentationSurface {
    private let window: WindowContext
    var context: any GLContext { window }

    init(_ window: WindowContext) {
        self.window = window
    }

    func nextTarget() throws(GLError) -> RenderTarget? {
        let size = window.framebufferSize
        guard size.width > 0, size.height > 0 else { return nil }
        return .window(width: size.width, height: size.height)
    }

    func present() { window.swapBuffers() }

    func readPixels() -> RGBAImage? {
        let size = window.framebufferSize
        guard size.width > 0, size.height > 0 else { return nil }
        return GLFramebuffer.image(framebuffer: 0, width: size.width, height: size.height)
    }
}
