// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
import PlayheadEffects
public import PlayheadGL
package import PlayheadTextures
public import PlayheadTime

/// Draws scenes: requests the frames that are due from their sources, uploads new ones, applies
/// effects and composites the layers.
///
/// Video without effects goes from its planes to the target in one draw. With effects it is first
/// drawn into an image of the layer's size, or of its own if that is smaller. Unchanged results are
/// not drawn again. On software OpenGL the CPU converts instead: see `PictureConversion`.
///
/// - Concurrency: render thread.
/// - Lifetime: holds the last scene drawn, and so its sources, until the next; if the CPU converts,
///   also the present frame of each.
/// - Errors: layers that cannot be drawn are skipped, and reported once; the rest is drawn. If the
///   context was lost, the report indicates it: create a new renderer in a new context.
/// - Corresponds to: `AVPlayerLayer`'s drawing, `CARenderer`, mpv's `mpv_render_context_render`.
public final class VideoRenderer {
    /// The condition for drawing.
    public enum Redraw: Sendable, Hashable {
        /// Draws every frame.
        case always
        /// Draws only if the frame would look different from the previous one: otherwise the target
        /// is not changed, and there is nothing to swap.
        case ifChanged
    }

    /// The context that it draws in, on whose thread it is used.
    public let context: any GLContext
    /// The processor that converts frames.
    package let conversion: PictureConversion
    private let textures: TextureCache
    private let conversions: ConvertedPictureCache?
    private let painter: PicturePainter
    private let pool: FramebufferPool
    private let compositor: LayerCompositor
    private let sources: VideoSourceTable
    private(set) var lastScene: Scene?
    private(set) var lastTarget: RenderTarget?
    private var timers: (upload: GLTimer, draw: GLTimer)?
    /// The effects' generations of the last drawn frame, and of the frame in progress: values that
    /// are set during drawing belong to the next.
    private var drawnGenerations: [UInt64] = []
    private var generations: [UInt64] = []

    /// Creates a renderer that converts and uploads frames by the fastest way on this driver.
    ///
    /// - Parameter context: the context that it draws in, current on this thread.
    public convenience init(context: any GLContext) {
        self.init(context: context, conversion: nil)
    }

    /// Creates a renderer that converts and uploads frames in given ways.
    ///
    /// - Parameters:
    ///   - conversion: the processor that converts frames; nil for the faster one in this context.
    ///   - upload: the way of uploading; nil for that of the environment, otherwise the fastest.
    ///   - helperCount: the number of threads that help the CPU convert, which are waited for; nil
    ///     for the useful number.
    /// - Precondition: the context is current on the calling thread.
    package init(
        context: any GLContext, conversion: PictureConversion? = nil, upload: PictureUpload? = nil,
        helperCount: Int? = nil
    ) {
        self.context = context
        let conversion = conversion ?? .automatic(for: context.capabilities)
        self.conversion = conversion
        conversions =
            conversion == .cpu
            ? ConvertedPictureCache(context: context, helperCount: helperCount) : nil
        textures = TextureCache(context: context, upload: upload)
        painter = PicturePainter(context: context)
        pool = FramebufferPool(context: context)
        sources = VideoSourceTable(
            textures: textures, deinterlacer: Deinterlacer(context: context, painter: painter),
            keepsBuffers: conversion == .cpu)
        compositor = LayerCompositor(
            context: context, textures: textures, conversions: conversions, painter: painter,
            pool: pool)
        stopsSlowEffects = true
    }

    /// Draws a scene for the time when the host clock reads `hostTime`, usually the time at which
    /// the frame will be shown.
    ///
    /// It never waits: if a source has no frame for the time, the last one is drawn again.
    public func render(
        _ scene: Scene, hostTime: MediaTime, into target: RenderTarget,
        redraw: Redraw = .always
    ) -> RenderReport {
        render(scene, hostTime: hostTime, into: target, redraw: redraw, keepsPictures: false)
    }

