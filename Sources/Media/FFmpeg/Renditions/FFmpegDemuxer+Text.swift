// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

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

    /// Opens the stream again at a part between two discontinuities, and returns the difference
    /// between the times of the timeline and the timestamps of the part.
    ///
    /// - Parameters:
    ///   - number: The number of discontinuities before the part.
    ///   - time: A time in the part, or near it.
    /// - Returns: The difference; nil if the part is not listed or has no timestamps.
    func offset(ofPart number: Int64, near time: MediaTime) throws(MediaError) -> MediaTime? {
        func sequence(in timeline: LiveTimeline?) -> Int64? {
            guard let timeline else { return nil }
            let near = timeline.sequence(at: time)
            if timeline[near]?.discontinuity == number { return near }
            return timeline.segments.firstIndex { $0.discontinuity == number }
                .map { timeline.firstSequence + Int64($0) }
        }
        interrupt.begin()
        var wanted = sequence(in: live.newestTimeline ?? live.segments)
        if wanted == nil, isLive {
            try context.reloadPlaylist()
            wanted = sequence(in: live.timeline)
        }
        guard let wanted else { return nil }
        clearPending()
        try reopen(at: .segment(wanted))
        guard let (first, _) = context.reading.beginning, context.firstTimestamp != nil,
            live.segments?[first]?.discontinuity == number
        else { return nil }
        align(first)
        return continuity?.offset(ofTrack: 0)
    }
}
