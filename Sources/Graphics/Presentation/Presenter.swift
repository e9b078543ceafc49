// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadDisplay
public import PlayheadGL
public import PlayheadLayers
public import PlayheadPlayback
package import PlayheadTextures
import PlayheadTime
import Synchronization

/// Shows a scene on a surface, frame by frame at the display's vsyncs, on its own render thread.
///
/// A presenter pauses when nothing has looked different for half a second. Its display link then
/// rests, and the outputs of the scene notify it a tenth of a second before their next frame.
/// Setting the scene and calling `setNeedsDisplay()` also resume it. A presenter does not pause
/// while the scene has a source that cannot notify (one that is not a
/// `NotifyingPixelBufferSource`), an effect that moves by itself, or an animation that has yet to
/// begin or to end.
///
///     let presenter = try Presenter(
///         surface: surface, vsyncs: SimulatedDisplay(schedule: VsyncSchedule(vsyncs: 60)))
///     presenter.scene = Scene(layers: [Layer(.video(output))])
///     presenter.isPaused = false
///
/// - Concurrency: any thread, but do not call `invalidate` on the render thread.
/// - Ownership: holds the surface until it is invalidated.
/// - Corresponds to: a view with a `CADisplayLink`.
public final class Presenter: Sendable {
    /// The record of every frame.
    public let ledger: FrameLedger
    private let link: DisplayLink
    private let surface: any PresentationSurface
    private let shared: Shared

    /// The state that the render thread shares with other threads.
    private final class Shared: @unchecked Sendable {
        // Unchecked: variables are used on the render thread only.
        let state = Mutex(State())
        let surface: any PresentationSurface
        let ledger: FrameLedger
        let upload: PictureUpload?
        let counts: PlaybackCounts
        var presenter: FramePresenter?
        var freewheel = Freewheel()
        /// The number of ticks until the next attempt to recreate a lost context; nil if the
        /// context is not lost.
        var ticksToRemaking: Int?

        var measuresGPU = false
        var locksToDisplay = false

        init(
            _ surface: any PresentationSurface, _ ledger: FrameLedger, _ counts: PlaybackCounts,
            _ upload: PictureUpload?
        ) {
            self.surface = surface
            self.ledger = ledger
            self.counts = counts
            self.upload = upload
        }

        func makePresenter() {
            // If an image is requested before the first tick, it shows the current scene.
            let presenter = FramePresenter(
                surface: surface, ledger: ledger, counts: counts, upload: upload,
                lastScene: state.withLock { $0.scene })
            presenter.measuresGPU = measuresGPU
            presenter.locksToDisplay = locksToDisplay
            self.presenter = presenter
        }
    }

    private struct State {
        weak var link: DisplayLink?
        var scene = Scene()
        var output: PlayerVideoOutput?
        var liveSource: (any PixelBufferSource)?
        var problems: [RenderReport.Problem] = []
        /// The host time for which the last frame was drawn.
        var lastTime = MediaTime.zero
        /// A Boolean value that indicates whether a pause was requested.
        var isPaused = true
        /// A Boolean value that indicates whether the link rests because nothing changes.
        var isResting = false
        /// A Boolean value that indicates whether something has changed, or whether the next frame
        /// must be drawn even if it is unchanged.
        var hasNews = true
        /// The number of frames that must be drawn even if unchanged.
        var displaysNeeded = 0
        /// The tokens of the notifications that were requested from the scene's outputs when
        /// drawing paused.
        var notices: [ObservationToken] = []
        var problemHandler: (@Sendable () -> Void)?
        var contextLossCount = 0
        var contextLossHandler: (@Sendable () -> Void)?
    }

    /// Creates a presenter, which is paused, and moves the surface's context to its render thread.
    public convenience init(
        surface: any PresentationSurface, vsyncs: any VsyncSource,
        ledger: FrameLedger = FrameLedger()
    ) throws(GLError) {
        try self.init(surface, vsyncs, ledger, PlaybackCounts(), nil)
    }

