// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets

/// An asset some of whose audio tracks are mixed to one. Its other tracks are those of another
/// asset.
///
/// Playback, readers and exports need not know of the mix, and hear the same samples.
///
/// - Concurrency: any thread.
package final class MixedAudioAsset: Asset, @unchecked Sendable {
    // Unchecked like its base class; the added properties are constant.

    private let asset: Asset

    /// Creates an asset. This does no work.
    package init(_ asset: Asset, tracks: [MixedAudioTrack]) {
        self.asset = asset
        super.init(opener: Opener(asset: asset, tracks: tracks))
    }

    override package var displayName: String { asset.displayName }
    override package var subject: String { asset.subject }

    private struct Opener: AssetOpener {
        let asset: Asset
        let tracks: [MixedAudioTrack]

        func openDemuxer(cancellation: Cancellation) throws(MediaError) -> any Demuxer {
            try MixedAudioDemuxer(asset, tracks: tracks, cancellation: cancellation)
        }
    }
}
