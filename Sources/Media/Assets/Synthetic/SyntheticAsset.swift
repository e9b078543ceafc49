// SPDX-License-Identifier: Apache-2.0

/// Media that is computed, not read: every frame shows its number, every second ticks and flashes.
///
/// It needs no file and no codec and is the same on every run, at any frame rate, constant or not.
/// Packets come in order of decoding, decoding starts at keyframes, and decoders hold frames back
/// to put them in order: a player meets the same conditions as in real files, and with
/// `SyntheticFaults` those of broken ones. Read the number back with `FrameNumberStrip`.
///
/// - Concurrency: any thread.
public final class SyntheticAsset: Asset, @unchecked Sendable {
    // Unchecked as its superclass is; `media` is constant.

    /// The definition of the asset's frames, audio and storage.
    public let media: SyntheticMedia

    /// Creates an asset that generates its frames and samples.
    public init(_ media: SyntheticMedia = SyntheticMedia()) {
        self.media = media
        super.init(opener: SyntheticOpener(media: media))
    }

    public override var displayName: String { media.name }
}

private struct SyntheticOpener: AssetOpener {
    let media: SyntheticMedia

    func openDemuxer(cancellation: Cancellation) throws(MediaError) -> any Demuxer {
        if let willOpen = media.faults.willOpen { try willOpen(cancellation) }
        return SyntheticDemuxer(media: media, cancellation: cancellation)
    }
}
