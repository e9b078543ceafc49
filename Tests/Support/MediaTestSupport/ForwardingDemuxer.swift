// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
package import PlayheadBuffers
package import PlayheadTime

/// A demuxer that passes calls on to another one, apart from those that it implements itself.
package protocol ForwardingDemuxer: Demuxer {
    /// The demuxer that receives the calls.
    var base: any Demuxer { get }
}

extension ForwardingDemuxer {
    package var description: AssetDescription { base.description }

    package func selectTracks(_ identifiers: Set<Int>) { base.selectTracks(identifiers) }

    package func readPacket() throws(MediaError) -> MediaPacket? { try base.readPacket() }

    package func seek(to time: MediaTime) throws(MediaError) { try base.seek(to: time) }

    package func makeVideoDecoder(
        for track: AssetTrack, pool: (any PixelBufferPool)?
    ) throws(MediaError) -> any VideoDecoder {
        try base.makeVideoDecoder(for: track, pool: pool)
    }

    package func makeAudioDecoder(
        for track: AssetTrack, format: AudioFormat
    ) throws(MediaError) -> any AudioDecoder {
        try base.makeAudioDecoder(for: track, format: format)
    }
}
