// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

/// An asset whose only video track shows the frames of a video composition. Its audio and subtitles
/// are those of another asset.
///
/// Its decoder draws these frames. Playback, readers and image generators therefore need no code
/// for compositions, and all of them show the same frames.
///
/// - Concurrency: any thread.
package final class ComposedAsset: Asset, @unchecked Sendable {
    // Unchecked like its base class; the added properties are constant.

    private let asset: Asset

    /// Creates an asset. This does no work: opening it validates the composition.
    package init(
        _ asset: Asset, composition: VideoComposition, engine: any VideoCompositionEngine
    ) {
        self.asset = asset
        super.init(opener: Opener(asset: asset, composition: composition, engine: engine))
    }

    override package var displayName: String { asset.displayName }
    override package var subject: String { asset.subject }

    private struct Opener: AssetOpener {
        let asset: Asset
        let composition: VideoComposition
        let engine: any VideoCompositionEngine

        func openDemuxer(cancellation: Cancellation) throws(MediaError) -> any Demuxer {
            try ComposedDemuxer(
                asset, composition: composition, engine: engine, cancellation: cancellation)
        }
    }
}
