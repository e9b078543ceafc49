// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadGL
import PlayheadThreads
import PlayheadTime
import PlayheadVideoCompositions

/// A drawer that draws the pictures of a video composition on its own thread, with its own OpenGL
/// context. If the caller's thread has a current context, that context remains current.
///
/// - Concurrency: one thread at a time; `cancel` on any thread.
/// - Ownership: the thread and its context end when this object is released.
final class HeadlessCompositionDrawer: VideoCompositionDrawer {
    private typealias Answer = Result<PixelBuffer, VideoCompositionError>

    private struct State {
        var request: VideoCompositionFrame?
        var answer: Answer?
        var isCancelled = false
        var isEnding = false
    }

    private let state = Monitor(State())

    init(_ composition: VideoComposition, effects: TransitionEffects) {
        let state = state
        _ = WorkerThread(name: "ph-compose") {
            Self.work(composition, effects, state)
        }
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

    func cancel() { state.change { $0.isCancelled = true } }

    // MARK: - The thread

    private static func work(
        _ composition: VideoComposition, _ effects: TransitionEffects, _ state: Monitor<State>
    ) {
        var context: HeadlessContext?
        var renderer: VideoCompositionRenderer?
        while true {
            let request = state.wait { state -> VideoCompositionFrame?? in
                if state.isEnding || state.isCancelled { return .some(nil) }
                guard let request = state.request else { return nil }
                state.request = nil
                return request
            }
            guard let request else { break }
            var answer: Answer
            do throws(VideoCompositionError) {
                if renderer == nil {
                    let made = try makeContext()
                    context = made
                    renderer = VideoCompositionRenderer(
                        composition, effects: effects, context: made)
                }
                guard let renderer else { continue }
                answer = .success(try renderer.picture(of: request))
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