    /// Creates a presenter that uploads frames with a given method.
    ///
    /// - Parameter upload: the method of uploading frames; nil for the fastest.
    package convenience init(
        surface: any PresentationSurface, vsyncs: any VsyncSource,
        ledger: FrameLedger = FrameLedger(), upload: PictureUpload?
    ) throws(GLError) {
        try self.init(surface, vsyncs, ledger, PlaybackCounts(), upload)
    }

    /// Creates a presenter that replaces an invalidated presenter whose context was lost. It
    /// continues the ledger of that presenter, and records nothing twice.
    package convenience init(
        continuing other: Presenter, surface: any PresentationSurface, vsyncs: any VsyncSource
    ) throws(GLError) {
        try self.init(surface, vsyncs, other.ledger, other.shared.counts, other.shared.upload)
    }

    private init(
        _ surface: any PresentationSurface, _ vsyncs: any VsyncSource, _ ledger: FrameLedger,
        _ counts: PlaybackCounts, _ upload: PictureUpload?
    ) throws(GLError) {
        self.surface = surface
        self.ledger = ledger
        let shared = Shared(surface, ledger, counts, upload)
        self.shared = shared
        link = DisplayLink(source: vsyncs, name: "ph-render") { tick in
            Self.present(shared, at: tick)
        }
        shared.state.withLock { [link] in $0.link = link }
        let failure = link.performAndWait { () -> GLError? in
            do throws(GLError) {
                try surface.context.makeCurrent()
                shared.makePresenter()
                return nil
            } catch {
                return error
            }
        }
        if let failure = failure ?? nil {
            link.invalidate()
            throw failure
        }
    }

    /// The scene. A change is shown from the next vsync on.
    public var scene: Scene {
        get { shared.state.withLock { $0.scene } }
        set { updateScene { $0 = newValue } }
    }

    /// Changes the scene atomically.
    package func updateScene(_ body: (inout Scene) -> Void) {
        shared.state.withLock { body(&$0.scene) }
        Self.wake(shared)
    }

    /// Draws the next frame even if it is unchanged. Call this if the surface's contents were lost,
    /// or if a parameter of an effect changed while playback is paused.
    ///
    /// - Corresponds to: `NSView.needsDisplay`.
    public func setNeedsDisplay() {
        shared.state.withLock { $0.displaysNeeded = max($0.displaysNeeded, 1) }
        Self.wake(shared)
    }

    /// Draws the scene in the surface's new size. Two frames are drawn, because drivers that notice
    /// a new size when they swap (Mesa's software rasteriser on X11) draw the first one to a buffer
    /// of the old size.
    public func surfaceDidResize() {
        shared.state.withLock { $0.displaysNeeded = 2 }
        Self.wake(shared)
    }

    /// Sets the output whose frames the ledger records, usually the one that shows a player's item.
    public func observe(_ output: PlayerVideoOutput?) {
        shared.state.withLock { $0.output = output }
    }

    /// Sets the source, such as a camera's preview, whose frames the ledger records if no player is
    /// observed. Its frames have no slot, because they are due as soon as they arrive.
    package func observe(live source: (any PixelBufferSource)?) {
        shared.state.withLock { $0.liveSource = source }
    }

    /// A Boolean value that indicates whether drawing is paused. It is true initially. While the
    /// presenter is paused, its render thread sleeps.
    public var isPaused: Bool {
        get { shared.state.withLock { $0.isPaused } }
        set {
            let isResumed = shared.state.withLock { state in
                defer { state.isPaused = newValue }
                return state.isPaused && !newValue
            }
            if isResumed { link.perform { [shared] in shared.presenter?.noteAbsence() } }
            Self.wake(shared)
        }
    }

    /// A Boolean value that indicates whether drawing has paused because nothing changes.
    package var isResting: Bool { shared.state.withLock { $0.isResting } }

    /// Sets whether the GPU's time is recorded in the ledger, which takes a few OpenGL calls a
    /// frame. It is not recorded by default.
    package func setMeasuresGPU(_ measures: Bool) {
        link.perform { [shared] in
            shared.measuresGPU = measures
            shared.presenter?.measuresGPU = measures
        }
    }

