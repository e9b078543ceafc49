// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// Draws a transition of two frames without a composition.
final class TransitionReference {
    private let context: HeadlessContext
    private let width: Int
    private let height: Int
    private let pool: FramebufferPool
    private let renderer: EffectRenderer

    init(width: Int, height: Int) throws {
        context = try HeadlessContext()
        (self.width, self.height) = (width, height)
        pool = FramebufferPool(context: context)
        renderer = EffectRenderer(
            context: context, painter: PicturePainter(context: context), pool: pool,
            images: TextureCache(context: context))
    }

    /// Returns the components of the picture over black, in codes from 0 to 255, row by row from
    /// the top.
    func picture(
        _ instance: EffectInstance, from first: PixelBuffer, to second: PixelBuffer,
        progress: Double, seconds: Double
    ) throws -> [Double] {
        try context.makeCurrent()
        try instance.set(.image(first), for: "startImage")
        try instance.set(.image(second), for: "endImage")
        try instance.set(.float(Float(progress)), for: "progress")
        GLState.beginFrame()
        let output = renderer.draw(
            instance, input: nil, width: width, height: height, time: EffectTime(seconds: seconds))
        guard let output else {
            throw renderer.takeErrors().first
                ?? EffectError.unsupported(
                    path: instance.effect.path, line: nil, reason: "nothing is drawn")
        }
        let isStraight = output.alpha == .straight
        let values = output.framebuffer.values().flatMap { value -> [Double] in
            let alpha = isStraight ? Double(value.w) : 1
            return (0..<3).map { Double(value[$0]) * alpha * 255 } + [255]
        }
        pool.release(output.framebuffer)
        context.deletionQueue.drain()
        return values
    }
}
