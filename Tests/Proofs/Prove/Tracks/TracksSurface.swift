// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadUI

/// A framebuffer with a layer for each video track, which reads the number of each from the pixels
/// of a finished frame.
///
/// - Concurrency: render thread, but for `init`.
final class TracksSurface: PresentationSurface, @unchecked Sendable {
    // Unchecked: `framebuffer` and `shown` belong to the render thread; the rest is constant.

    /// The number of layers in a row, and the size of a layer, in pixels.
    private static let columns = 4
    private static let layer = (width: 320, height: 180)

    let context: any GLContext
    private var framebuffer: GLFramebuffer?
    /// The numbers in the frame presented last; nil where none is readable.
    private(set) var shown = [Int?](repeating: nil, count: TracksFilm.count)

    init() throws(GLError) {
        context = try HeadlessContext()
        context.clearCurrent()
    }

    /// Returns the scene that shows each output in a layer.
    static func scene(of outputs: [PlayerItemVideoOutput]) -> Scene {
        Scene(
            layers: outputs.enumerated().map { index, output in
                Layer(
                    .video(output),
                    frame: .pixels(
                        LayerRect(
                            x: Double(index % columns * layer.width),
                            y: Double(index / columns * layer.height),
                            width: Double(layer.width), height: Double(layer.height))))
            })
    }

    func nextTarget() throws(GLError) -> RenderTarget? {
        if framebuffer == nil {
            framebuffer = try GLFramebuffer(
                width: Self.columns * Self.layer.width,
                height: TracksFilm.count / Self.columns * Self.layer.height, context: context)
        }
        return framebuffer.map {
            RenderTarget(
                framebuffer: $0.name, width: $0.width, height: $0.height, isTopRowFirst: true)
        }
    }

    func present() {
        guard let image = framebuffer?.image(isBottomUp: false) else { return }
        image.bytes.withUnsafeBufferPointer { bytes in
            for track in shown.indices {
                shown[track] = FrameNumberStrip.read(
                    in: .init(
                        x: Double(track % Self.columns * Self.layer.width),
                        y: Double(track / Self.columns * Self.layer.height),
                        width: Double(Self.layer.width), height: Double(Self.layer.height)),
                    sourceWidth: TracksFilm.size.width, sourceHeight: TracksFilm.size.height
                ) { x, y in Double(bytes[(y * image.width + x) * 4 + 1]) }
            }
        }
    }

    func readPixels() -> RGBAImage? { framebuffer?.image(isBottomUp: false) }

    /// Frees the resources of the context. Called on the render thread, at the end.
    func free() { framebuffer = nil }
}
