// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
package import PlayheadTime

/// Takes an asset apart into the packets of its tracks.
///
/// - Concurrency: one thread at a time, not bound to a particular one; its calls block on files and
///   networks. `Sendable` so that it can be opened on one thread and read on another. Decoders that
///   it makes are independent of it and of each other.
/// - Corresponds to: nothing public in AVFoundation; `AVFormatContext`.
package protocol Demuxer: AnyObject, Sendable {
    /// The description that was found when the asset was opened.
    var description: AssetDescription { get }

    /// The monitor of the asset's transfer; nil if nothing is transferred.
    var transfer: TransferMonitor? { get }

    /// The limits on the resources that the asset may ask for.
    var limits: MediaLimits { get }

    /// Chooses the tracks whose packets `readPacket` returns; all others are skipped cheaply.
    func selectTracks(_ identifiers: Set<Int>)

    /// The next packet of a selected track in the container's order; nil at the end.
    ///
    /// - Throws: for damage that reading cannot go past. What can be skipped is skipped.
    func readPacket() throws(MediaError) -> MediaPacket?

    /// Moves to the last point at or before `time` from which every selected track can be decoded,
    /// or to the first such point of all.
    func seek(to time: MediaTime) throws(MediaError)

    /// Moves like `seek(to:)`; but where that leads to before `earliest`, and the first such point
    /// after `time` is known and not after `latest`, to that one.
    ///
    /// - Returns: whether it moved to a point after `time`.
    func seek(
        to time: MediaTime, notBefore earliest: MediaTime, notAfter latest: MediaTime
    ) throws(MediaError) -> Bool

    /// Returns the keyframes of a track that the container is known to list so far.
    func keyframeIndex(of track: AssetTrack) -> KeyframeIndex

    /// Sets which variant of a stream is read from the next keyframe on, where the asset offers
    /// several.
    func prefer(_ variants: VariantPreference)

    /// A decoder for a video track of this asset.
    ///
    /// - Parameter pool: where it gets the memory that it writes pictures into; plain memory where
    ///   that is nil or has none.
    func makeVideoDecoder(
        for track: AssetTrack, pool: (any PixelBufferPool)?
    ) throws(MediaError) -> any VideoDecoder

    /// A decoder for an audio track of this asset that delivers sound in `format`, resampled and
    /// mixed to its channels as needed.
    func makeAudioDecoder(
        for track: AssetTrack, format: AudioFormat
    ) throws(MediaError) -> any AudioDecoder

    /// A decoder for a subtitle track of this asset.
    func makeSubtitleDecoder(for track: AssetTrack) throws(MediaError) -> any SubtitleDecoder
}

extension Demuxer {
    /// For assets without variants.
    package func prefer(_ variants: VariantPreference) {}

    /// A decoder for a video track of this asset, with plain memory.
    package func makeVideoDecoder(for track: AssetTrack) throws(MediaError) -> any VideoDecoder {
        try makeVideoDecoder(for: track, pool: nil)
    }

    /// For containers without an index: there is never a known point ahead.
    package func seek(
        to time: MediaTime, notBefore earliest: MediaTime, notAfter latest: MediaTime
    ) throws(MediaError) -> Bool {
        try seek(to: time)
        return false
    }

    package func keyframeIndex(of track: AssetTrack) -> KeyframeIndex { KeyframeIndex() }
}

extension Demuxer {
    /// For assets without subtitles.
    package func makeSubtitleDecoder(
        for track: AssetTrack
    ) throws(MediaError) -> any SubtitleDecoder {
        throw MediaError(
            .unsupportedCodec, subject: description.container,
            cause: "there is no decoder for its subtitles")
    }

    package var transfer: TransferMonitor? { nil }
    package var limits: MediaLimits { MediaLimits() }
}