    /// Draws a scene, as above, in which sources may keep the frame that they have shown.
    ///
    /// - Parameter observed: the source whose frame is reported; nil, or one that no layer shows,
    ///   for that of the first video layer.
    package func render(
        _ scene: Scene, hostTime: MediaTime, into target: RenderTarget,
        redraw: Redraw = .always, keepsPictures: Bool,
        observing observed: (any PixelBufferSource)? = nil
    ) -> RenderReport {
        var report = RenderReport()
        if GLState.isLost(context) {
            report.isContextLost = true
            return report
        }
        context.deletionQueue.drain()
        // A minimised window has no pixels.
        guard target.width > 0, target.height > 0 else { return report }
        let scene = scene.isAnimated ? scene.presentation(atHostTime: hostTime) : scene
        GLState.beginFrame(
            isExclusive: context.isExclusive, capabilities: context.capabilities)
        // Fences are queued there too, also in a context that shares with no other.
        context.shareGroup.deletionQueue.drain()
        if context.shareGroup.isShared { GLState.refreshSharedObjects() }
        let uploadedBeforePull = uploadNanoseconds
        timers?.upload.begin()
        sources.pull(
            scene, hostTime: hostTime, keepsPictures: keepsPictures, observing: observed,
            report: &report)
        // At most vsyncs of video of a low frame rate there is nothing to upload, which takes no
        // time.
        timers?.upload.end(counts: uploadNanoseconds > uploadedBeforePull)
        report.uploadNanoseconds = uploadNanoseconds
        if report.hasNewPicture { report.uploadedHostTime = HostClock.nanoseconds }
        report.isMoving = isMoving(scene)
        report.hasChanged = hasChanged(scene, target, report)
        if checkForLoss(&report) { return report }
        guard report.hasChanged || redraw == .always else {
            GLState.endFrame(usedUnits: 0, isExclusive: context.isExclusive)
            return report
        }

        let start = HostClock.nanoseconds
        let uploadedBefore = uploadNanoseconds
        let seconds = report.sceneTime.isNumeric ? report.sceneTime.seconds : hostTime.seconds
        timers?.draw.begin()
        compositor.draw(
            scene, into: target, sources: sources, time: EffectTime(seconds: seconds),
            report: &report)
        timers?.draw.end()
        report.gpuUploadNanoseconds = timers?.upload.takeNanoseconds()
        report.gpuDrawNanoseconds = timers?.draw.takeNanoseconds()
        let uploaded = uploadNanoseconds
        report.uploadNanoseconds = uploaded
        report.drawNanoseconds = HostClock.nanoseconds - start - (uploaded - uploadedBefore)
        if checkForLoss(&report) { return report }
        report.wasDrawn = true
        // The properties of effects that were drawn for the first time are known now.
        report.isMoving = isMoving(scene)
        textures.endFrame()
        sources.endFrame()
        conversions?.endFrame()
        pool.endFrame()
        remember(scene, target)
        return report
    }

    /// Converts the next frame ahead of time on a thread of the renderer's own, if the CPU
    /// converts: `render` then only uploads it. Call it after `render`, also if that had nothing to
    /// draw; it returns at once.
    ///
    /// It is for loops in which a frame must be ready in time, or which share the machine; it saves
    /// no work in total. `render` still converts a frame that is not ready in time: the first one,
    /// the first after a seek, and the first of another size.
    public func prepareNextPicture() {
        guard let conversions else { return }
        sources.forEachBuffer { source, buffer, itemTime, step in
            let next = source.upcomingPixelBuffer(afterItemTime: itemTime, step: step)
            if let next { conversions.prepare(next, before: buffer) }
        }
    }

    /// Returns whether a due frame can be drawn without being converted by `render`: always true if
    /// a shader converts, and until a frame was drawn. If it is false, the thread of
    /// `prepareNextPicture` converts the frame: ask again a little later.
    package func isReady(_ buffer: PixelBuffer) -> Bool {
        guard let conversions else { return true }
        var isReady = true
        sources.forEachBuffer { _, shown, _, _ in
            if shown.identifier != buffer.identifier {
                isReady = isReady && conversions.isReady(buffer, before: shown)
            }
        }
        return isReady
    }

    /// A Boolean value that indicates whether the next frame has been converted.
    package var isNextPicturePrepared: Bool { conversions?.hasPrepared ?? false }

    /// The number of frames that had been converted ahead when they were drawn.
    package var preparedCount: Int { conversions?.preparedCount ?? 0 }

