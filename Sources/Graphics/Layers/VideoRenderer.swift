// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
import PlayheadEffects
public import PlayheadGL
package import PlayheadTextures
public import PlayheadTime

/// Draws scenes: asks their sources for the pictures that are due, uploads what is new, applies
/// effects and composites the layers.
///
/// A film without effects goes from its planes to the target in one draw. With effects it is first
/// drawn into a picture of the layer's size, or of its own where that is smaller. What has not
/// changed is not drawn again. On software GL the processor converts instead: `PictureConversion`.
///
/// - Concurrency: render thread.
/// - Lifetime: holds the last scene drawn, and so its sources, until the next; where the processor
///   converts, also the picture that each of them shows.
/// - Errors: what cannot be drawn is left out, and reported once; the rest appears. When the context
///   has been lost, the report says so, and a new renderer is needed, in a context made anew.
/// - Corresponds to: `AVPlayerLayer`'s drawing, `CARenderer`, mpv's `mpv_render_context_render`.
public final class VideoRenderer {
    /// When to draw.
    public enum Redraw: Sendable, Hashable {
        case always
        /// Not at all when the frame would look like the one before: then nothing is touched, and
        /// there is nothing to swap.
        case ifChanged
    }

    /// Which it draws with, and whose thread it belongs to.
    public let context: any GLContext
    /// Who converts pictures.
    package let conversion: PictureConversion
    private let textures: TextureCache
    private let conversions: ConvertedPictureCache?
    private let painter: PicturePainter
    private let pool: FramebufferPool
    private let compositor: LayerCompositor
    private let sources: SourceTable
    private(set) var lastScene: Scene?
    private(set) var lastTarget: RenderTarget?
    private var timers: (upload: GLTimer, draw: GLTimer)?
    /// Of the values of each effect, as the last frame was drawn, and as they were before the one that is
    /// being drawn: what is set meanwhile is the next one's.
    private var drawnGenerations: [UInt64] = []
    private var generations: [UInt64] = []

    /// Creates a renderer that converts and uploads frames by the fastest way on this driver.
    ///
    /// - Parameter context: the context that it draws in, current on this thread.
    public convenience init(context: any GLContext) {
        self.init(context: context, conversion: nil)
    }

