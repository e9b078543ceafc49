// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
package import PlayheadBuffers
package import PlayheadDisplay
package import PlayheadGL
package import PlayheadLayers
package import PlayheadPlayback
package import PlayheadTextures
package import PlayheadTime

/// The body of the render loop, live and offline: draws a frame for each tick of a display link,
/// and records it in a `FrameLedger`.
///
/// - Concurrency: render thread, with the surface's context current.
/// - Lifetime: created and released on the render thread.
package final class FramePresenter {
    private let surface: any PresentationSurface
    private let renderer: VideoRenderer
    private let ledger: FrameLedger
    private var pacer = FramePacer()
    private let counts: PlaybackCounts
    private var lastScene: Scene
    private var hasPresented = false
    /// The item whose decoder was offered the renderer's memory.
    private weak var supplied: PlayerItem?
    private var lastSequence: Int64?
    /// A Boolean value that indicates whether the frame of the previous tick looked different from
    /// the one before.
    private var changedLast = false
    /// True if nothing had to be drawn for a while. Frames from this time are not counted as
    /// missed.
    private var wasAbsent = false
    private var rateLock = DisplayRateLock()
    /// A Boolean value that indicates whether the item's rate is changed by up to half a percent,
    /// so that its frames stay aligned with the vsyncs: see `DisplayRateLock`. It is false by
    /// default.
    package var locksToDisplay = false {
        didSet {
            guard !locksToDisplay, oldValue else { return }
            supplied?.rateAdjustment = 1
            rateLock.reset()
        }
    }
    /// A Boolean value that indicates whether the last frame looked different from the previous
    /// one, as far as the renderer can know.
    package private(set) var hasChanged = false
    /// A Boolean value that indicates whether a frame was drawn for another target but not shown by
    /// the surface. The source of the frame has recorded it as shown, so the next frame must be
    /// drawn even if nothing has changed.
    private(set) var hasUnshownFrame = false

    /// Creates a presenter for a surface.
    ///
    /// - Precondition: the surface's context is current on the calling thread.
    /// - Parameter upload: the method of uploading frames; nil for the fastest.
    package convenience init(
        surface: any PresentationSurface, ledger: FrameLedger, upload: PictureUpload? = nil
    ) {
        self.init(
            surface: surface, ledger: ledger, counts: PlaybackCounts(), upload: upload,
            lastScene: Scene())
    }

    /// Creates a presenter that continues a ledger.
    ///
    /// - Parameters:
    ///   - counts: the numbers of frames that the ledger already contains.
    ///   - lastScene: the scene that was shown before the surface's context was lost.
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

    /// Records that nothing was drawn because the surface was not visible.
    func noteAbsence() { (wasAbsent, lastSequence, changedLast) = (true, nil, false) }

    /// The renderer's current state. Reading it allocates memory, so do not read it for every
    /// frame.
    package var rendererState: RendererState { renderer.state }

    /// A Boolean value that indicates whether the GPU's time is recorded in the ledger. It is false
    /// by default.
    package var measuresGPU: Bool {
        get { renderer.measuresGPU }
        set { renderer.measuresGPU = newValue }
    }

    /// A Boolean value that indicates whether effects with a pass of more than half a second are
    /// switched off. It is true by default.
    package var stopsSlowEffects: Bool {
        get { renderer.stopsSlowEffects }
        set { renderer.stopsSlowEffects = newValue }
    }

    /// Offers the renderer's memory to an item's decoder, so that the decoder's frames are uploaded
    /// without a copy.
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

    /// Draws and shows the frame for a tick, unless it looks the same as the frame that is shown.
    ///
    /// - Parameters:
    ///   - item: the item whose frames the ledger records.
    ///   - output: the output that shows the item's frames in `scene`.
    ///   - redraw: `.always` if the surface's contents may have been lost.
    /// - Returns: the problems of drawing, each reported once, and the driver's messages.
    /// - Throws: `GLError.contextLost` if the context and the presenter have to be recreated.
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

    /// Draws and shows the frame for a tick. The ledger records the frames of the item that a
    /// player currently plays.
    ///
    /// - Parameters:
    ///   - output: the output that shows the player's item in `scene`.
    ///   - live: a source that does not belong to a player; it is observed if there is no output.
    package func present(
        _ scene: Scene, through output: PlayerVideoOutput?,
        live: (any PixelBufferSource)? = nil, at tick: DisplayTick,
        redraw: VideoRenderer.Redraw = .ifChanged
    ) throws(GLError) -> [RenderReport.Problem] {
        try present(
            scene, at: tick, redraw: redraw, item: { output?.item },
            align: { output?.alignStarts(toVsyncAt: tick.targetTimestamp, period: tick.duration) },
            isAwaiting: { output?.isAwaitingPixelBuffer(forItemTime: $0) ?? false },
            observing: output ?? live, isLive: output == nil && live != nil)
    }

    /// Draws and shows the frame for a tick.
    ///
    /// - Parameter item: returns the item whose frame was drawn last.
    private func present(
        _ scene: Scene, at tick: DisplayTick, redraw: VideoRenderer.Redraw,
        item: () -> PlayerItem?, align: () -> Void, isAwaiting: (MediaTime) -> Bool,
        observing output: (any PixelBufferSource)?, isLive: Bool = false
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
        let passed = lastSequence.map { tick.sequence - $0 }
        let missedVsyncs = passed.map { $0 > 1 } ?? false
        lastSequence = tick.sequence
        align()
        let report = renderer.render(
            scene, hostTime: samplingTime(for: tick), into: target,
            redraw: hasUnshownFrame ? .always : redraw, keepsPictures: false, observing: output)
        if report.isContextLost { throw .contextLost }
        hasUnshownFrame = hasUnshownFrame && !report.wasDrawn
        // For the first frame, the item is known only after drawing.
        supply(item())
        hasChanged = report.hasChanged
        if hasChanged, changedLast, let passed {
            ledger.recordDrawn(missedVsyncs: Int(passed) - 1)
        }
        changedLast = hasChanged
        let drawn = HostClock.nanoseconds
        if report.wasDrawn {
            surface.present()
            hasPresented = true
        }
        lastScene = scene
        // The time until the next vsync is used to prepare the next frame, which then only has to
        // be uploaded; and, once the frame is recorded, for the trial of the upload methods.
        if tick.source.isRealTime { renderer.prepareNextPicture() }
        defer { if tick.source.isRealTime { renderer.continueUploadTrial() } }
        let problems = report.problems + surface.context.messages.take().map { .message($0) }
        guard let item = item() else {
            if isLive, report.hasNewObservedPicture {
                ledger.recordFrame(record(of: report, at: tick, slot: nil, drawn: drawn))
            }
            return problems
        }
        let counted = countFrames(of: item)
        let dropped = wasAbsent ? 0 : counted
        // The time without frames lasts until the first frame is decoded.
        if report.hasNewObservedPicture { wasAbsent = false }
        // Dropped frames of other videos are not counted for this item.
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

    /// Returns the host time at which the scene's videos are sampled for a tick: see `FramePacer`.
    package func samplingTime(for tick: DisplayTick) -> MediaTime { pacer.samplingTime(for: tick) }

    /// Draws the last frame again, and returns it as an image. It is for screenshots and tests, and
    /// too slow for every frame.
    ///
    /// - Parameter redraws: false to read the presented pixels, if the surface keeps them. Effects
    ///   with feedback then do not advance.
    package func image(
        at hostTime: MediaTime, redraws: Bool = true
    ) throws(GLError) -> RGBAImage? {
        if !redraws, surface.keepsPixels, hasPresented { return surface.readPixels() }
        return try image(of: lastScene, at: hostTime)
    }

    /// Draws another scene and returns the result as an image.
    private func image(of scene: Scene, at hostTime: MediaTime) throws(GLError) -> RGBAImage? {
        guard let target = try surface.nextTarget() else { return nil }
        try draw(scene, into: target, at: hostTime)
        return surface.readPixels()
    }

    /// Draws a frame into another target. The surface does not show this frame.
    private func draw(
        _ scene: Scene, into target: RenderTarget, at hostTime: MediaTime
    ) throws(GLError) {
        let report = renderer.render(scene, hostTime: hostTime, into: target)
        if report.isContextLost { throw .contextLost }
        hasUnshownFrame = hasUnshownFrame || report.hasChanged
    }

    /// Releases textures and framebuffers that the last frame did not use. Called before drawing
    /// pauses.
    func trim() { renderer.trim() }

    /// Draws another scene at a given size, and returns it as an image. The presented scene is not
    /// changed.
    func image(
        of scene: Scene, width: Int, height: Int, at hostTime: MediaTime
    ) throws(GLError) -> RGBAImage? {
        let picture = try GLFramebuffer(
            width: width, height: height, label: "screenshot", context: surface.context)
        try draw(scene, into: RenderTarget(picture), at: hostTime)
        return picture.image()
    }

    /// Records in the ledger how many frames an item has decoded since the last call, and returns
    /// the number of dropped frames.
    private func countFrames(of item: PlayerItem) -> Int {
        let new = counts.takeNew(of: item)
        if new.decoded > 0 { ledger.recordDecoded(new.decoded) }
        return new.dropped
    }

    /// Adjusts the item's rate to the display's refresh rate.
    private func lock(_ item: PlayerItem?, at tick: DisplayTick) {
        guard let item, let track = item.playingTracks.video else { return }
        let duration =
            track.nominalFrameRate > 0
            ? MediaTime(seconds: 1 / track.nominalFrameRate, preferredTimescale: 1_000_000_000)
            : track.frameDuration
        // The rate that was requested, without the current adjustment.
        let rate = item.timebase.rate / item.rateAdjustment
        guard rate != 0, duration > .zero else { return }
        if let factor = rateLock.update(frameDuration: duration, rate: rate, tick: tick) {
            item.rateAdjustment = factor
        }
    }

    /// Returns whether the video has more frames than there are vsyncs.
    private func hasSurplus(_ item: PlayerItem, at tick: DisplayTick) -> Bool {
        guard let rate = item.playingTracks.video?.nominalFrameRate, rate > 0 else { return false }
        return Double(rate) * item.timebase.rate.magnitude * tick.duration.seconds > 1.001
    }

    private func record(
        _ report: RenderReport, of item: PlayerItem, at tick: DisplayTick, dropped: Int,
        cause: FrameLossCause, drawn: Int64
    ) {
        // The first frame is shown ahead of its time, and counts as due when it is drawn. So do
        // frames that are shown while playback is paused.
        let sampled = pacer.samplingTime(for: tick)
        let due = item.timebase.hostTime(at: report.displayTime).flatMap {
            $0 > sampled ? nil : $0
        }
        var record = record(
            of: report, at: tick, slot: due.map { pacer.slot(forHostTime: $0, in: tick) },
            drawn: drawn)
        record.droppedBefore = dropped
        if let due {
            pacer.notePicture(dueAt: due, in: tick)
            rateLock.notePicture(dueAt: due, in: tick)
        }
        record.lossCause = cause
        ledger.recordFrame(record)
        if let due, let target = tick.targetTimestamp.nanoseconds, let due = due.nanoseconds {
            ledger.recordTimelineOffset(target - due)
        }
    }

    /// Returns the record of a frame.
    ///
    /// - Parameter slot: The vsync at which the frame should first be visible; nil for the vsync of
    ///   the tick.
    private func record(
        of report: RenderReport, at tick: DisplayTick, slot: MediaTime?, drawn: Int64
    ) -> FrameRecord {
        var record = FrameRecord(
            itemTime: report.displayTime, slotHostTime: slot, tick: tick)
        // With a manual clock, times of the machine's own clock are meaningless.
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
        return record
    }
}
