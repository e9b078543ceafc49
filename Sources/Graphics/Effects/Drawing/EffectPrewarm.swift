// SPDX-License-Identifier: Apache-2.0

import PlayheadGL
import PlayheadTextures

/// Compiles effects and draws them once, small, in a context of its own: what is wrong with them
/// comes out there, and not where films are drawn.
///
/// Compiling on the render thread would cost it frames. Drivers keep what they have compiled (Mesa,
/// also its software: there the machine code that a first draw takes 30 to 100 ms to make; NVIDIA's
/// too), so what was prewarmed is compiled a second time, by the render thread, in about a
/// millisecond. Contexts that share objects would not do better: software makes its machine code
/// for each of them.
///
/// - Concurrency: one thread, the one that made it, on which its context stays current.
final class EffectPrewarm {
    /// Size of what is drawn. No power of two, and no half or quarter of it is one: drivers compile
    /// for sizes that are and for others apart, and films' are not.
    private static let (width, height) = (92, 52)

    private let context: any GLContext
    private let renderer: EffectRenderer
    private let pool: FramebufferPool
    private let input: GLFramebuffer

    /// - Parameter context: current on the calling thread, and used for nothing else.
    init(_ context: any GLContext) throws(GLError) {
        self.context = context
        pool = FramebufferPool(context: context)
        input = try GLFramebuffer(width: Self.width, height: Self.height, context: context)
        renderer = EffectRenderer(
            context: context, painter: PicturePainter(context: context), pool: pool,
            images: TextureCache(context: context))
        // Of an effect that is being worked on values change.
        renderer.specializesValues = false
    }

    /// Draws an effect with the values of an instance.
    ///
    /// - Returns: what is wrong with it; nil where nothing is.
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
        // Sound is read from textures of a format of their own.
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
            // Software compiles as it is told to draw. The drawing itself would have to wait for
            // that of the film, whose frames it does one after the other with everybody's.
            ShaderCacheWriters().wait()
        }
        return error
    }

    /// Lets go of what belongs to effects that have been prewarmed.
    func clear() {
        GLState.finish()
        pool.endFrame()
        renderer.endFrame()
        context.deletionQueue.drain()
    }
}