    /// - Parameters:
    ///   - conversion: who converts pictures; nil for what is quicker in this context.
    ///   - upload: how pictures are uploaded; nil for what the environment says, else what turns out to
    ///     be quickest.
    ///   - helperCount: threads that help the processor convert, which are waited for; nil for as many
    ///     as are useful.
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
        sources = SourceTable(
            textures: textures, deinterlacer: Deinterlacer(context: context, painter: painter),
            keepsBuffers: conversion == .cpu)
        compositor = LayerCompositor(
            context: context, textures: textures, conversions: conversions, painter: painter,
            pool: pool)
        stopsSlowEffects = true
    }

    /// Draws a scene as it looks when the host clock reads `hostTime`, usually the time at which
    /// the frame will be shown.
    ///
    /// Never waits: where a source has no picture for the time, the last one stays.
    public func render(
        _ scene: Scene, hostTime: MediaTime, into target: RenderTarget,
        redraw: Redraw = .always
    ) -> RenderReport {
        render(scene, hostTime: hostTime, into: target, redraw: redraw, keepsPictures: false)
    }

    /// The same, except that sources that show a picture may go on showing it, whatever is due.
    ///
    /// - Parameter observed: the source of whose picture the report tells; nil, or one that no layer
    ///   shows, for that of the first video layer.
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
        // A window that is minimised has no pixels.
        guard target.width > 0, target.height > 0 else { return report }
        let scene = scene.isAnimated ? scene.presentation(atHostTime: hostTime) : scene
        GLState.beginFrame(
            isExclusive: context.isExclusive, capabilities: context.capabilities)
        // Fences wait there too, in a context that shares with no other.
        context.shareGroup.deletionQueue.drain()
        if context.shareGroup.isShared { GLState.seeShared() }
        let uploadedBeforePull = uploadNanoseconds
        timers?.upload.begin()
        sources.pull(
            scene, hostTime: hostTime, keepsPictures: keepsPictures, observing: observed,
            report: &report)
        // Most vsyncs of a slow film have nothing to upload, which takes no time.
        timers?.upload.end(counts: uploadNanoseconds > uploadedBeforePull)
        report.uploadNanoseconds = uploadNanoseconds
        if report.hasNewPicture { report.uploadedHostTime = HostClock.nanoseconds }
        report.isMoving = isMoving(scene)
        report.hasChanged = hasChanged(scene, target, report)
        if endsInLoss(&report) { return report }
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
        if endsInLoss(&report) { return report }
        report.wasDrawn = true
        // What has been drawn for the first time is known now.
        report.isMoving = isMoving(scene)
        textures.endFrame()
        sources.endFrame()
        conversions?.endFrame()
        pool.endFrame()
        remember(scene, target)
        return report
    }

    /// Where the processor converts, has the picture that comes after the one that was drawn last
    /// converted ahead, on a thread of the renderer's own: `render` then only uploads it. To be called
    /// after `render`, also where that had nothing to draw; returns at once.
    ///
    /// For loops in which a frame has to be done in time, where others are drawn too or the machine is
    /// taken away now and then: all in all it saves nothing. A picture comes to be converted within `render` all the same where it is not there in
    /// time: the first one, the first after a seek, and the first of another size.
    public func prepareNextPicture() {
        guard let conversions else { return }
        sources.forEachBuffer { source, buffer, itemTime, step in
            let next = source.upcomingPixelBuffer(afterItemTime: itemTime, step: step)
            if let next { conversions.prepare(next, before: buffer) }
        }
    }

    /// Whether a picture that is due can be drawn without being converted by `render`: always where a
    /// shader converts, and where no picture has been drawn yet. Where it cannot, the thread that
    /// `prepareNextPicture` uses is going to convert it: asked again a little later, it can.
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

    /// Whether the next picture has been converted.
    public var isNextPicturePrepared: Bool { conversions?.hasPrepared ?? false }

    /// Pictures that had been converted ahead when they were drawn.
    package var preparedCount: Int { conversions?.preparedCount ?? 0 }

    /// Gives up textures and framebuffers that the last frame drawn had no use for, which are otherwise
    /// kept for the next ones: for when nothing is going to be drawn for a while.
    package func trim() {
        textures.trim()
        sources.trim()
        conversions?.trim()
        pool.trim()
        context.deletionQueue.drain()
    }

    /// Looks, where OpenGL has refused something, whether that was because the context is gone: then
    /// what it says is not to be believed.
    private func endsInLoss(_ report: inout RenderReport) -> Bool {
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

    /// The picture that a source showed when it was last asked.
    func picture(of source: any PixelBufferSource) -> LayerPicture? {
        (try? sources.picture(of: source, .none)) ?? nil
    }

    /// Whether the GPU's time is measured, which takes some calls of OpenGL a frame; false at first, and
    /// where OpenGL ES cannot tell.
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

    /// Whether an effect is switched off, and reported, that takes over half a second for a pass in two
    /// frames in a row; true at first. To be set to false where nobody waits for the picture.
    package var stopsSlowEffects: Bool {
        get { compositor.contents.stopsSlowEffects }
        set { compositor.contents.stopsSlowEffects = newValue }
    }

    /// OpenGL's memory for decoders to write pictures into: gives none until it has turned out that
    /// this is quicker.
    ///
    /// - Corresponds to: `kCVPixelBufferOpenGLCompatibilityKey` of a video output's pixel buffers.
    package var pixelBufferPool: any PixelBufferPool { textures.memory }

    /// Bytes that decoders work in.
    var mappedByteCount: Int { textures.memory.byteCount }

    /// How the last picture was uploaded.
    package var lastUpload: PictureUpload { textures.lastUpload }

    /// Pictures uploaded since the renderer was made.
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
        // What was not drawn shows nothing, until the scene, a picture or a value changes.
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

    /// Goes through the effects that are drawn.
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
