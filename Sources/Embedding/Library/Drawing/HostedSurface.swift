// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import PlayheadBuffers
import PlayheadEffects
import PlayheadGL
import PlayheadLayers
import PlayheadPlayback
import PlayheadSubtitles
import PlayheadTime
import Synchronization

/// Draws a player's frames in a host's context: into the host's framebuffers and into the library's
/// textures.
///
/// - Concurrency: render thread. The last reference may be released on any thread.
final class HostedSurface: HostedContextUser {
    static let noun = "player"
    static let prefix = "playhead_gl"

    /// The state for which `scene` was built.
    private struct Arrangement: Equatable {
        var generation: UInt64
        var output: ObjectIdentifier?
        var subtitles: ObjectIdentifier?
        var rect: LayerRect
        var gravity: LayerGravity
        var background: SIMD4<Float>
        var isWhole: Bool
    }

    let context: GLHostContext
    let state: GLHostState
    private let renderer: VideoRenderer
    /// The renderer for multisampled targets on software OpenGL. It converts frames with a shader.
    /// `renderer` copies frames that the CPU has converted.
    private var drawingRenderer: VideoRenderer?
    private var lateFrames = LateFramePolicy()
    private var arrangement: Arrangement?
    /// The sizes at which framebuffers were complete when they were checked, by the name of the
    /// framebuffer.
    private var complete: [UInt32: SIMD2<Int>] = [:]
    private var scene = Scene(background: .none)
    /// The textures for the host. They are created at the first request.
    private var textureRing: TextureRing?

    /// Creates a surface.
    ///
    /// - Precondition: The context is current.
    init(context: GLHostContext, mode: GLHostState.Mode, unitBase: Int) {
        self.context = context
        state = GLHostState(mode: mode, unitBase: unitBase)
        state.enter()
        renderer = VideoRenderer(context: context, helperCount: 0)
        state.leave()
    }

    // MARK: Framebuffers

    /// Draws into the host's framebuffer.
    ///
    /// - Throws: `CallFailure` if the target is not a framebuffer or cannot be drawn to.
    func render(_ source: DrawSource, _ target: HostedTarget) throws -> DrawOutcome {
        var outcome = DrawOutcome()
        guard source.isVisible else {
            outcome.flags = PLAYHEAD_RENDER_HIDDEN
            return outcome
        }
        let start = HostClock.nanoseconds
        // Deleting an object unbinds it, so this is done before the bindings are read.
        context.deleteDropped()
        state.enter(units: source.effects.isEmpty ? Self.plainUnits : GLHostState.unitCount)
        let entered = HostClock.nanoseconds
        do {
            try check(target.target)
        } catch {
            state.leave()
            throw error
        }
        var target = target
        // On hardware, both kinds of targets are drawn in the same way.
        target.target.isMultisampled =
            context.capabilities.isSoftware
            && state.isMultisampled(framebuffer: target.target.framebuffer)
        let renderer = renderer(for: target.target)
        let isSampled = renderer !== self.renderer
        var source = source
        if isSampled {
            (source.output, source.subtitles) = (source.sampledOutput, source.sampledSubtitles)
        }
        arrange(source, target)
        // For a multisampled target, a shader converts the frame in the draw call.
        let keeps = !isSampled && lateFrames.keeps(source, by: renderer)
        let report = renderer.render(
            scene, hostTime: source.hostTime, into: target.target,
            redraw: target.isDrawnIfChanged ? .ifChanged : .always, keepsPictures: keeps)
        let drawn = HostClock.nanoseconds
        state.leave()
        // If the previous frame is kept, the current frame is still being converted, so the next
        // frame is not prepared.
        if !keeps { renderer.prepareNextPicture() }
        outcome.take(report, source)
        outcome.isSampled = isSampled
        if keeps { outcome.flags |= PLAYHEAD_RENDER_LATE }
        outcome.stateNanoseconds = entered - start + HostClock.nanoseconds - drawn
        return outcome
    }

