// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
package import PlayheadBuffers
package import PlayheadDisplay
package import PlayheadGL
package import PlayheadLayers
package import PlayheadPlayback
package import PlayheadTextures
package import PlayheadTime

/// Draws the frame of each tick of a display link, and keeps the ledger: the body of the render
/// loop, live and offline alike.
///
/// - Concurrency: render thread, with the surface's context current.
/// - Lifetime: made and dropped on the render thread.
package final class FramePresenter {
    private let surface: any PresentationSurface
    private let renderer: VideoRenderer
    private let ledger: FrameLedger
    private var pacer = FramePacer()
    private let counts: PlaybackCounts
    private var lastScene: Scene
    private var hasPresented = false
    /// The item whose decoder is offered the renderer's memory.
    private weak var supplied: PlayerItem?
    private var lastSequence: Int64?
    /// Whether nothing was to be drawn for a while: pictures of that time have not been missed.
    private var wasAbsent = false
    private var rateLock = DisplayRateLock()
    /// Whether the film's rate is changed by up to half a percent, so that its pictures stay with the
    /// vsyncs: see `DisplayRateLock`. False at first.
    package var locksToDisplay = false {
        didSet {
            guard !locksToDisplay, oldValue else { return }
            supplied?.rateAdjustment = 1
            rateLock.reset()
        }
    }
    /// Whether the last frame looked different from the one before, as far as can be known.
    package private(set) var hasChanged = false
    /// Whether a picture was drawn for somebody that the surface has not shown: its source takes it for
    /// shown, so the next frame has to be drawn in any case.
    private(set) var owesPicture = false

    /// - Precondition: the surface's context is current on the calling thread.
    /// - Parameter upload: how pictures are uploaded; nil for what turns out to be quickest.
    package convenience init(
        surface: any PresentationSurface, ledger: FrameLedger, upload: PictureUpload? = nil
    ) {
        self.init(
            surface: surface, ledger: ledger, counts: PlaybackCounts(), upload: upload,
            lastScene: Scene())
    }

    /// - Parameters:
    ///   - counts: what of items has gone into the ledger before.
    ///   - lastScene: what was shown before the surface's context was lost.
    init(
        surface: any PresentationSurface, ledger: FrameLedger, counts: PlaybackCounts,
        upload: PictureUpload?, lastScene: Scene
    ) {
        self.counts = counts
        self.lastScene = lastScene
        self.surface = surface
        self.ledger = ledger
        renderer = VideoRenderer(context: surface.context, upload: upload)
    }

    deinit { supply(nil) }

    /// Notes that nothing has been drawn because nobody could see it.
    func noteAbsence() { (wasAbsent, lastSequence) = (true, nil) }

    /// How it draws now. Allocates: not for every frame.
    package var rendererState: RendererState { renderer.state }

    /// Whether the GPU's time goes into the ledger; false at first.
    package var measuresGPU: Bool {
        get { renderer.measuresGPU }
        set { renderer.measuresGPU = newValue }
    }

    /// Whether effects that take over half a second for a pass are switched off; true at first.
    package var stopsSlowEffects: Bool {
        get { renderer.stopsSlowEffects }
        set { renderer.stopsSlowEffects = newValue }
    }

    /// Offers an item's decoder memory that pictures are uploaded from without a copy.
    private func supply(_ item: PlayerItem?) {
        guard item !== supplied else { return }
        if let supplied, supplied.pixelBufferPool === renderer.pixelBufferPool {
            supplied.pixelBufferPool = nil
        }
        if locksToDisplay { supplied?.rateAdjustment = 1 }
        rateLock.reset()
        supplied = item
        item?.pixelBufferPool = renderer.pixelBufferPool
    }

    /// Draws and shows what a tick asks for, unless it looks like what is shown already.
    ///
    /// - Parameters:
    ///   - item: whose pictures the ledger records.
    ///   - output: the output through which `scene` shows them.
    ///   - redraw: `.always` where what is shown may have been lost.
    /// - Returns: what could not be drawn, each problem once, and what the driver has to say.
    /// - Throws: `GLError.contextLost` when a context and a presenter have to be made anew.
    package func present(
        _ scene: Scene, of item: PlayerItem?, through output: PlayerItemVideoOutput?,
        at tick: DisplayTick, redraw: VideoRenderer.Redraw = .ifChanged
    ) throws(GLError) -> [RenderReport.Problem] {
        try present(
            scene, at: tick, redraw: redraw, item: { item },
            align: { item?.alignStarts(toVsyncAt: tick.targetTimestamp, period: tick.duration) },
            isAwaiting: { output?.isAwaitingPixelBuffer(forItemTime: $0) ?? false },
            observing: output)
    }

    /// The same of whatever item a player plays.
    ///
    /// - Parameter output: the output through which `scene` shows it.
    package func present(
        _ scene: Scene, through output: PlayerVideoOutput?, at tick: DisplayTick,
        redraw: VideoRenderer.Redraw = .ifChanged
    ) throws(GLError) -> [RenderReport.Problem] {
        try present(
            scene, at: tick, redraw: redraw, item: { output?.item },
            align: { output?.alignStarts(toVsyncAt: tick.targetTimestamp, period: tick.duration) },
            isAwaiting: { output?.isAwaitingPixelBuffer(forItemTime: $0) ?? false },
            observing: output)
    }

    /// - Parameter item: gives the item whose picture was drawn last.
    private func present(
        _ scene: Scene, at tick: DisplayTick, redraw: VideoRenderer.Redraw,
        item: () -> PlayerItem?, align: () -> Void, isAwaiting: (MediaTime) -> Bool,
        observing output: (any PixelBufferSource)?
    ) throws(GLError) -> [RenderReport.Problem] {
        ledger.beginTick(tick)
        hasChanged = false
        guard let target = try surface.nextTarget() else {
            noteAbsence()
            return []
        }
        let playing = item()
        supply(playing)
        if locksToDisplay { lock(playing, at: tick) }
        let missedVsyncs = lastSequence.map { tick.sequence - $0 > 1 } ?? false
        lastSequence = tick.sequence
        align()
        let report = renderer.render(
            scene, hostTime: samplingTime(for: tick), into: target,
            redraw: owesPicture ? .always : redraw, keepsPictures: false, observing: output)
        if report.isContextLost { throw .contextLost }
        owesPicture = owesPicture && !report.wasDrawn
        // Which item is shown turns out by asking, the first time.
        supply(item())
        hasChanged = report.hasChanged
        let drawn = HostClock.nanoseconds
        if report.wasDrawn {
            surface.present()
            hasPresented = true
        }
        lastScene = scene
        // In the time that is left until the next vsync: then that frame only has to be uploaded.
        if tick.source.isRealTime { renderer.prepareNextPicture() }
        let problems = report.problems + surface.context.messages.take().map { .message($0) }
        guard let item = item() else { return problems }
        let counted = countFrames(of: item)
        let dropped = wasAbsent ? 0 : counted
        // Up to the first picture: the decoder has to come to it.
        if report.hasNewObservedPicture { wasAbsent = false }
        // Those of other films are not this item's.
        if report.hasNewObservedPicture {
            let cause: FrameLossCause =
                dropped == 0
                ? .none
                : missedVsyncs
                    ? .missedVsyncs : hasSurplus(item, at: tick) ? .surplus : .lateDecoding
            record(
                report, of: item, at: tick, dropped: dropped, cause: cause, drawn: drawn)
        } else {
            if dropped > 0 { ledger.recordDropped(dropped) }
            if report.itemTime.isNumeric, isAwaiting(report.itemTime) { ledger.recordRepeat() }
        }
        return problems
    }

    /// The host time for which a tick asks the scene's films: see `FramePacer`.
    package func samplingTime(for tick: DisplayTick) -> MediaTime { pacer.samplingTime(for: tick) }

    /// The last frame as it was drawn, drawn once more and read back: for screenshots and tests,
    /// not for every frame.
    ///
    /// - Parameter redraws: false to read what was presented, where the surface keeps it: then effects
    ///   that look back at their last frame do not go on by one.
    package func image(
        at hostTime: MediaTime, redraws: Bool = true
    ) throws(GLError) -> RGBAImage? {
        if !redraws, surface.keepsPixels, hasPresented { return surface.readPixels() }
        return try image(of: lastScene, at: hostTime)
    }

    /// The same of another scene.
    private func image(of scene: Scene, at hostTime: MediaTime) throws(GLError) -> RGBAImage? {
        guard let target = try surface.nextTarget() else { return nil }
        try draw(scene, into: target, at: hostTime)
        return surface.readPixels()
    }

    /// Draws for somebody who is not the surface.
    private func draw(
        _ scene: Scene, into target: RenderTarget, at hostTime: MediaTime
    ) throws(GLError) {
        let report = renderer.render(scene, hostTime: hostTime, into: target)
        if report.isContextLost { throw .contextLost }
        owesPicture = owesPicture || report.hasChanged
    }

    /// Lets go of textures and framebuffers that the last frame did not take: before a rest.
    func trim() { renderer.trim() }

    /// Another scene as a picture of its own size, beside what is shown.
    func image(
        of scene: Scene, width: Int, height: Int, at hostTime: MediaTime
    ) throws(GLError) -> RGBAImage? {
        let picture = try GLFramebuffer(
            width: width, height: height, label: "screenshot", context: surface.context)
        try draw(scene, into: RenderTarget(picture), at: hostTime)
        return picture.image()
    }

    /// Puts what has been decoded since the last time into the ledger; gives the frames that were
    /// dropped.
    private func countFrames(of item: PlayerItem) -> Int {
        let new = counts.takeNew(of: item)
        if new.decoded > 0 { ledger.recordDecoded(new.decoded) }
        return new.dropped
    }

    /// Has the film go with the display.
    private func lock(_ item: PlayerItem?, at tick: DisplayTick) {
        guard let item, let track = item.playingTracks.video else { return }
        let duration =
            track.nominalFrameRate > 0
            ? MediaTime(seconds: 1 / track.nominalFrameRate, preferredTimescale: 1_000_000_000)
            : track.frameDuration
        // The rate that was asked for: what is adjusted already does not count twice.
        let rate = item.timebase.rate / item.rateAdjustment
        guard rate != 0, duration > .zero else { return }
        if let factor = rateLock.update(frameDuration: duration, rate: rate, tick: tick) {
            item.rateAdjustment = factor
        }
    }

    /// Whether there are more pictures than vsyncs.
    private func hasSurplus(_ item: PlayerItem, at tick: DisplayTick) -> Bool {
        guard let rate = item.playingTracks.video?.nominalFrameRate, rate > 0 else { return false }
        return Double(rate) * item.timebase.rate.magnitude * tick.duration.seconds > 1.001
    }

    private func record(
        _ report: RenderReport, of item: PlayerItem, at tick: DisplayTick, dropped: Int,
        cause: FrameLossCause, drawn: Int64
    ) {
        // A film's first picture is shown before its time, so that there is something to see: then,
        // as while the film stands still, it is due when it is drawn.
        let sampled = pacer.samplingTime(for: tick)
        let due = item.timebase.hostTime(at: report.displayTime).flatMap {
            $0 > sampled ? nil : $0
        }
        var record = FrameRecord(
            itemTime: report.displayTime,
            slotHostTime: due.map { pacer.slot(forHostTime: $0, in: tick) }, tick: tick,
            droppedBefore: dropped)
        if let due {
            pacer.notePicture(dueAt: due, in: tick)
            rateLock.notePicture(dueAt: due, in: tick)
        }
        // On a clock that the program moves, the machine's own clock says nothing.
        if tick.source.isRealTime {
            record.decodedHostTime = report.decodedHostTime
            record.uploadedHostTime = report.uploadedHostTime
            record.drawnHostTime = drawn
            record.swappedHostTime = HostClock.nanoseconds
        }
        record.uploadDuration = report.uploadNanoseconds
        record.drawDuration = report.drawNanoseconds
        record.gpuUploadDuration = report.gpuUploadNanoseconds
        record.gpuDrawDuration = report.gpuDrawNanoseconds
        record.lossCause = cause
        ledger.recordFrame(record)
        if let due, let target = tick.targetTimestamp.nanoseconds, let due = due.nanoseconds {
            ledger.recordAudioVideoOffset(target - due)
        }
    }
}
