// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadEffects
import PlayheadGL
import PlayheadLayers
import PlayheadTime
import PlayheadVideoCompositions

/// Draws the frames of a video composition, as layers or with the custom compositor of the
/// composition.
///
/// Frames are drawn with 16 bits per channel and then rounded to 8 bits, so that the rounding
/// errors of many layers do not accumulate.
///
/// - Concurrency: render thread.
final class VideoCompositionRenderer {
    private var composition: VideoComposition
    private var effects: TransitionEffects
    private let context: HeadlessContext
    private let renderer: VideoRenderer
    private var compositor: (any TextureCompositing)?
    private var framebuffer: GLFramebuffer?
    /// For a custom compositor: the framebuffers with the frames of the tracks, by track ID.
    private var sources: [Int: GLFramebuffer] = [:]
    private var readout: [UInt16] = []
    /// The current transition, and the index of its instruction.
    private var transition: (index: Int, effect: EffectInstance)?

    init(
        _ composition: VideoComposition, effects: TransitionEffects, context: HeadlessContext
    ) {
        self.composition = composition
        self.effects = effects
        self.context = context
        renderer = VideoRenderer(context: context)
        renderer.stopsSlowEffects = false
    }

    /// Draws another composition from the next frame on. A compositor of the same type is kept.
    func exchange(_ composition: VideoComposition, effects: TransitionEffects) {
        self.composition = composition
        self.effects = effects
        transition = nil
        let size = composition.pixelSize
        if let framebuffer, (framebuffer.width, framebuffer.height) != size {
            self.framebuffer = nil
        }
        guard let compositor else { return }
        let other = composition.makeTextureCompositor?()
        if other.map({ type(of: $0) == type(of: compositor) }) != true { self.compositor = other }
    }

    /// Draws a frame and returns it in `.rgba`, with straight alpha.
    func picture(of frame: VideoCompositionFrame) throws(VideoCompositionError) -> PixelBuffer {
        let target = try target(at: frame)
        if let makeTextureCompositor = composition.makeTextureCompositor {
            let compositor = self.compositor ?? makeTextureCompositor()
            self.compositor = compositor
            try draw(frame, with: compositor, into: target)
            return read(target)
        }
        let scene = VideoCompositionScene.scene(of: frame, in: composition) { effect(of: $0) }
        try render(scene, at: frame, into: target)
        return read(target)
    }

    private func render(
        _ scene: Scene, at frame: VideoCompositionFrame, into target: GLFramebuffer
    ) throws(VideoCompositionError) {
        // Effects receive the time of the composition here, and the media time during playback.
        let report = renderer.render(
            scene, hostTime: frame.time,
            into: RenderTarget(target, colorSpace: composition.colorSpace))
        if report.isContextLost {
            throw error("the OpenGL context was lost", at: frame)
        }
        if let problem = report.problems.first { throw error(problem.description, at: frame) }
    }

    // MARK: - Custom compositors

    private func draw(
        _ frame: VideoCompositionFrame, with compositor: any TextureCompositing,
        into target: GLFramebuffer
    ) throws(VideoCompositionError) {
        var textures: [Int: GLTexture] = [:]
        for (id, source) in frame.sourceFrames {
            let layer = Layer(.image(source.pixelBuffer), gravity: .resize)
            let framebuffer = try framebuffer(ofTrack: id, source.pixelBuffer, at: frame)
            try render(
                Scene(background: .color(.zero), layers: [layer]), at: frame, into: framebuffer)
            textures[id] = framebuffer.texture
        }
        // The background is drawn last, so that the target stays bound.
        try render(
            Scene(background: .color(frame.instruction.backgroundColor)), at: frame, into: target)
        GLState.setTarget(
            framebuffer: target.name, width: target.width, height: target.height)
        var failure: String?
        do {
            try compositor.draw(
                TextureCompositionRequest(
                    compositionTime: frame.time, instruction: frame.instruction, target: target,
                    context: context, textures: textures))
        } catch {
            failure = String(describing: error)
        }
        // The compositor may have left OpenGL in any state.
        GLState.beginFrame(capabilities: context.capabilities)
        if let code = GLState.takeError(), failure == nil {
            failure = "the compositor left the OpenGL error 0x\(String(code, radix: 16))"
        }
        guard let failure else { return }
        throw VideoCompositionError(
            .compositorFailed, cause: failure, instructionIndex: frame.instructionIndex,
            time: frame.time)
    }

    /// Returns a framebuffer for the frames of a track, upright and with square pixels.
    private func framebuffer(
        ofTrack id: Int, _ buffer: PixelBuffer, at frame: VideoCompositionFrame
    ) throws(VideoCompositionError) -> GLFramebuffer {
        let width = max(1, Int(buffer.displaySize.width.rounded()))
        let height = max(1, Int(buffer.displaySize.height.rounded()))
        if let known = sources[id], known.width == width, known.height == height { return known }
        let made = try makeFramebuffer(width, height, "frame of track \(id)", at: frame)
        sources[id] = made
        return made
    }

    private func target(
        at frame: VideoCompositionFrame
    ) throws(VideoCompositionError) -> GLFramebuffer {
        if let framebuffer { return framebuffer }
        let size = composition.pixelSize
        let made = try makeFramebuffer(size.width, size.height, "video composition", at: frame)
        framebuffer = made
        return made
    }

    private func makeFramebuffer(
        _ width: Int, _ height: Int, _ label: String, at frame: VideoCompositionFrame
    ) throws(VideoCompositionError) -> GLFramebuffer {
        do throws(GLError) {
            return try GLFramebuffer(
                format: context.capabilities.drawable(.rgba16), width: width, height: height,
                label: label, context: context)
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

    /// Waits until the frame is drawn, and returns it.
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
                guard let samples = samples.baseAddress, let bytes = bytes.baseAddress else {
                    return
                }
                for row in 0..<height {
                    StraightSamples.round(
                        samples + (height - 1 - row) * width * 4, count: width,
                        to: bytes + row * bytesPerRow)
                }
            }
        }
    }
}
