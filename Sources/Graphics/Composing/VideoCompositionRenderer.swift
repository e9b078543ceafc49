// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadEffects
import PlayheadGL
import PlayheadLayers
import PlayheadTime
import PlayheadVideoCompositions

/// Draws the pictures of a video composition with the compositor of layers.
///
/// Pictures are drawn with 16 bits per channel, so that rounding errors of many layers do not
/// accumulate, and then rounded to 8 bits.
///
/// - Concurrency: render thread.
final class VideoCompositionRenderer {
    private let composition: VideoComposition
    private let effects: TransitionEffects
    private let context: any GLContext
    private let renderer: VideoRenderer
    private var framebuffer: GLFramebuffer?
    private var readout: [UInt16] = []
    /// The current transition, and the index of its instruction.
    private var transition: (index: Int, effect: EffectInstance)?

    init(
        _ composition: VideoComposition, effects: TransitionEffects, context: any GLContext
    ) {
        self.composition = composition
        self.effects = effects
        self.context = context
        renderer = VideoRenderer(context: context)
        renderer.stopsSlowEffects = false
    }

    /// Draws a picture and returns it in `.rgba`, with straight alpha.
    func picture(of frame: VideoCompositionFrame) throws(VideoCompositionError) -> PixelBuffer {
        let target = try target(at: frame)
        let scene = VideoCompositionScene.scene(of: frame, in: composition) { effect(of: $0) }
        // Effects receive the time of the composition. During playback, they receive the media
        // time.
        let report = renderer.render(
            scene, hostTime: frame.time,
            into: RenderTarget(target, colorSpace: composition.colorSpace))
        if report.isContextLost {
            throw error("the OpenGL context was lost", at: frame)
        }
        if let problem = report.problems.first { throw error(problem.description, at: frame) }
        return read(target)
    }

    private func target(
        at frame: VideoCompositionFrame
    ) throws(VideoCompositionError) -> GLFramebuffer {
        if let framebuffer { return framebuffer }
        let size = composition.pixelSize
        do throws(GLError) {
            let made = try GLFramebuffer(
                format: context.capabilities.drawable(.rgba16), width: size.width,
                height: size.height, label: "video composition", context: context)
            framebuffer = made
            return made
        } catch {
            throw self.error(error.description, at: frame)
        }
    }

    private func error(
        _ cause: String, at frame: VideoCompositionFrame
    ) -> VideoCompositionError {
        VideoCompositionError(
            .cannotDraw, cause: cause, instructionIndex: frame.instructionIndex, time: frame.time)
    }

    private func effect(of frame: VideoCompositionFrame) -> EffectInstance? {
        guard let kind = frame.instruction.transition?.kind, let effect = effects[kind] else {
            return nil
        }
        if let transition, transition.index == frame.instructionIndex { return transition.effect }
        let instance = EffectInstance(effect)
        transition = (frame.instructionIndex, instance)
        return instance
    }

    // MARK: - Reading

    /// Waits until the picture is drawn, and returns it.
    private func read(_ target: GLFramebuffer) -> PixelBuffer {
        let (width, height) = (target.width, target.height)
        readout = target.samples(reusing: readout)
        let attachments = PixelBufferAttachments(
            color: ColorAttachments(
                matrix: .rgb, range: .full, primaries: composition.colorSpace.primaries,
                transfer: composition.colorSpace == .bt709
                    ? .sRGB : composition.colorSpace.transfer))
        return PixelBuffer(
            format: .rgba, width: width, height: height, attachments: attachments
        ) { _, bytes, bytesPerRow in
            readout.withUnsafeBufferPointer { samples in
                for row in 0..<height {
                    Self.round(
                        samples, from: (height - 1 - row) * width * 4, count: width,
                        to: UnsafeMutableRawBufferPointer(rebasing: bytes[(row * bytesPerRow)...]))
                }
            }
        }
    }

    /// Converts premultiplied 16-bit samples to 8-bit samples with straight alpha, with rounding.
    private static func round(
        _ samples: UnsafeBufferPointer<UInt16>, from first: Int, count: Int,
        to bytes: UnsafeMutableRawBufferPointer
    ) {
        for column in 0..<count {
            let place = first + column * 4
            let color = SIMD4<UInt32>(
                UInt32(samples[place]), UInt32(samples[place + 1]), UInt32(samples[place + 2]),
                UInt32(samples[place + 3]))
            var result: SIMD4<UInt32>
            if color.w == 0 {
                result = .zero
            } else if color.w == 0xffff {
                // Selects the nearest of 256 levels.
                result = (color &* 255 &+ 0x7fff) / 0xffff
            } else {
                result = (color &* 255 &+ color.w / 2) / color.w
                result.w = (color.w * 255 + 0x7fff) / 0xffff
            }
            bytes.storeBytes(
                of: SIMD4<UInt8>(clamping: result), toByteOffset: column * 4,
                as: SIMD4<UInt8>.self)
        }
    }
}
