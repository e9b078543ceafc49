// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy
import Glibc
import Synchronization

/// Whether a context has been lost with everything in it, as happens when a driver resets its GPU.
///
/// From then on calls of OpenGL do nothing, and what they ask for is zero. Whoever draws finds out
/// (`VideoRenderer.render` says `RenderReport.isContextLost`), drops all objects, has the context
/// made anew, and draws on.
///
/// `PLAYHEAD_LOSE_CONTEXT=60,200` makes programs lose theirs at the 60th and the 200th frame that they
/// draw.
///
/// - Concurrency: `simulate` and `isLost` on any thread, the rest on the render thread.
/// - Corresponds to: `glGetGraphicsResetStatus`, `GL_KHR_robustness`.
public final class GLContextLoss: Sendable {
    /// Frames between two questions to the driver: some answer by a call to the kernel.
    private static let interval = 16

    /// Name of the environment variable that makes contexts count as lost at given frames.
    package static let variable = "PLAYHEAD_LOSE_CONTEXT"
    private static let framesOfLoss: [Int] =
        getenv(variable).map { String(cString: $0).split(separator: ",").compactMap { Int($0) } }
        ?? []
    /// Frames that the program has drawn, where that matters.
    private static let allFrames = Atomic(0)

    private let lost = Atomic(false)
    /// Frames since the driver was last asked. Render thread.
    private let frames = Atomic(0)

    package init() {}

    /// Whether the context is known to be lost.
    package var isLost: Bool { lost.load(ordering: .acquiring) }

    /// Makes the context count as lost, at the next look: what a driver does when its GPU hangs, for
    /// tests of what comes after.
    package func simulate() { lost.store(true, ordering: .releasing) }

    /// Asks the driver, if it tells at all.
    ///
    /// - Returns: whether the context is lost.
    @discardableResult
    package func check(_ capabilities: GLCapabilities) -> Bool {
        if isLost { return true }
        guard capabilities.reportsLoss else { return false }
        if ph_glGetGraphicsResetStatus() != UInt32(GL_NO_ERROR) { simulate() }
        return isLost
    }

    /// Asks the driver every now and then: once a frame.
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
