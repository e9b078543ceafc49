// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers

/// A demuxer that parses the subtitles of its only track itself. Its packets have the payload
/// `CuePayload`.
protocol SubtitleDemuxer: Demuxer {
    /// The styles and fonts that the subtitles share.
    var script: SubtitleScript { get }
}

extension SubtitleDemuxer {
    func selectTracks(_ identifiers: Set<Int>) {}

    func makeSubtitleDecoder(for track: AssetTrack) throws(MediaError) -> any SubtitleDecoder {
        CueDecoder(script)
    }

    func makeVideoDecoder(
        for track: AssetTrack, pool: (any PixelBufferPool)?
    ) throws(MediaError) -> any VideoDecoder { preconditionFailure("it has subtitles only") }

    func makeAudioDecoder(
        for track: AssetTrack, format: AudioFormat
    ) throws(MediaError) -> any AudioDecoder { preconditionFailure("it has subtitles only") }
}
