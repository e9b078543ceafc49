// SPDX-License-Identifier: Apache-2.0

public import Observation
package import PlayheadBuffers
import PlayheadEffects
public import PlayheadGL
package import PlayheadTextures
public import PlayheadTime

/// Draws scenes. For each scene, it requests the due frames from their sources, uploads new frames,
/// applies effects and composites the layers.
///
/// Video without effects goes from its planes to the target in one draw. With effects, the video is
/// first drawn into an image of the layer's size or, if that is smaller, of the video's own size.
/// The results of effects are kept and are not drawn again if nothing has changed. On software
/// OpenGL the CPU converts frames instead: see `PictureConversion`.
///
/// - Concurrency: render thread.
/// - Lifetime: holds the last scene that it drew, and therefore its sources, until it draws the
///   next one. If the CPU converts, it also holds the current frame of each source.
/// - Errors: layers that cannot be drawn are skipped, and reported once; the rest is drawn. If the
///   report indicates that the context was lost, create a new renderer in a new context.
/// - Corresponds to: `AVPlayerLayer`'s drawing, `CARenderer`, mpv's `mpv_render_context_render`.
public final class VideoRenderer: Observable {
    /// The condition for drawing.
    public enum Redraw: Sendable, Hashable {
        /// Draws every frame.
        case always
        /// Draws only if the frame would look different from the previous one. Otherwise the target
        /// is not changed, and there is nothing to swap.
        case ifChanged
    }

    /// The context in which the renderer draws. The renderer is used on the context's thread.
    public let context: any GLContext
    /// The processor that converts frames.
    package let conversion: PictureConversion
    private let textures: TextureCache
    private let conversions: ConvertedPictureCache?
    private let painter: PicturePainter
    private let pool: FramebufferPool
    private let compositor: LayerCompositor
    private let sources: VideoSourceTable
    private let registrar = ObservationRegistrar()
    /// The number of times that sources got their first frame, or were removed. Observing
    /// `isReadyForDisplay` means observing this property.
    private(set) var readinessCount = 0
    private(set) var lastScene: Scene?
    private(set) var lastTarget: RenderTarget?
    private var timers: (upload: GLTimer, draw: GLTimer)?
    /// The values of `EffectInstance.generation` for the effects in the frame that was drawn last,
    /// and for those in the frame in progress. Input values that are set during drawing belong to
    /// the next frame.
    private var drawnGenerations: [UInt64] = []
    private var generations: [UInt64] = []

    /// Creates a renderer that converts and uploads frames with the fastest methods on this driver.
    ///
    /// - Parameter context: the context to draw in, which is current on the calling thread.
    public convenience init(context: any GLContext) {
        self.init(context: context, conversion: nil)
    }

    /// Creates a renderer that converts and uploads frames with given methods.
    ///
    /// - Parameters:
    ///   - conversion: the processor that converts frames; nil for the faster processor in this
    ///     context.
    ///   - upload: the upload method; nil for the method that the environment variable names or, if
    ///     the variable is not set, the fastest method.
    ///   - helperCount: the number of threads that help the CPU to convert, for which the renderer
    ///     waits; nil for the number that is useful on this machine.
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
    /// The call never waits. If a source has no frame for the time, its last frame is drawn again.
    public func render(
        _ scene: Scene, hostTime: MediaTime, into target: RenderTarget,
        redraw: Redraw = .always
    ) -> RenderReport {
        render(scene, hostTime: hostTime, into: target, redraw: redraw, keepsPictures: false)
    }

