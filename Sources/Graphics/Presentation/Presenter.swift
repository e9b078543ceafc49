// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadDisplay
public import PlayheadGL
public import PlayheadLayers
public import PlayheadPlayback
package import PlayheadTextures
import PlayheadTime
import Synchronization

/// Shows a scene on a surface, vsync by vsync, on a render thread of its own.
///
/// It freewheels: when nothing has looked different for half a second it lets its display link
/// rest, and asks the outputs of the scene to be told a tenth of a second before there is another
/// picture. Setting the scene and `setNeedsDisplay()` wake it too. A scene with a source that cannot
/// tell (any but a `NotifyingPixelBufferSource`), with an effect that moves by itself, or with an
/// animation that is yet to begin or to end, is drawn at every vsync.
///
///     let presenter = try Presenter(
///         surface: surface, vsyncs: SimulatedDisplay(schedule: VsyncSchedule(vsyncs: 60)))
///     presenter.scene = Scene(layers: [Layer(.video(output))])
///     presenter.isPaused = false
///
/// - Concurrency: any thread, but `invalidate` not from the render thread.
/// - Ownership: keeps the surface until it is invalidated.
/// - Corresponds to: a view with a `CADisplayLink`.
public final class Presenter: Sendable {
    /// What became of every frame.
    public let ledger: FrameLedger
    private let link: DisplayLink
    private let surface: any PresentationSurface
    private let shared: Shared

    /// What the render thread and the others share.
    private final class Shared: @unchecked Sendable {
        // Unchecked: variables are touched on the render thread only.
        let state = Mutex(State())
        let surface: any PresentationSurface
        let ledger: FrameLedger
        let upload: PictureUpload?
        let counts: PlaybackCounts
        var presenter: FramePresenter?
        var freewheel = Freewheel()
        /// Ticks until a lost context is tried to be made anew; nil when it is not lost.
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
            // Who asks for a picture before there was a tick is to get what is shown.
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
        var problems: [RenderReport.Problem] = []
        /// The host time that the last frame was drawn for.
        var lastTime = MediaTime.zero
        /// What was asked for, and whether the link rests besides.
        var isPaused = true
        var isResting = false
        /// Whether something has come up that may look different, or has to be drawn in any case.
        var hasNews = true
        /// How many frames have to be drawn whether or not they have changed.
        var displaysNeeded = 0
        /// What the outputs of the scene were asked for when rest began.
        var notices: [ObservationToken] = []
        var problemHandler: (@Sendable () -> Void)?
        var contextLossCount = 0
        var contextLossHandler: (@Sendable () -> Void)?
    }

    /// Creates a presenter, paused, and takes the surface's context to its render thread.
    public convenience init(
        surface: any PresentationSurface, vsyncs: any VsyncSource,
        ledger: FrameLedger = FrameLedger()
    ) throws(GLError) {
        try self.init(surface, vsyncs, ledger, PlaybackCounts(), nil)
    }

    /// Creates a presenter that uploads frames in a given way.
    ///
    /// - Parameter upload: how pictures are uploaded; nil for what turns out to be quickest.
    package convenience init(
        surface: any PresentationSurface, vsyncs: any VsyncSource,
        ledger: FrameLedger = FrameLedger(), upload: PictureUpload?
    ) throws(GLError) {
        try self.init(surface, vsyncs, ledger, PlaybackCounts(), upload)
    }

    /// Goes on where another presenter, which has been invalidated, has lost its context: with its ledger,
    /// into which nothing goes twice.
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

    /// What is shown, from the next vsync on.
    public var scene: Scene {
        get { shared.state.withLock { $0.scene } }
        set { updateScene { $0 = newValue } }
    }

    /// Changes what is shown, all at once.
    package func updateScene(_ body: (inout Scene) -> Void) {
        shared.state.withLock { body(&$0.scene) }
        Self.wake(shared)
    }

    /// Has the next frame drawn whether or not it has changed: what is shown has been lost, or a
    /// parameter of an effect was changed while nothing plays.
    ///
    /// - Corresponds to: `NSView.needsDisplay`.
    public func setNeedsDisplay() {
        shared.state.withLock { $0.displaysNeeded = max($0.displaysNeeded, 1) }
        Self.wake(shared)
    }

    /// Has what is shown drawn in the surface's new size. Drivers that learn of a size when they swap (Mesa's
    /// software on X11) draw the first frame into a buffer of the old one: so two are drawn.
    public func surfaceDidResize() {
        shared.state.withLock { $0.displaysNeeded = 2 }
        Self.wake(shared)
    }

    /// Chooses the output whose frames the ledger records: the one by which the scene shows what a
    /// player plays.
    public func observe(_ output: PlayerVideoOutput?) {
        shared.state.withLock { $0.output = output }
    }

    /// Whether frames are left alone; true at first. A paused presenter sleeps.
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

    /// Whether nothing is drawn until something changes.
    package var isResting: Bool { shared.state.withLock { $0.isResting } }

    /// Whether the GPU's time goes into the ledger, which takes some calls of OpenGL a frame; false at
    /// first.
    package func setMeasuresGPU(_ measures: Bool) {
        link.perform { [shared] in
            shared.measuresGPU = measures
            shared.presenter?.measuresGPU = measures
        }
    }

    /// Whether the observed item's rate is changed by up to half a percent, so that its pictures stay
    /// with the vsyncs: see `DisplayRateLock`. False at first.
    package func setLocksToDisplay(_ locks: Bool) {
        link.perform { [shared] in
            shared.locksToDisplay = locks
            shared.presenter?.locksToDisplay = locks
        }
    }

