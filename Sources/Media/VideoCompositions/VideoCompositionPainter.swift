// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers

/// Makes the frames of a video composition. If a frame needs no compositing, it is the decoded
/// frame. A drawer, which is created when it is first needed, draws all others.
///
/// - Concurrency: one thread at a time; calls block.
final class VideoCompositionPainter {
    private var composition: VideoComposition
    private let engine: any VideoCompositionEngine
    private let cancellation: Cancellation?
    private var drawer: (any VideoCompositionDrawer)?

    /// - Parameter cancellation: Ends requests to a compositor that are in progress.
    init(
        _ composition: VideoComposition, engine: any VideoCompositionEngine,
        cancellation: Cancellation? = nil
    ) {
        self.composition = composition
        self.engine = engine
        self.cancellation = cancellation
    }

    /// Exchanges the composition. A drawer that can draw the new one is kept.
    func exchange(_ composition: VideoComposition) throws(VideoCompositionError) {
        if let drawer, try !engine.exchange(composition, of: drawer) { self.drawer = nil }
        self.composition = composition
    }

    /// Returns a frame.
    func picture(of frame: VideoCompositionFrame) throws(VideoCompositionError) -> PixelBuffer {
        if let buffer = frame.plainBuffer(for: composition) { return buffer }
        if let drawer { return try drawer.draw(frame) }
        let drawer = try engine.makeDrawer(for: composition)
        (drawer as? CompositorDrawer)?.cancellation = cancellation
        self.drawer = drawer
        return try drawer.draw(frame)
    }
}
