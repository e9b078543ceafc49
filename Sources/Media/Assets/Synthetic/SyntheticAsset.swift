// SPDX-License-Identifier: Apache-2.0

/// An asset whose media is computed. Every frame shows its number, and every second has a tick and
/// a flash.
///
/// The asset needs no file and no codec, and is the same on every run. It has any frame rate,
/// constant or variable. Packets are in decoding order, decoding starts at keyframes, and decoders
/// reorder frames, so a player meets the same conditions as with real files and, with
/// `SyntheticFaults`, as with broken files. `FrameNumberStrip` reads the number of a frame.
///
/// - Concurrency: any thread.
public final class SyntheticAsset: Asset, @unchecked Sendable {
    // Unchecked like its base class; `media` is constant.

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
