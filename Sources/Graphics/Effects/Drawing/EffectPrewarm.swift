// SPDX-License-Identifier: Apache-2.0

import PlayheadGL
import PlayheadTextures

/// Compiles effects in a context of its own and draws them once into a small framebuffer, so that
/// their errors are detected before they are drawn on the render thread.
///
/// Compiling on the render thread would drop frames. Drivers cache compiled programs; Mesa's
/// software rasterizer also caches the machine code, which takes 30 to 100 ms to generate at the
/// first draw. Once an effect is prewarmed, the render thread compiles it in about a millisecond.
/// Shared contexts would be no faster, because the software rasterizer generates machine code for
/// each of them.
///
/// - Concurrency: the thread that created it, on which its context stays current.
final class EffectPrewarm {
    /// The size of the framebuffer. Drivers compile a program once more for a framebuffer whose
    /// sides are powers of two. Videos rarely have such sides. Therefore neither side is a power of
    /// two, and neither is its half or its quarter.
    private static let (width, height) = (92, 52)

    private let context: any GLContext
    private let renderer: EffectRenderer
    private let pool: FramebufferPool
    private let input: GLFramebuffer

    /// Creates a prewarmer.
    ///
    /// - Parameter context: A context that is current on the calling thread and not used for
    ///   anything else.
    init(_ context: any GLContext) throws(GLError) {
        self.context = context
        pool = FramebufferPool(context: context)
        input = try GLFramebuffer(width: Self.width, height: Self.height, context: context)
        renderer = EffectRenderer(
            context: context, painter: PicturePainter(context: context), pool: pool,
            images: TextureCache(context: context))
        // The values of an effect that is being edited change, so programs for constant values
        // would be of no use.
        renderer.specializesValues = false
    }

    /// Compiles and draws an effect with the values of an instance.
    ///
    /// - Returns: The error of the effect, or nil.
    func run(_ effect: Effect, like instance: EffectInstance) -> EffectError? {
        context.deletionQueue.drain()
        GLState.beginFrame(isExclusive: true)
        let copy = EffectInstance(instance.effect)
        for input in copy.effect.inputs {
            guard let value = instance.value(for: input.name) else { continue }
            try? copy.set(value, for: input.name)
        }
        copy.replace(with: effect)
        copy.isLive = instance.isLive
        // Textures of audio have their own format, so the audio source is copied too.
        copy.sound = instance.sound
        let error: EffectError?
        if let output = renderer.draw(
            copy, input: input.texture, width: Self.width, height: Self.height,
            time: EffectTime(seconds: 1))
        {
            pool.release(output.framebuffer)
            error = nil
        } else {
            error = copy.error
        }
        _ = renderer.takeErrors()
        if !context.capabilities.isSoftware {
            GLState.finish()
        } else if error == nil {
            // The software rasterizer compiles when the draw call is issued. There is no need to
            // wait for the drawing, which shares its threads with the drawing of the video.
            ShaderCacheWriters().wait()
        }
        return error
    }

    /// Releases the resources of prewarmed effects.
    func clear() {
        GLState.finish()
        pool.endFrame()
        renderer.endFrame()
        context.deletionQueue.drain()
    }
}
