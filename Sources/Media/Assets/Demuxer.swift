// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
package import PlayheadTime

/// An object that reads the packets of an asset's tracks.
///
/// - Concurrency: one thread at a time, which may be a different one for each call. Calls block on
///   files and networks. The protocol is `Sendable` so that a demuxer can be opened on one thread
///   and read on another. The decoders that it creates are independent of it and of each other.
/// - Corresponds to: FFmpeg's `AVFormatContext`. AVFoundation has no public equivalent.
package protocol Demuxer: AnyObject, Sendable {
    /// The description that was found when the asset was opened.
    var description: AssetDescription { get }

    /// The monitor of the asset's transfer; nil if nothing is transferred.
    var transfer: TransferMonitor? { get }

    /// The monitor of a live stream; nil for other assets.
    var liveMonitor: LiveMonitor? { get }

    /// The times at which a live source delivers its media, if playback follows them; nil for media
    /// that is loaded ahead.
    var arrivalMonitor: ArrivalMonitor? { get }

    /// The limits on the resources that the asset may use.
    var limits: MediaLimits { get }

    /// A Boolean value that indicates whether the source is a pipe, which can only be read
    /// forwards.
    var isReadOnce: Bool { get }

    /// Selects the tracks whose packets `readPacket` returns. The packets of other tracks are
    /// skipped at little cost.
    func selectTracks(_ identifiers: Set<Int>)

    /// Returns the next packet of a selected track in the container's order, or nil at the end.
    ///
    /// - Throws: An error if the data is so damaged that reading cannot continue. Smaller damage is
    ///   skipped.
    func readPacket() throws(MediaError) -> MediaPacket?

    /// Seeks to the last point at or before `time` from which every selected track can be decoded.
    /// If there is no such point, seeks to the first point from which this is possible.
    func seek(to time: MediaTime) throws(MediaError)

    /// Seeks like `seek(to:)`, with one exception. If the point at or before `time` is earlier than
    /// `earliest`, and the next point after `time` is known and not later than `latest`, seeks to
    /// the next point.
    ///
    /// - Returns: A Boolean value that indicates whether the demuxer is at the next point.
    func seek(
        to time: MediaTime, notBefore earliest: MediaTime, notAfter latest: MediaTime
    ) throws(MediaError) -> Bool

    /// Returns the keyframes of a track, as far as the container lists them and the list is known.
    func keyframeIndex(of track: AssetTrack) -> KeyframeIndex

    /// Sets the preference that selects a variant of a stream. It applies from the next keyframe
    /// on.
    func prefer(_ variants: VariantPreference)

    /// Waits at the end of a file that is still being written, and reports its growth by
    /// `liveMonitor`. A player calls it before it reads; other readers end at the current end.
    func followGrowth()

    /// Loads the playlist of a live stream again, or measures a file that is being written, so that
    /// `liveMonitor` is up to date although nothing is read. If that fails, the window stays as it
    /// is.
    func reloadPlaylist()

    /// Puts the timed metadata that is read into `inbox`, while it is wanted there.
    func deliverTimedMetadata(to inbox: TimedMetadataInbox)

    /// A Boolean value that indicates whether `resume` can continue after an error although there
    /// is no live window.
    var canResume: Bool { get }

    /// Continues a live stream after reading has failed. Packets follow those that were read last.
    func resume() throws(MediaError)

    /// Creates a decoder for a video track of this asset.
    ///
    /// - Parameter pool: The pool that provides the memory of frames. If the pool is nil or has no
    ///   memory available, plain memory is used.
    func makeVideoDecoder(
        for track: AssetTrack, pool: (any PixelBufferPool)?
    ) throws(MediaError) -> any VideoDecoder

    /// Creates a decoder for an audio track of this asset. The decoder returns audio in `format`;
    /// it resamples and mixes channels if necessary.
    func makeAudioDecoder(
        for track: AssetTrack, format: AudioFormat
    ) throws(MediaError) -> any AudioDecoder

    /// Creates a decoder for a subtitle track of this asset.
    func makeSubtitleDecoder(for track: AssetTrack) throws(MediaError) -> any SubtitleDecoder

    /// Returns a demuxer for a subtitle track whose subtitles are in files of their own; nil if
    /// `readPacket` returns them. The demuxer reads on the thread that would read this one.
    func makeSubtitleDemuxer(for track: AssetTrack) throws(MediaError) -> (any Demuxer)?

    /// Returns the parameters of a track's compressed samples, in the form that a muxer of the same
    /// library accepts. Returns nil if the samples cannot be stored unchanged.
    func sampleParameters(of track: AssetTrack) -> (any AnyObject & Sendable)?
}

extension Demuxer {
    /// Does nothing. This default is for assets without variants.
    package func prefer(_ variants: VariantPreference) {}

    /// Does nothing. This default is for assets that are not files.
    package func followGrowth() {}

    /// Does nothing. This default is for assets that are not live streams.
    package func reloadPlaylist() {}

    /// Does nothing. This default is for assets without timed metadata.
    package func deliverTimedMetadata(to inbox: TimedMetadataInbox) {}

    /// Does nothing. This default is for assets that are not live streams.
    package func resume() throws(MediaError) {}

    /// Creates a decoder for a video track of this asset. The decoder uses plain memory for frames.
    package func makeVideoDecoder(for track: AssetTrack) throws(MediaError) -> any VideoDecoder {
        try makeVideoDecoder(for: track, pool: nil)
    }

    /// Seeks like `seek(to:)`. This default is for containers without an index, for which no later
    /// point is known.
    package func seek(
        to time: MediaTime, notBefore earliest: MediaTime, notAfter latest: MediaTime
    ) throws(MediaError) -> Bool {
        try seek(to: time)
        return false
    }

    package func keyframeIndex(of track: AssetTrack) -> KeyframeIndex { KeyframeIndex() }
}

extension Demuxer {
    /// Throws an error. This default is for assets without subtitles.
    package func makeSubtitleDecoder(
        for track: AssetTrack
    ) throws(MediaError) -> any SubtitleDecoder {
        throw MediaError(
            .unsupportedCodec, subject: description.container,
            cause: "there is no decoder for its subtitles")
    }

    /// Returns nil. This default is for assets that consist of one file.
    package func makeSubtitleDemuxer(
        for track: AssetTrack
    ) throws(MediaError) -> (any Demuxer)? { nil }

    /// Returns nil. This default is for assets whose samples only their own decoders can read.
    package func sampleParameters(of track: AssetTrack) -> (any AnyObject & Sendable)? { nil }

    package var transfer: TransferMonitor? { nil }
    package var liveMonitor: LiveMonitor? { nil }
    package var arrivalMonitor: ArrivalMonitor? { nil }
    package var isReadOnce: Bool { false }
    package var canResume: Bool { false }
    package var limits: MediaLimits { MediaLimits() }
}
