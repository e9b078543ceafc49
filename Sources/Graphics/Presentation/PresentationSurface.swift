// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadGL
public import PlayheadLayers

/// A destination of finished frames: a window, or an image in memory.
///
/// - Concurrency: the context as it states itself; everything else on the render thread, while the
///   context is current there.
/// - Corresponds to: `CAMetalLayer` with its drawables; a `CGLContext` with its view.
public protocol PresentationSurface: AnyObject, Sendable {
    /// The context that the surface is drawn in.
    var context: any GLContext { get }

    /// Returns the target of the next frame; nil while it has no area, such as for a minimised
    /// window.
    func nextTarget() throws(GLError) -> RenderTarget?

    /// Recreates the context after it was lost, if the render thread can do that; returns false if
    /// the surface's owner has to.
    func remakeContext() throws(GLError) -> Bool

    /// Shows the frame that was drawn to the last target.
    func present()

    /// A Boolean value that indicates whether `readPixels()` returns the last presented frame until
    /// there is a next target.
    var keepsPixels: Bool { get }

    /// Returns the frame that was drawn to the last target, before `present()`.
    func readPixels() -> RGBAImage?
}

extension PresentationSurface {
    /// Returns false: the surface's owner recreates the context.
    public func remakeContext() throws(GLError) -> Bool { false }
    /// False: the frame can be read before `present()` only.
    public var keepsPixels: Bool { false }
}