    /// Draws a scene like the public method, with two additional parameters.
    ///
    /// - Parameters:
    ///   - keepsPictures: true if sources keep the frame that they have shown.
    ///   - observed: the source whose frame is reported. If it is nil, or if no layer shows it, the
    ///     frame of the first video layer is reported.
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
        // A minimised window has no pixels to draw.
        guard target.width > 0, target.height > 0 else { return report }
        let scene = scene.isAnimated ? scene.presentation(atHostTime: hostTime) : scene
        GLState.beginFrame(
            isExclusive: context.isExclusive, capabilities: context.capabilities)
        // The share group's queue contains fences, even if the context shares with no other.
        context.shareGroup.deletionQueue.drain()
        if context.shareGroup.isShared { GLState.refreshSharedObjects() }
        let uploadedBeforePull = uploadNanoseconds
        timers?.upload.begin()
        sources.pull(
            scene, hostTime: hostTime, keepsPictures: keepsPictures, observing: observed,
            report: &report)
        noteReadiness()
        // If the frame rate of a video is low, nothing is uploaded for most vsyncs. The measured
        // time is then not counted.
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
        // The properties of effects that were drawn for the first time are now known.
        report.isMoving = isMoving(scene)
        textures.endFrame()
        sources.endFrame()
        conversions?.endFrame()
        pool.endFrame()
        remember(scene, target)
        return report
    }

    /// Converts the next frame ahead of time on a thread of the renderer, if the CPU converts, so
    /// that `render` only has to upload it. Call this after `render`, even if `render` had nothing
    /// to draw. The call returns at once.
    ///
    /// Use it in loops in which a frame must be ready in time, or which share the machine with
    /// other work. It does not reduce the total work. `render` still converts a frame that is not
    /// ready in time: the first frame, the first after a seek, and the first at a new size.
    public func prepareNextPicture() {
        guard let conversions else { return }
        sources.forEachBuffer { source, buffer, itemTime, step in
            let next = source.upcomingPixelBuffer(afterItemTime: itemTime, step: step)
            if let next { conversions.prepare(next, before: buffer) }
        }
    }

    /// Uploads the next frames ahead of time while a trial of the upload methods lasts: see
    /// `TextureCache.uploadDuringTrial`.
    package func continueUploadTrial() {
        sources.forEachUploaded { source, itemTime, step in
            let next = source.upcomingPixelBuffer(afterItemTime: itemTime, step: step)
            if let next { textures.uploadDuringTrial(next) }
        }
    }

    /// Returns whether `render` can draw a due frame without converting it. The result is always
    /// true if a shader converts, and until a frame has been drawn. If the result is false, the
    /// thread of `prepareNextPicture` converts the frame, so call this method again a little later.
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

    /// The number of frames that had been converted ahead of time when they were drawn.
    package var preparedCount: Int { conversions?.preparedCount ?? 0 }

    /// Releases textures and framebuffers that the last drawn frame did not use. They are otherwise
    /// kept for the next frames. Call this if nothing is going to be drawn for a while.
    package func trim() {
        textures.trim()
        sources.trim()
        conversions?.trim()
        pool.trim()
        context.deletionQueue.drain()
    }

    /// Checks, after an OpenGL error, whether a lost context is the cause. Other errors are then
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

    /// Reports to observers that sources have their first frame, or are no longer shown.
    private func noteReadiness() {
        guard readinessCount != sources.readinessCount else { return }
        registrar.withMutation(of: self, keyPath: \.readinessCount) {
            readinessCount = sources.readinessCount
        }
    }

    /// Records for Swift's Observation that `isReadyForDisplay` is read.
    func accessReadiness() { registrar.access(self, keyPath: \.readinessCount) }

    /// Returns the frame that a source showed when it was last requested.
    func picture(of source: any PixelBufferSource) -> LayerPicture? {
        (try? sources.picture(of: source, .none)) ?? nil
    }

    /// A Boolean value that indicates whether the GPU's time is measured, which takes some OpenGL
    /// calls a frame. It is false by default, and always false if OpenGL ES does not support it.
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

    /// A Boolean value that indicates whether an effect is switched off and reported if a pass
    /// takes more than half a second in two consecutive frames. It is true by default. Set it to
    /// false for offline rendering.
    package var stopsSlowEffects: Bool {
        get { compositor.contents.stopsSlowEffects }
        set { compositor.contents.stopsSlowEffects = newValue }
    }

    /// A pool of OpenGL memory into which decoders can write frames. It provides no memory until a
    /// trial has shown that uploads from it are faster.
    ///
    /// - Corresponds to: `kCVPixelBufferOpenGLCompatibilityKey` of a video output's pixel buffers.
    package var pixelBufferPool: any PixelBufferPool { textures.memory }

    /// The OpenGL memory that decoders work in, in bytes.
    var mappedByteCount: Int { textures.memory.byteCount }

    /// The method with which the last frame was uploaded.
    package var lastUpload: PictureUpload { textures.lastUpload }

    /// The number of frames uploaded since the renderer was created.
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
        // An effect that was not drawn stays invisible until the scene, a frame or a value changes.
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
