// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy
import Glibc
import Synchronization

/// A record of whether a context has been lost. A context is lost when a driver resets its GPU,
/// which destroys everything in the context.
///
/// After the loss, OpenGL calls do nothing and queries return zero. The renderer reports the loss
/// (`RenderReport.isContextLost` of `VideoRenderer.render`). The owner of the context then releases
/// all objects, recreates the context and continues to draw.
///
/// `PLAYHEAD_LOSE_CONTEXT=60,200` simulates a loss at the 60th and the 200th frame that a program
/// draws.
///
/// - Concurrency: `simulate` and `isLost` on any thread, the rest on the render thread.
public final class GLContextLoss: Sendable {
    /// The number of frames between two queries of the driver. Not every frame is checked, because
    /// some drivers make a system call.
    private static let interval = 16

    /// The name of the environment variable that simulates a loss at given frames.
    package static let variable = "PLAYHEAD_LOSE_CONTEXT"
    private static let framesOfLoss: [Int] =
        getenv(variable).map { String(cString: $0).split(separator: ",").compactMap { Int($0) } }
        ?? []
    /// The number of frames that the program has drawn. Frames are counted only if `framesOfLoss`
    /// is set.
    private static let allFrames = Atomic(0)

    private let lost = Atomic(false)
    /// The number of frames since the driver was last queried. Used on the render thread.
    private let frames = Atomic(0)

    package init() {}

    /// A Boolean value that indicates whether the context is known to be lost.
    package var isLost: Bool { lost.load(ordering: .acquiring) }

    /// Simulates a loss, as if the GPU hung: the next check returns true. For tests of recovery.
    package func simulate() { lost.store(true, ordering: .releasing) }

    /// Queries the driver, if the driver reports losses.
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
