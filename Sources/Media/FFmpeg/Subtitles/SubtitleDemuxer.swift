// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers

/// A demuxer of subtitles alone. No caller requests a decoder of video or audio from it.
protocol SubtitleDemuxer: Demuxer {}

extension SubtitleDemuxer {
    /// Does nothing: most sources of subtitles have one track.
    func selectTracks(_ identifiers: Set<Int>) {}

    func makeVideoDecoder(
        for track: AssetTrack, pool: (any PixelBufferPool)?
    ) throws(MediaError) -> any VideoDecoder { preconditionFailure("it has subtitles only") }

    func makeAudioDecoder(
        for track: AssetTrack, format: AudioFormat
    ) throws(MediaError) -> any AudioDecoder { preconditionFailure("it has subtitles only") }
}
