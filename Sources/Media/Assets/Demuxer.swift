// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
package import PlayheadTime

/// Reads the packets of an asset's tracks.
///
/// - Concurrency: one thread at a time, not bound to a particular one; its calls block on files and
///   networks. `Sendable` so that it can be opened on one thread and read on another. The decoders
///   that it creates are independent of it and of each other.
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

    /// Returns the next packet of a selected track in the container's order, or nil at the end.
    ///
    /// - Throws: An error if the data is damaged so that reading cannot continue. Damage that can
    ///   be skipped is skipped.
    func readPacket() throws(MediaError) -> MediaPacket?

    /// Seeks to the last point at or before `time` from which every selected track can be decoded,
    /// or to the first such point of all.
    func seek(to time: MediaTime) throws(MediaError)

    /// Seeks like `seek(to:)`. But if that point is before `earliest`, and the first such point
    /// after `time` is known and not after `latest`, it seeks to the latter.
    ///
    /// - Returns: A Boolean value that indicates whether the point is after `time`.
    func seek(
        to time: MediaTime, notBefore earliest: MediaTime, notAfter latest: MediaTime
    ) throws(MediaError) -> Bool

    /// Returns the keyframes of a track that the container is known to list so far.
    func keyframeIndex(of track: AssetTrack) -> KeyframeIndex

    /// Sets the preference for the variants of a stream, which applies from the next keyframe on.
    func prefer(_ variants: VariantPreference)

    /// Creates a decoder for a video track of this asset.
    ///
    /// - Parameter pool: The pool that provides the memory of frames. If it is nil or has none
    ///   available, plain memory is used.
    func makeVideoDecoder(
        for track: AssetTrack, pool: (any PixelBufferPool)?
    ) throws(MediaError) -> any VideoDecoder

    /// Creates a decoder for an audio track of this asset that returns audio in `format`, resampled
    /// and mixed to its channels if necessary.
    func makeAudioDecoder(
        for track: AssetTrack, format: AudioFormat
    ) throws(MediaError) -> any AudioDecoder

    /// A decoder for a subtitle track of this asset.
    func makeSubtitleDecoder(for track: AssetTrack) throws(MediaError) -> any SubtitleDecoder

    /// Returns the parameters of a track's compressed samples, in the form that a muxer of the same
    /// library takes, or nil if its samples cannot be stored as they are.
    func sampleParameters(of track: AssetTrack) -> (any AnyObject & Sendable)?
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

    /// For assets whose samples only their own decoders read.
    package func sampleParameters(of track: AssetTrack) -> (any AnyObject & Sendable)? { nil }

    package var transfer: TransferMonitor? { nil }
    package var limits: MediaLimits { MediaLimits() }
}
