// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadGL
public import PlayheadTime

extension VideoRenderer {
    /// Returns whether a layer's content was available when a scene with it was last rendered: a
    /// video's first frame, or any content that need not be waited for.
    ///
    /// - Corresponds to: `AVPlayerLayer.isReadyForDisplay`.
    public func isReadyForDisplay(_ layer: Layer) -> Bool {
        switch layer.content {
        case .none: false
        case .video(let source): picture(of: source) != nil
        case .image, .color, .generator: true
        case .transition(let transition):
            isReadyForDisplay(transition.from) || isReadyForDisplay(transition.to)
        }
    }

    /// Returns the rectangle of a layer's content within its frame, in the layer's own pixels; nil
    /// until it has content.
    ///
    /// - Parameter bounds: the size of the layer's frame, in pixels.
    /// - Corresponds to: `AVPlayerLayer.videoRect`.
    public func videoRect(
        of layer: Layer, bounds: (width: Double, height: Double)
    ) -> LayerRect? {
        let size: (width: Double, height: Double)
        var gravity = layer.gravity
        switch layer.content {
        case .none: return nil
        case .video(let source):
            guard let picture = picture(of: source) else { return nil }
            size = picture.displaySize
        case .image(let buffer): size = buffer.displaySize
        case .color, .generator, .transition:
            // Contents without a size of their own fill the frame.
            (size, gravity) = (bounds, .resize)
        }
        let frame = LayerRect(x: 0, y: 0, width: bounds.width, height: bounds.height)
        guard frame.isReasonable, layer.contentsRect.isReasonable else { return nil }
        return LayerGeometry(
            size: size, frame: frame, contents: layer.contentsRect, gravity: gravity
        ).rect
    }

    /// Returns a scene as a frozen image, for a layer (`Layer(.image(picture))`) to show later.
    ///
    /// Waits until all is drawn, and copies it: do not call it for every frame.
    ///
    /// - Parameter width: in pixels, at least 1.
    /// - Throws: errors of OpenGL in making the image; layers that cannot be drawn are skipped.
    /// - Corresponds to: `UIView.snapshotView(afterScreenUpdates:)`.
    public func snapshot(
        of scene: Scene, hostTime: MediaTime, width: Int, height: Int
    ) throws(GLError) -> PixelBuffer {
        let framebuffer = try GLFramebuffer(
            width: max(1, width), height: max(1, height), context: context)
        _ = render(scene, hostTime: hostTime, into: RenderTarget(framebuffer))
        let image = framebuffer.image()
        let attachments = PixelBufferAttachments(
            color: ColorAttachments(
                matrix: .rgb, range: .full, primaries: .bt709, transfer: .sRGB,
                alpha: .premultiplied))
        return PixelBuffer(
            format: .rgba, width: image.width, height: image.height, attachments: attachments
        ) { _, plane, bytesPerRow in
            image.bytes.withUnsafeBytes { source in
                for row in 0..<image.height {
                    let line = source[row * image.width * 4..<(row + 1) * image.width * 4]
                    UnsafeMutableRawBufferPointer(rebasing: plane[(row * bytesPerRow)...])
                        .copyBytes(from: line)
                }
            }
        }
    }
}
