// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

/// Draws the pictures of one video composition.
///
/// - Concurrency: one thread at a time; calls block.
package protocol VideoCompositionDrawer: AnyObject, Sendable {
    /// Returns a picture. Pictures that follow one another need not be asked for in their order.
    func draw(_ frame: VideoCompositionFrame) throws(VideoCompositionError) -> PixelBuffer

    /// Ends work on requests, also that of a call in progress on another thread, which then throws
    /// `cancelled`.
    func cancel()
}

/// Creates drawers: modules that read media do not import those that draw.
package protocol VideoCompositionEngine: Sendable {
    /// Creates a drawer for a composition.
    ///
    /// - Throws: `invalidEffect` if a transition has none; `cannotDraw` without OpenGL.
    func makeDrawer(
        for composition: VideoComposition
    ) throws(VideoCompositionError) -> any VideoCompositionDrawer
}
