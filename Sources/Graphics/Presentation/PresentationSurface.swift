// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadGL
public import PlayheadLayers

/// Where finished frames go: a window, or a picture in memory.
///
/// - Concurrency: the context as it says itself; everything else on the render thread, while the
///   context is current there.
/// - Corresponds to: `CAMetalLayer` with its drawables; a `CGLContext` with its view.
public protocol PresentationSurface: AnyObject, Sendable {
    var context: any GLContext { get }

    /// What the next frame is drawn into; nil while there is nothing to draw on, such as in a
    /// minimised window.
    func nextTarget() throws(GLError) -> RenderTarget?

    /// Makes the context anew after it was lost, if the render thread can do that; false where it is
    /// up to the surface's owner.
    func remakeContext() throws(GLError) -> Bool

    /// Shows what was drawn into the last target.
    func present()

    /// Whether `readPixels()` gives what was presented last until there is a next target.
    var keepsPixels: Bool { get }

    /// What was drawn into the last target, before `present()`.
    func readPixels() -> RGBAImage?
}

extension PresentationSurface {
    public func remakeContext() throws(GLError) -> Bool { false }
    public var keepsPixels: Bool { false }
}
