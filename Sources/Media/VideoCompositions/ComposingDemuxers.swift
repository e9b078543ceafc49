// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets

/// Puts a video composition that can be exchanged between an asset's demuxer and its consumer. The
/// tracks of the asset remain those that the consumer sees.
///
/// - Concurrency: any thread.
package struct ComposingDemuxers: Sendable {
    /// The composition.
    package let live: LiveVideoComposition
    private let engine: any VideoCompositionEngine

    /// Creates a value for a composition.
    package init(_ live: LiveVideoComposition, engine: any VideoCompositionEngine) {
        self.live = live
        self.engine = engine
    }

    /// Returns a demuxer whose preferred video track shows the frames of the composition; the same
    /// demuxer if the asset has no video.
    ///
    /// - Parameter base: The demuxer of the asset, which no one else uses from now on.
    package func demuxer(
        over base: any Demuxer, of asset: Asset, cancellation: Cancellation
    ) throws(MediaError) -> any Demuxer {
        guard base.description.preferredTrack(of: .video) != nil else { return base }
        return try ComposedDemuxer(
            asset, over: base, live, engine: engine, cancellation: cancellation
        ) { $1 }
    }
}
