// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// Draws single frames without a display. It uses the renderer of playback.
///
/// - Concurrency: the thread that created it.
final class StillPainter {
    private let context: HeadlessContext
    private let renderer: VideoRenderer
    private var framebuffer: GLFramebuffer?

    init() throws {
        context = try HeadlessContext()
        try context.makeCurrent()
        renderer = VideoRenderer(context: context)
        renderer.stopsSlowEffects = false
    }

    deinit { context.clearCurrent() }

    /// Returns a frame as RGBA with straight alpha. By default, it has the display size of the
    /// frame.
    func image(
        of picture: PixelBuffer, size: SizeArgument? = nil, effects: [EffectInstance] = [],
        background: Scene.Background = .color([0, 0, 0, 0]),
        subtitles: SubtitleStills? = nil, at time: MediaTime = .zero
    ) throws -> RGBAImage {
        let width = size?.width ?? max(1, Int(picture.displaySize.width.rounded()))
        let height = size?.height ?? max(1, Int(picture.displaySize.height.rounded()))
        if framebuffer?.width != width || framebuffer?.height != height {
            framebuffer = try GLFramebuffer(width: width, height: height, context: context)
        }
        guard let framebuffer else {
            throw ToolError(.noGraphics, "a framebuffer cannot be created; run 'playhead doctor'")
        }
        var layers = [Layer(.image(picture), effects: effects)]
        if let words = try subtitles?.layer(at: time, over: picture, width: width, height: height) {
            layers.append(words)
        }
        let scene = Scene(background: background, layers: layers)
        // As during playback, effects receive the media time.
        let report = renderer.render(scene, hostTime: time, into: RenderTarget(framebuffer))
        try report.requireWhole()
        return framebuffer.image().unpremultiplied()
    }
}

extension RGBAImage {
    /// The SHA-256 of the pixels, with the rows from top to bottom.
    var sha256: String {
        get throws { try SHA256.hexDigest(of: bytes) }
    }
}