    /// Sets whether the observed item's rate is changed by up to half a percent, so that its frames
    /// stay aligned with the vsyncs: see `DisplayRateLock`. It is not changed by default.
    package func setLocksToDisplay(_ locks: Bool) {
        link.perform { [shared] in
            shared.locksToDisplay = locks
            shared.presenter?.locksToDisplay = locks
        }
    }

    /// Returns the renderer's state. Waits for the render thread. Returns nil after `invalidate()`,
    /// and while a lost context has not been recreated.
    package func rendererState() -> RendererState? {
        link.performAndWait { [shared] in shared.presenter?.rendererState } ?? nil
    }

    /// Calls a closure with the renderer's state on the render thread. Does not wait.
    package func rendererState(_ body: @escaping @Sendable (RendererState) -> Void) {
        link.perform { [shared] in
            if let state = shared.presenter?.rendererState { body(state) }
        }
    }

    /// Returns the problems that occurred since the last call.
    public func takeProblems() -> [RenderReport.Problem] {
        shared.state.withLock { state in
            defer { state.problems = [] }
            return state.problems
        }
    }

    /// Sets a handler that is called on the render thread when `takeProblems()` has something to
    /// return.
    public func onProblems(_ handler: @escaping @Sendable () -> Void) {
        shared.state.withLock { $0.problemHandler = handler }
    }

    /// Draws the presented frame again, and returns it as an image. Waits for the render thread.
    /// Returns nil after `invalidate()`, and while the surface has no target.
    public func image() -> RGBAImage? {
        link.performAndWait { [shared] in
            defer { Self.settle(shared) }
            let hostTime = shared.state.withLock { $0.lastTime }
            do throws(GLError) {
                return try shared.presenter?.image(at: hostTime)
            } catch .contextLost {
                Self.lose(shared)
                return try? shared.presenter?.image(at: hostTime)
            } catch {
                return nil
            }
        } ?? nil
    }

    /// Returns another scene as an image of a given size, at the time of the presented frame; for
    /// example, the video without the controls over it. Waits for the render thread. Returns nil
    /// after `invalidate()`, and if there is not enough memory.
    ///
    /// - Precondition: the size is positive.
    public func image(of scene: Scene, width: Int, height: Int) -> RGBAImage? {
        precondition(width > 0 && height > 0, "the size of an image must be positive")
        return link.performAndWait { [shared] in
            defer { Self.settle(shared) }
            let hostTime = shared.state.withLock { $0.lastTime }
            return try? shared.presenter?.image(
                of: scene, width: width, height: height, at: hostTime)
        } ?? nil
    }

    /// Ends the render thread and frees all objects in the context. The surface may be used again.
    public func invalidate() {
        isPaused = true
        link.perform { [shared, surface] in
            shared.presenter = nil
            surface.context.deletionQueue.drain()
            surface.context.clearCurrent()
        }
        link.invalidate()
    }

    /// The number of times that the context was lost. After each loss, presentation continues in a
    /// new context.
    package var contextLossCount: Int { shared.state.withLock { $0.contextLossCount } }

    /// Sets a handler that is called on the render thread if the context was lost and the surface
    /// cannot recreate it. In this case, replace the presenter and its surface.
    package func onContextLoss(_ handler: @escaping @Sendable () -> Void) {
        shared.state.withLock { $0.contextLossHandler = handler }
    }