    /// How the scene is drawn, and what that takes. Waits for the render thread; nil after
    /// `invalidate()` and while a lost context has not been made anew.
    package func rendererState() -> RendererState? {
        link.performAndWait { [shared] in shared.presenter?.rendererState } ?? nil
    }

    /// The same, told on the render thread, for those who must not wait.
    package func rendererState(_ body: @escaping @Sendable (RendererState) -> Void) {
        link.perform { [shared] in
            if let state = shared.presenter?.rendererState { body(state) }
        }
    }

    /// What could not be drawn since the last time this was called.
    public func takeProblems() -> [RenderReport.Problem] {
        shared.state.withLock { state in
            defer { state.problems = [] }
            return state.problems
        }
    }

    /// Called, on the render thread, when there is something to take by `takeProblems()`: for those who
    /// do not want to look again and again.
    public func onProblems(_ handler: @escaping @Sendable () -> Void) {
        shared.state.withLock { $0.problemHandler = handler }
    }

    /// What is shown now, as pixels. Waits for the render thread; nil after `invalidate()` and
    /// while there is nothing to draw on.
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

    /// Another scene as a picture of its own size, at the moment that is shown now, such as the film
    /// without what lies over it. Waits for the render thread; nil after `invalidate()` and where there
    /// is no memory for it.
    ///
    /// - Precondition: the size is positive.
    public func image(of scene: Scene, width: Int, height: Int) -> RGBAImage? {
        precondition(width > 0 && height > 0, "a picture has a size")
        return link.performAndWait { [shared] in
            defer { Self.settle(shared) }
            let hostTime = shared.state.withLock { $0.lastTime }
            return try? shared.presenter?.image(
                of: scene, width: width, height: height, at: hostTime)
        } ?? nil
    }

    /// Ends the render thread and frees everything in the context. The surface may be used again.
    public func invalidate() {
        isPaused = true
        link.perform { [shared, surface] in
            shared.presenter = nil
            surface.context.deletionQueue.drain()
            surface.context.clearCurrent()
        }
        link.invalidate()
    }

    /// How often the context was lost. What was shown goes on in a context made anew.
    package var contextLossCount: Int { shared.state.withLock { $0.contextLossCount } }

    /// Called, on the render thread, when the context has been lost and the surface cannot make it
    /// anew: this presenter draws nothing any more, and has to be replaced with its surface.
    package func onContextLoss(_ handler: @escaping @Sendable () -> Void) {
        shared.state.withLock { $0.contextLossHandler = handler }
    }

    private static func present(_ shared: Shared, at tick: DisplayTick) {
        if shared.ticksToRemaking != nil { remake(shared) }
        guard let presenter = shared.presenter else { return }
        let time = presenter.samplingTime(for: tick)
        let (scene, output, hasNews, redraw) = shared.state.withLock { state in
            let redraw: VideoRenderer.Redraw = state.displaysNeeded > 0 ? .always : .ifChanged
            state.displaysNeeded = max(0, state.displaysNeeded - 1)
            defer { state.hasNews = state.displaysNeeded > 0 }
            state.lastTime = time
            return (state.scene, state.output, state.hasNews, redraw)
        }
        if hasNews { shared.freewheel.begin() }
        var problems: [RenderReport.Problem] = []
        do throws(GLError) {
            problems = try presenter.present(
                scene, through: output, at: tick, redraw: redraw)
        } catch .contextLost {
            lose(shared)
            return
        } catch {
            problems = [.gl(error)]
        }
        // Nobody tells of an animation that stands: it may be before its beginning, or between steps.
        if shared.freewheel.rests(at: tick.timestamp, hasChanged: presenter.hasChanged),
            !scene.moves(afterHostTime: presenter.samplingTime(for: tick))
        {
            presenter.trim()
            rest(shared, showing: scene)
        }
        report(problems, shared)
    }

    /// On the render thread, after drawing for somebody: where that took pictures that have not been
    /// shown yet, nothing else would have them shown.
    private static func settle(_ shared: Shared) {
        if shared.presenter?.owesPicture == true { wake(shared) }
    }

    private static func report(_ problems: [RenderReport.Problem], _ shared: Shared) {
        guard !problems.isEmpty else { return }
        let handler = shared.state.withLock { state -> (@Sendable () -> Void)? in
            let count = state.problems.count
            // A problem that comes back in every frame is told once, until it is taken.
            for problem in problems where !state.problems.contains(problem) {
                state.problems.append(problem)
            }
            return state.problems.count > count ? state.problemHandler : nil
        }
        handler?()
    }

    // MARK: - A lost context

    /// Vsyncs between two tries to make a context: a driver may need a while.
    private static let remakingInterval = 30

    /// On the render thread: lets go of everything in the context, and has it made anew.
    private static func lose(_ shared: Shared) {
        shared.state.withLock { state in
            state.contextLossCount += 1
            state.hasNews = true
        }
        shared.presenter = nil
        shared.ticksToRemaking = 0
        remake(shared)
    }

    /// On the render thread: has the context made anew, and goes on in it.
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

    // MARK: - Freewheeling

    /// On the render thread: lets the link rest until something tells of a change.
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
        // A picture that has come since is told of at once.
        let notices = sources.map { source in
            source.notifyOfMediaDataChange(
                withAdvanceInterval: Freewheel.advanceInterval, on: .background
            ) { [weak shared] in
                if let shared { wake(shared) }
            }
        }
        // Those that are not needed any more end here.
        shared.state.withLock { if $0.isResting { $0.notices = notices } }
    }

    /// Something may look different: the link goes on, unless it is paused.
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
