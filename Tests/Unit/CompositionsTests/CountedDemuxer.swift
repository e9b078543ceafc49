// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

/// A demuxer that is counted as long as it is open.
final class CountedDemuxer: Demuxer {
    private let demuxer: any Demuxer
    private let open: OpenCounter

    init(_ demuxer: any Demuxer, _ open: OpenCounter) {
        self.demuxer = demuxer
        self.open = open
        open.note()
    }

    deinit { open.remove() }

    var description: AssetDescription { demuxer.description }

    func selectTracks(_ identifiers: Set<Int>) { demuxer.selectTracks(identifiers) }

    func readPacket() throws(MediaError) -> MediaPacket? { try demuxer.readPacket() }

    func seek(to time: MediaTime) throws(MediaError) { try demuxer.seek(to: time) }

    func makeVideoDecoder(
        for track: AssetTrack, pool: (any PixelBufferPool)?
    ) throws(MediaError) -> any VideoDecoder {
        try demuxer.makeVideoDecoder(for: track, pool: pool)
    }

    func makeAudioDecoder(
        for track: AssetTrack, format: AudioFormat
    ) throws(MediaError) -> any AudioDecoder {
        try demuxer.makeAudioDecoder(for: track, format: format)
    }
}
