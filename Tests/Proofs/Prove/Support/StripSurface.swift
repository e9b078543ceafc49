// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadUI

/// A framebuffer to present to. It reads the number in the pixels of each finished frame.
///
/// Only the rows of the strip are read back: the frame is drawn with its top row first, where
/// OpenGL starts reading. Reading waits until drawing has finished, as a swap with software
/// rendering does, so measurements include it.
///
/// - Concurrency: render thread, but for `init`.
final class StripSurface: PresentationSurface, @unchecked Sendable {
    // Unchecked: `framebuffer` and `shown` belong to the render thread; the rest is constant.
    let context: any GLContext
    private let size: (width: Int, height: Int)
    private let source: (width: Int, height: Int)
    private var framebuffer: GLFramebuffer?
    /// The number in the frame presented last; nil before the first, and where it is unreadable.
    private(set) var shown: Int?
    /// The rows of the strip, as wide as the frame.
    private(set) var rows: RGBAImage?

    /// - Parameters:
    ///   - size: the size of the framebuffer, in pixels.
    ///   - source: the size of the video, which fills the framebuffer.
    init(size: (width: Int, height: Int), source: (width: Int, height: Int)) throws(GLError) {
        context = try HeadlessContext()
        context.clearCurrent()
        self.size = size
        self.source = source
    }

    func nextTarget() throws(GLError) -> RenderTarget? {
        if framebuffer == nil {
            framebuffer = try GLFramebuffer(
                width: size.width, height: size.height, context: context)
        }
        return framebuffer.map {
            RenderTarget(
                framebuffer: $0.name, width: $0.width, height: $0.height, isTopRowFirst: true)
        }
    }

    func present() {
        guard let framebuffer else { return }
        let strip = FrameNumberStrip(pictureWidth: source.width)
        let rows = GLFramebuffer.image(
            framebuffer: framebuffer.name, width: size.width,
            height: (strip.height * size.height + source.height - 1) / source.height,
            isBottomUp: false)
        self.rows = rows
        shown = rows.bytes.withUnsafeBytes { bytes in
            FrameNumberStrip.read(
                fromRGBA: bytes, width: rows.width, height: rows.height,
                picture: .init(width: Double(size.width), height: Double(size.height)),
                sourceWidth: source.width, sourceHeight: source.height)
        }
    }

    func readPixels() -> RGBAImage? { framebuffer?.image(isBottomUp: false) }

    /// Frees the resources of the context. Called on the render thread, at the end.
    func free() { framebuffer = nil }
}
