// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime

/// Reads the sound of one track, one run after another: for tools that have all the time they need.
///
/// Sound that cannot be decoded is left out and counted; the times of the buffers then show a gap.
///
/// - Concurrency: one thread at a time; calls block for reading and decoding.
/// - Errors: as `AssetReader`.
/// - Corresponds to: `AVAssetReader` with an audio track output.
public final class AssetAudioReader {
    /// The asset, as it was found on opening.
    public let description: AssetDescription
    /// The track that is read.
    public let track: AssetTrack
    /// How many packets could not be decoded so far.
    public var decodeErrorCount: Int { loop.errorCount }
    /// Why the last of them could not.
    public var lastDecodeError: MediaError? { loop.lastError }

    private let demuxer: any Demuxer
    private let decoder: any AudioDecoder
    private let loop: DecodingLoop<AudioBuffer>

    /// Opens an asset for reading.
    ///
    /// - Parameters:
    ///   - trackID: an audio track; the preferred one when nil.
    ///   - format: what the sound is converted to.
    ///   - cancellation: ends blocking calls soon once cancelled, by an error.
    public init(
        asset: Asset, trackID: Int? = nil, format: AudioFormat,
        cancellation: Cancellation = Cancellation()
    ) throws(MediaError) {
        demuxer = try asset.openDemuxer(cancellation: cancellation)
        description = demuxer.description
        let tracks = description.tracks(of: .audio)
        let chosen =
            trackID.map { id in tracks.first { $0.id == id } }
            ?? description.preferredTrack(of: .audio)
        guard let track = chosen else {
            throw MediaError(
                .noPlayableTracks, subject: asset.subject,
                cause: trackID.map { "it has no audio track \($0)" } ?? "it has no sound",
                remedy: tracks.isEmpty
                    ? "use a file that has"
                    : "use one of \(tracks.map { String($0.id) }.joined(separator: ", "))")
        }
        self.track = track
        demuxer.selectTracks([track.id])
        let decoder = try demuxer.makeAudioDecoder(for: track, format: format)
        self.decoder = decoder
        loop = DecodingLoop(demuxer: demuxer, send: decoder.send, receive: decoder.receive)
    }

    /// The next run of sound; nil after the last.
    public func nextBuffer() throws(MediaError) -> AudioBuffer? { try loop.next() }

    /// Moves to the sound at `time`, or to some before it: containers are not sought to the sample.
    public func seek(to time: MediaTime) throws(MediaError) {
        try demuxer.seek(to: time)
        decoder.flush()
        loop.restart()
    }
}
