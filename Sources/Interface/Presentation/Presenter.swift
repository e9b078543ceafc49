// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadDisplay
public import PlayheadGL
public import PlayheadLayers
public import PlayheadPlayback
import PlayheadTime
import Synchronization

/// Shows a scene on a surface, vsync by vsync, on a render thread of its own.
///
///     let presenter = try Presenter(surface: surface, vsyncs: SimulatedDisplay(refreshRate: 60))
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
        // Unchecked: `presenter` is touched on the render thread only.
        let state = Mutex(State())
        var presenter: FramePresenter?
    }

    private struct State {
        var scene = Scene()
        var output: PlayerVideoOutput?
        var problems: [RenderReport.Problem] = []
        var lastTarget = MediaTime.zero
    }

    /// Takes the surface's context to the render thread; paused.
    public init(
        surface: any PresentationSurface, vsyncs: any VsyncSource,
        ledger: FrameLedger = FrameLedger()
    ) throws(GLError) {
        self.surface = surface
        self.ledger = ledger
        let shared = Shared()
        self.shared = shared
        link = DisplayLink(source: vsyncs, name: "ph-render") { tick in
            Self.present(shared, at: tick)
        }
        let failure = link.performAndWait { () -> GLError? in
            do throws(GLError) {
                try surface.context.makeCurrent()
                shared.presenter = FramePresenter(surface: surface, ledger: ledger)
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
        set { shared.state.withLock { $0.scene = newValue } }
    }

    /// Changes what is shown, all at once.
    public func updateScene(_ body: (inout Scene) -> Void) {
        shared.state.withLock { body(&$0.scene) }
    }

    /// Chooses the output whose frames the ledger records: the one by which the scene shows what a
    /// player plays.
    public func observe(_ output: PlayerVideoOutput?) {
        shared.state.withLock { $0.output = output }
    }

    /// Whether frames are left alone; true at first. A paused presenter sleeps.
    public var isPaused: Bool {
        get { link.isPaused }
        set { link.isPaused = newValue }
    }

    /// What could not be drawn since the last time this was called.
    public func takeProblems() -> [RenderReport.Problem] {
        shared.state.withLock { state in
            defer { state.problems = [] }
            return state.problems
        }
    }

    /// What is shown now, as pixels. Waits for the render thread; nil after `invalidate()` and
    /// while there is nothing to draw on.
    public func image() -> RGBAImage? {
        link.performAndWait { [shared] in
            let hostTime = shared.state.withLock { $0.lastTarget }
            return try? shared.presenter?.image(at: hostTime)
        } ?? nil
    }

    /// Ends the render thread and frees everything in the context. The surface may be used again.
    public func invalidate() {
        link.isPaused = true
        link.perform { [shared, surface] in
            shared.presenter = nil
            surface.context.deletionQueue.drain()
            surface.context.clearCurrent()
        }
        link.invalidate()
    }

    private static func present(_ shared: Shared, at tick: DisplayTick) {
        guard let presenter = shared.presenter else { return }
        let (scene, output) = shared.state.withLock { state in
            state.lastTarget = tick.targetTimestamp
            return (state.scene, state.output)
        }
        var problems: [RenderReport.Problem] = []
        do throws(GLError) {
            problems = try presenter.present(scene, through: output, at: tick)
        } catch {
            problems = [.gl(error)]
        }
        guard !problems.isEmpty else { return }
        shared.state.withLock { state in
            // A problem that comes back in every frame is told once, until it is taken.
            for problem in problems where !state.problems.contains(problem) {
                state.problems.append(problem)
            }
        }
    }
}