    /// Releases textures and framebuffers that the last frame drawn did not use, which are
    /// otherwise kept for the next ones: call it if nothing is going to be drawn for a while.
    package func trim() {
        textures.trim()
        sources.trim()
        conversions?.trim()
        pool.trim()
        context.deletionQueue.drain()
    }

    /// Checks, after an error of OpenGL, whether the cause is a lost context: then other errors are
    /// meaningless.
    private func checkForLoss(_ report: inout RenderReport) -> Bool {
        guard !report.problems.isEmpty || context.loss.isLost else {
            return false
        }
        if context.loss.check(context.capabilities) {
            report = RenderReport()
            report.isContextLost = true
            return true
        }
        return false
    }

    /// Returns the frame that a source showed when it was last requested.
    func picture(of source: any PixelBufferSource) -> LayerPicture? {
        (try? sources.picture(of: source, .none)) ?? nil
    }

    /// A Boolean value that indicates whether the GPU's time is measured, which takes some OpenGL
    /// calls a frame; false by default, and always if OpenGL ES does not support it.
    package var measuresGPU: Bool {
        get { timers != nil }
        set {
            guard newValue != measuresGPU else { return }
            timers =
                newValue && context.capabilities.features.contains(.timers)
                ? (GLTimer(context: context), GLTimer(context: context)) : nil
            compositor.contents.measuresPasses = newValue
        }
    }

    /// A Boolean value that indicates whether an effect is switched off, and reported, if a pass
    /// takes over half a second in two frames in a row; true by default. Set it to false for
    /// offline rendering.
    package var stopsSlowEffects: Bool {
        get { compositor.contents.stopsSlowEffects }
        set { compositor.contents.stopsSlowEffects = newValue }
    }

    /// The memory of OpenGL for decoders to write frames into; it provides none until a trial has
    /// shown that this is faster.
    ///
    /// - Corresponds to: `kCVPixelBufferOpenGLCompatibilityKey` of a video output's pixel buffers.
    package var pixelBufferPool: any PixelBufferPool { textures.memory }

    /// The memory that decoders work in, in bytes.
    var mappedByteCount: Int { textures.memory.byteCount }

    /// The way that the last frame was uploaded.
    package var lastUpload: PictureUpload { textures.lastUpload }

    /// The number of frames uploaded since the renderer was made.
    package var uploadCount: Int { textures.uploadCount }

    private var uploadNanoseconds: Int64 {
        textures.uploadNanoseconds + (conversions?.nanoseconds ?? 0)
    }

    private func hasChanged(
        _ scene: Scene, _ target: RenderTarget, _ report: RenderReport
    ) -> Bool {
        generations.removeAll(keepingCapacity: true)
        Self.forEachEffect(of: scene) { generations.append($0.generation) }
        return report.hasNewPicture || report.hasNewField || report.hasNewOverlay
            || lastTarget != target || lastScene != scene
            || report.isMoving || generations != drawnGenerations
    }

    private func isMoving(_ scene: Scene) -> Bool {
        var isMoving = false
        // An effect that was not drawn is not visible until the scene, a frame or a value changes.
        Self.forEachEffect(of: scene) { effect in
            isMoving = isMoving || compositor.contents.isMoving(effect)
        }
        return isMoving
    }

    private func remember(_ scene: Scene, _ target: RenderTarget) {
        lastScene = scene
        lastTarget = target
        swap(&drawnGenerations, &generations)
    }

    /// Calls `body` with the effects that are drawn.
    private static func forEachEffect(of scene: Scene, _ body: (EffectInstance) -> Void) {
        if case .generator(let effect) = scene.background { body(effect) }
        for layer in scene.layers { forEachEffect(of: layer, body) }
    }

    private static func forEachEffect(of layer: Layer, _ body: (EffectInstance) -> Void) {
        guard !layer.isHidden, layer.opacity != 0 else { return }
        switch layer.content {
        case .generator(let effect): body(effect)
        case .transition(let transition):
            let sides = transition.sides
            if sides == .both { body(transition.effect) }
            if sides != .to { forEachEffect(of: transition.from, body) }
            if sides != .from { forEachEffect(of: transition.to, body) }
        case .none, .video, .image, .color: break
        }
        for effect in layer.effects { body(effect) }
        for sublayer in layer.sublayers { forEachEffect(of: sublayer, body) }
        if case .layer(let mask) = layer.mask { forEachEffect(of: mask, body) }
    }
}
