// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import Synchronization

/// The drawing of the frames that one reader reads. Another thread can cancel it while a frame is
/// being drawn.
///
/// - Concurrency: `cancel` on any thread; frames are drawn on one thread at a time.
/// - Ownership: keeps the drawer of the composition.
package final class VideoCompositionDrawing: Sendable {
    private struct State {
        var drawer: (any VideoCompositionDrawer)?
        var isCancelled = false
    }

    private let state = Mutex(State())

    package init() {}

    /// Ends drawing: a call in progress on another thread, and all later ones, throw `cancelled`.
    package func cancel() {
        let drawer = state.withLock { state in
            state.isCancelled = true
            return state.drawer
        }
        drawer?.cancel()
    }

    /// Draws a frame. The first call creates the drawer.
    func draw(
        _ frame: VideoCompositionFrame, of composition: VideoComposition,
        by engine: any VideoCompositionEngine
    ) throws(VideoCompositionError) -> PixelBuffer {
        let drawer: any VideoCompositionDrawer
        if let former = state.withLock(\.drawer) {
            drawer = former
        } else {
            drawer = try engine.makeDrawer(for: composition)
            let isCancelled = state.withLock { state in
                state.drawer = drawer
                return state.isCancelled
            }
            if isCancelled { drawer.cancel() }
        }
        return try drawer.draw(frame)
    }
}
