// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// The subtitles of an HLS stream, which are in files of their own.
extension FFmpegDemuxer {
    /// Adds a track for each rendition of subtitles. Their numbers follow those of the streams.
    func addTextRenditions() {
        textRenditions = context.textRenditions
        for (index, rendition) in textRenditions.enumerated() {
            description.tracks.append(
                rendition.track(id: streamCount + index, like: description))
        }
    }

    func makeSubtitleDemuxer(for track: AssetTrack) throws(MediaError) -> (any Demuxer)? {
        let index = track.id - streamCount
        guard textRenditions.indices.contains(index) else { return nil }
        return TextRenditionDemuxer(textRenditions[index], track, of: self)
    }
}
