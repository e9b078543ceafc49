// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadBuffers
import PlayheadEffects
import PlayheadGL
import PlayheadTextures
import PlayheadTime

/// The objects for drawing effects.
struct EffectRig {
    let context: HeadlessContext
    let pool: FramebufferPool
    let renderer: EffectRenderer

    init(_ context: HeadlessContext) {
        self.context = context
        pool = FramebufferPool(context: context)
        renderer = EffectRenderer(
            context: context, painter: PicturePainter(context: context), pool: pool,
            images: TextureCache(context: context))
    }

    func draw(
        _ instance: EffectInstance, input: GLTexture? = nil, width: Int = 4, height: Int = 2,
        seconds: Double = 0
    ) -> RGBAImage? {
        let output = renderer.draw(
            instance, input: input, width: width, height: height,
            time: EffectTime(seconds: seconds))
        guard let output else { return nil }
        defer { pool.release(output.framebuffer) }
        return output.framebuffer.image()
    }
}
