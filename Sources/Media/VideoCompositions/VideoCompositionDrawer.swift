// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

/// A drawer of the frames of one video composition.
///
/// - Concurrency: one thread at a time; calls block.
package protocol VideoCompositionDrawer: AnyObject, Sendable {
    /// Returns a frame. Frames may be requested in any order.
    func draw(_ frame: VideoCompositionFrame) throws(VideoCompositionError) -> PixelBuffer

    /// Cancels all work. A call that is in progress on another thread throws `cancelled`.
    func cancel()
}

/// A factory of drawers. It exists because modules that read media do not import modules that draw.
package protocol VideoCompositionEngine: Sendable {
    /// Creates a drawer for a composition.
    ///
    /// - Throws: `invalidEffect` if the effect of a transition cannot be used; `cannotDraw` if
    ///   OpenGL is not available.
    func makeDrawer(
        for composition: VideoComposition
    ) throws(VideoCompositionError) -> any VideoCompositionDrawer

    /// Makes a drawer draw another composition.
    ///
    /// - Returns: A Boolean value that indicates whether the drawer can draw it. If it is false,
    ///   the composition needs another drawer.
    func exchange(
        _ composition: VideoComposition, of drawer: any VideoCompositionDrawer
    ) throws(VideoCompositionError) -> Bool
}

extension VideoCompositionEngine {
    /// Returns false.
    package func exchange(
        _ composition: VideoComposition, of drawer: any VideoCompositionDrawer
    ) throws(VideoCompositionError) -> Bool { false }
}
