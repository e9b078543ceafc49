// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadGL
public import PlayheadTime

extension VideoRenderer {
    /// Returns whether a layer's content was available when a scene with the layer was last
    /// rendered. Video is available once it has a first frame; other content always is.
    ///
    /// Swift's Observation tracks the result for video. `render` reports the change, on the render
    /// thread:
    ///
    ///     withObservationTracking {
    ///         isCovered = !renderer.isReadyForDisplay(layer)
    ///     } onChange: {
    ///         Task { @MainActor in needsUpdate = true }
    ///     }
    ///
    /// - Corresponds to: `AVPlayerLayer.isReadyForDisplay`.
    public func isReadyForDisplay(_ layer: Layer) -> Bool {
        accessReadiness()
        return switch layer.content {
        case .none: false
        case .video(let source): picture(of: source) != nil
        case .image, .color, .generator: true
        case .transition(let transition):
            isReadyForDisplay(transition.from) || isReadyForDisplay(transition.to)
        }
    }

    /// Returns the rectangle of a layer's content within the layer's frame, in the layer's own
    /// pixels; nil until the layer has content.
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
            // Content that has no size of its own fills the frame.
            (size, gravity) = (bounds, .resize)
        }
        let frame = LayerRect(x: 0, y: 0, width: bounds.width, height: bounds.height)
        guard frame.isReasonable, layer.contentsRect.isReasonable else { return nil }
        return LayerGeometry(
            size: size, frame: frame, contents: layer.contentsRect, gravity: gravity
        ).rect
    }

    /// Returns a scene as a frozen image, which a layer (`Layer(.image(snapshot))`) can show later.
    ///
    /// Waits until everything is drawn, and copies the result, so do not call this for every frame.
    ///
    /// - Parameter width: the width of the image in pixels, at least 1.
    /// - Throws: An OpenGL error that occurred in creating the image. Layers that cannot be drawn
    ///   are skipped.
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