    /// Checks a framebuffer when it is first drawn to at a given size. Drawing to a missing or
    /// incomplete framebuffer would draw nothing, and would leave an OpenGL error for the host. The
    /// result is cached, because some drivers finish all earlier commands before they answer.
    private func check(_ target: RenderTarget) throws {
        let size = SIMD2(target.width, target.height)
        guard complete[target.framebuffer] != size else { return }
        guard let status = state.status(ofFramebuffer: target.framebuffer) else {
            throw CallFailure.argument(
                "the context has no framebuffer \(target.framebuffer); pass an existing one, or 0")
        }
        guard status == GLHostState.completeFramebuffer else {
            throw GLError.incompleteFramebuffer(
                status: status, width: target.width, height: target.height)
        }
        if complete.count >= Self.mostFramebuffers { complete = [:] }
        complete[target.framebuffer] = size
    }

    /// The maximum number of cached framebuffers. If the host uses more, the cache is cleared.
    private static let mostFramebuffers = 64

    /// The number of texture units for a video without effects: one unit for each plane, and one
    /// for the background.
    private static let plainUnits = 5

    private func renderer(for target: RenderTarget) -> VideoRenderer {
        guard renderer.conversion == .cpu, target.isMultisampled else { return renderer }
        let made = drawingRenderer ?? VideoRenderer(context: context, conversion: .gpu)
        drawingRenderer = made
        return made
    }

    private func arrange(_ source: DrawSource, _ target: HostedTarget) {
        let wanted = Arrangement(
            generation: source.generation, output: source.output.map(ObjectIdentifier.init),
            subtitles: source.subtitles.map(ObjectIdentifier.init), rect: target.rect,
            gravity: target.gravity, background: target.background,
            isWhole: target.isWhole)
        guard wanted != arrangement else { return }
        arrangement = wanted
        var layers: [Layer] = []
        let frame: LayerFrame = target.isWhole ? .whole : .pixels(target.rect)
        let isFilled = target.isWhole && target.background.w == 1
        if !isFilled, target.background.w > 0 {
            layers.append(Layer(.color(target.background), frame: frame))
        }
        if let output = source.output {
            layers.append(
                Layer(
                    .video(output), frame: frame, gravity: target.gravity,
                    effects: source.effects))
            if let subtitles = source.subtitles {
                layers.append(Layer(.video(subtitles), frame: frame, gravity: target.gravity))
            }
        }
        scene = Scene(background: isFilled ? .color(target.background) : .none, layers: layers)
    }

    // MARK: Textures

    func acquire(
        _ source: DrawSource, _ request: TextureRing.Request
    ) throws -> (TextureRing.Lease, DrawOutcome) {
        let start = HostClock.nanoseconds
        context.deleteDropped()
        state.enter()
        let entered = HostClock.nanoseconds
        defer { state.leave() }
        let ring = textureRing ?? TextureRing(context: context)
        textureRing = ring
        var (lease, outcome) = try ring.acquire(source, request)
        outcome.stateNanoseconds = entered - start
        return (lease, outcome)
    }

    /// Releases a lease.
    ///
    /// - Parameter fence: Returns the host's fence. It is called only if the ring takes ownership
    ///   of the fence.
    func release(_ lease: UInt64, fence: () throws -> GLFence?) throws {
        guard let textureRing, textureRing.isOut(lease) else {
            throw CallFailure.argument("lease \(lease) is unknown or was already released")
        }
        _ = textureRing.release(lease, fence: try fence())
    }

    /// Adds the number of existing objects to the statistics.
    func count(in statistics: inout HostedStatistics) {
        let queue = context.deletionQueue
        statistics.textures = UInt32(clamping: queue.liveCount(.texture))
        statistics.objects = UInt32(
            clamping: GLDeletionQueue.Kind.allCases.reduce(0) { $0 + queue.liveCount($1) })
    }
}
