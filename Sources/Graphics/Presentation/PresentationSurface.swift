// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadGL
public import PlayheadLayers

/// A destination of finished frames: a window, or an image in memory.
///
/// - Concurrency: see `GLContext` for `context`. Everything else is used on the render thread,
///   while the context is current there.
/// - Corresponds to: `CAMetalLayer` with its drawables; a `CGLContext` with its view.
public protocol PresentationSurface: AnyObject, Sendable {
    /// The context in which the surface is drawn.
    var context: any GLContext { get }

    /// Returns the target of the next frame; nil while the surface has no area, such as for a
    /// minimised window.
    func nextTarget() throws(GLError) -> RenderTarget?

    /// Recreates the context after it was lost, if that is possible on the render thread. Returns
    /// false if the surface's owner has to recreate it.
    func remakeContext() throws(GLError) -> Bool

    /// Shows the frame that was drawn to the last target.
    func present()

    /// A Boolean value that indicates whether `readPixels()` returns the last presented frame until
    /// `nextTarget()` is called.
    var keepsPixels: Bool { get }

    /// Returns the frame that was drawn to the last target, before `present()`.
    func readPixels() -> RGBAImage?
}

extension PresentationSurface {
    /// Returns false, because the surface's owner recreates the context.
    public func remakeContext() throws(GLError) -> Bool { false }
    /// False: the frame can only be read before `present()`.
    public var keepsPixels: Bool { false }
}
