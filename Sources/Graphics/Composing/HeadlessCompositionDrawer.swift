// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadGL
import PlayheadThreads
import PlayheadTime
import PlayheadVideoCompositions

/// A drawer that draws the frames of a video composition on its own thread, with its own OpenGL
/// context. If the caller's thread has a current context, that context remains current.
///
/// - Concurrency: one thread at a time; `cancel` on any thread.
/// - Ownership: the thread and its context end when this object is released.
final class HeadlessCompositionDrawer: VideoCompositionDrawer {
    private typealias Answer = Result<PixelBuffer, VideoCompositionError>

    private struct State {
        var composition: VideoComposition
        var effects: TransitionEffects
        /// A number that increases with each exchange of the composition.
        var edition = 0
        var request: VideoCompositionFrame?
        var answer: Answer?
        var isCancelled = false
        var isEnding = false
    }

    private let state: Monitor<State>

    init(_ composition: VideoComposition, effects: TransitionEffects) {
        let state = Monitor(State(composition: composition, effects: effects))
        self.state = state
        let thread = HeadlessThreads.shared.start(
            name: "ph-compose", end: { state.change { $0.isCancelled = true } }
        ) { Self.work(state) }
        if thread == nil { state.change { $0.isCancelled = true } }
    }

    deinit { state.change { $0.isEnding = true } }

    func draw(_ frame: VideoCompositionFrame) throws(VideoCompositionError) -> PixelBuffer {
        state.change { state in
            state.request = frame
            state.answer = nil
        }
        let answer = state.wait { state -> Answer? in
            if state.isCancelled {
                return .failure(
                    VideoCompositionError(
                        .cancelled, cause: "drawing was cancelled", time: frame.time))
            }
            defer { state.answer = nil }
            return state.answer
        }
        return try answer.get()
    }

    /// Draws another composition from the next frame on.
    func exchange(_ composition: VideoComposition, effects: TransitionEffects) {
        state.change { state in
            state.composition = composition
            state.effects = effects
            state.edition += 1
        }
    }

    func cancel() { state.change { $0.isCancelled = true } }

    // MARK: - The thread

    private struct Work {
        var request: VideoCompositionFrame
        var composition: VideoComposition
        var effects: TransitionEffects
        var edition: Int
    }

    private static func work(_ state: Monitor<State>) {
        var context: HeadlessContext?
        var renderer: VideoCompositionRenderer?
        var edition = 0
        while true {
            let work = state.wait { state -> Work?? in
                if state.isEnding || state.isCancelled { return .some(nil) }
                guard let request = state.request else { return nil }
                state.request = nil
                return Work(
                    request: request, composition: state.composition, effects: state.effects,
                    edition: state.edition)
            }
            guard let work else { break }
            var answer: Answer
            do throws(VideoCompositionError) {
                if renderer == nil {
                    let made = try makeContext()
                    context = made
                    renderer = VideoCompositionRenderer(
                        work.composition, effects: work.effects, context: made)
                    edition = work.edition
                }
                guard let renderer else { continue }
                if edition != work.edition {
                    renderer.exchange(work.composition, effects: work.effects)
                    edition = work.edition
                }
                answer = .success(try renderer.picture(of: work.request))
                HeadlessExit.registerLast()
            } catch {
                answer = .failure(error)
            }
            state.change { $0.answer = answer }
        }
        renderer = nil
        context?.deletionQueue.drain()
        context?.clearCurrent()
    }

    private static func makeContext() throws(VideoCompositionError) -> HeadlessContext {
        do throws(GLError) {
            return try HeadlessContext()
        } catch {
            throw VideoCompositionError(.cannotDraw, cause: error.description)
        }
    }
}
