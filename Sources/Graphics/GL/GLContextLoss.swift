// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy
import Glibc
import Synchronization

/// The record of a context's loss, which happens when a driver resets its GPU and takes everything
/// in the context with it.
///
/// From then on calls of OpenGL do nothing and queries return zero. The renderer reports it
/// (`RenderReport.isContextLost` of `VideoRenderer.render`); its owner drops all objects, makes the
/// context again and continues to draw.
///
/// `PLAYHEAD_LOSE_CONTEXT=60,200` makes programs lose theirs at the 60th and the 200th frame that
/// they draw.
///
/// - Concurrency: `simulate` and `isLost` on any thread, the rest on the render thread.
public final class GLContextLoss: Sendable {
    /// The number of frames between two queries of the driver: some drivers answer with a system
    /// call.
    private static let interval = 16

    /// The name of the environment variable that makes contexts count as lost at given frames.
    package static let variable = "PLAYHEAD_LOSE_CONTEXT"
    private static let framesOfLoss: [Int] =
        getenv(variable).map { String(cString: $0).split(separator: ",").compactMap { Int($0) } }
        ?? []
    /// The number of frames that the program has drawn, counted only if `framesOfLoss` is set.
    private static let allFrames = Atomic(0)

    private let lost = Atomic(false)
    /// The number of frames since the driver was last queried. Render thread.
    private let frames = Atomic(0)

    package init() {}

    /// A Boolean value that indicates whether the context is known to be lost.
    package var isLost: Bool { lost.load(ordering: .acquiring) }

    /// Makes the context count as lost at the next check, as if the GPU hung: for tests of
    /// recovery.
    package func simulate() { lost.store(true, ordering: .releasing) }

    /// Queries the driver, if it reports losses at all.
    ///
    /// - Returns: true if the context is lost.
    @discardableResult
    package func check(_ capabilities: GLCapabilities) -> Bool {
        if isLost { return true }
        guard capabilities.reportsLoss else { return false }
        if ph_glGetGraphicsResetStatus() != UInt32(GL_NO_ERROR) { simulate() }
        return isLost
    }

    /// Queries the driver once every few frames; called once a frame.
    func checkFrame(_ capabilities: GLCapabilities) -> Bool {
        if isLost { return true }
        if !Self.framesOfLoss.isEmpty {
            let count = Self.allFrames.add(1, ordering: .relaxed).newValue
            if Self.framesOfLoss.contains(count) { simulate() }
        }
        let count = frames.load(ordering: .relaxed) + 1
        frames.store(count % Self.interval, ordering: .relaxed)
        return count == Self.interval ? check(capabilities) : false
    }
}