    private static func present(_ shared: Shared, at tick: DisplayTick) {
        if shared.ticksToRemaking != nil { remake(shared) }
        guard let presenter = shared.presenter else { return }
        let time = presenter.samplingTime(for: tick)
        let (scene, output, live, hasNews, redraw) = shared.state.withLock { state in
            let redraw: VideoRenderer.Redraw = state.displaysNeeded > 0 ? .always : .ifChanged
            state.displaysNeeded = max(0, state.displaysNeeded - 1)
            defer { state.hasNews = state.displaysNeeded > 0 }
            state.lastTime = time
            return (state.scene, state.output, state.liveSource, state.hasNews, redraw)
        }
        if hasNews { shared.freewheel.begin() }
        var problems: [RenderReport.Problem] = []
        do throws(GLError) {
            problems = try presenter.present(
                scene, through: output, live: live, at: tick, redraw: redraw)
        } catch .contextLost {
            lose(shared)
            return
        } catch {
            problems = [.gl(error)]
        }
        // An animation that has not begun, or that is between two steps, sends no notification.
        if shared.freewheel.rests(at: tick.timestamp, hasChanged: presenter.hasChanged),
            !scene.moves(afterHostTime: presenter.samplingTime(for: tick))
        {
            presenter.trim()
            rest(shared, showing: scene)
        }
        report(problems, shared)
    }

    /// Schedules another draw if a source's new frame was taken but not shown. Called on the render
    /// thread after drawing for another target.
    private static func settle(_ shared: Shared) {
        if shared.presenter?.hasUnshownFrame == true { wake(shared) }
    }

    private static func report(_ problems: [RenderReport.Problem], _ shared: Shared) {
        guard !problems.isEmpty else { return }
        let handler = shared.state.withLock { state -> (@Sendable () -> Void)? in
            let count = state.problems.count
            // A problem that recurs in every frame is reported only once until it is taken.
            for problem in problems where !state.problems.contains(problem) {
                state.problems.append(problem)
            }
            return state.problems.count > count ? state.problemHandler : nil
        }
        handler?()
    }

    // MARK: Loss of the context

    /// The number of vsyncs between two attempts to recreate a context. A driver may need a while
    /// until an attempt succeeds.
    private static let remakingInterval = 30

    /// Releases everything in the context and schedules the creation of a new one. Called on the
    /// render thread.
    private static func lose(_ shared: Shared) {
        shared.state.withLock { state in
            state.contextLossCount += 1
            state.hasNews = true
        }
        shared.presenter = nil
        shared.ticksToRemaking = 0
        remake(shared)
    }

    /// Recreates the context and continues to present in it. Called on the render thread.
    private static func remake(_ shared: Shared) {
        guard let ticks = shared.ticksToRemaking else { return }
        shared.ticksToRemaking = ticks - 1
        guard ticks <= 0 else { return }
        do throws(GLError) {
            if try shared.surface.remakeContext() {
                shared.makePresenter()
                shared.ticksToRemaking = nil
            } else {
                shared.ticksToRemaking = .max
                let handler = shared.state.withLock { $0.contextLossHandler }
                handler?()
            }
        } catch {
            shared.ticksToRemaking = remakingInterval
            report([.gl(error)], shared)
        }
    }

    // MARK: Pausing

    /// Lets the link rest until something changes. Called on the render thread.
    private static func rest(_ shared: Shared, showing scene: Scene) {
        var sources: [any NotifyingPixelBufferSource] = []
        var tellAll = true
        scene.forEachSource { source in
            if let source = source as? any NotifyingPixelBufferSource {
                sources.append(source)
            } else {
                tellAll = false
            }
        }
        guard tellAll else { return }
        let begins = shared.state.withLock { state in
            guard !state.hasNews, !state.isPaused else { return false }
            state.isResting = true
            state.link?.isPaused = true
            return true
        }
        guard begins else { return }
        // If a frame has become due in the meantime, the notification is sent at once.
        let notices = sources.map { source in
            source.notifyOfMediaDataChange(
                withAdvanceInterval: Freewheel.advanceInterval, on: .background
            ) { [weak shared] in
                if let shared { wake(shared) }
            }
        }
        // If the link was woken in the meantime, the tokens are released here, which cancels the
        // notifications.
        shared.state.withLock { if $0.isResting { $0.notices = notices } }
    }

    /// Resumes the link after a change, unless the presenter is paused.
    private static func wake(_ shared: Shared) {
        let notices = shared.state.withLock { state in
            defer { state.notices = [] }
            state.hasNews = true
            state.isResting = false
            state.link?.isPaused = state.isPaused
            return state.notices
        }
        for notice in notices { notice.cancel() }
    }
}
