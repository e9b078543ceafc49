// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// An object that reads the subtitles of one track, forwards from any time.
///
///     let reader = try SubtitleReader(asset: film, trackID: 3)
///     try reader.seek(to: time)
///     while let step = try reader.read() { show(step.cues) }
///
/// - Concurrency: one thread at a time; blocks on files and networks.
/// - Errors: `MediaError`.
/// - Corresponds to: an `AVAssetReader` with a track output of legible media.
package final class SubtitleReader: @unchecked Sendable {
    // Unchecked: only one thread at a time uses the object.

    /// One step of reading: the progress, and the subtitles that were read since the previous step.
    package struct Step: Sendable {
        /// The time that reading has reached; `invalid` if unknown. All subtitles that start
        /// earlier have been read.
        package var time: MediaTime
        /// The subtitles that were read, in the order of their times.
        package var cues: [SubtitleCue]
        /// The reason why a packet could not be decoded; nil if there was no error.
        package var error: MediaError?
    }

    /// The styles and fonts that the track's lines share.
    package let script: SubtitleScript
    /// The limits on the subtitles that are read.
    package let limits: SubtitleLimits
    /// The conversion of times in a file that counts frames without stating a rate; nil for other
    /// files.
    package let frameCount: SubtitleFrameCount?
    /// The frame rate of the video, for `frameCount`; 0 if unknown.
    package var frameRate = 0.0
    private let demuxer: any Demuxer
    private let decoder: any SubtitleDecoder
    private let track: AssetTrack
    private let leading: AssetTrack?
    private let pilot: AssetTrack?
    /// A Boolean value that indicates whether the end was reached and the last subtitles were
    /// returned.
    private var isFinished = false

    /// Creates a reader.
    ///
    /// - Parameter trackID: The number of the track; nil for the first subtitle track.
    package init(
        asset: Asset, trackID: Int? = nil, cancellation: Cancellation = Cancellation()
    ) throws(MediaError) {
        let opened = try asset.openDemuxer(cancellation: cancellation)
        let description = opened.description
        let tracks = description.tracks.filter { $0.mediaType.isLegible }
        guard let track = tracks.first(where: { trackID == nil || $0.id == trackID }) else {
            throw MediaError(
                .noPlayableTracks, subject: asset.subject,
                cause: tracks.isEmpty ? "it has no subtitles" : "it has no such subtitle track",
                remedy: "choose another file or track")
        }
        self.track = track
        frameCount = SubtitleFrameCount(description, track)
        let separate = try opened.makeSubtitleDemuxer(for: track)
        demuxer = separate ?? opened
        decoder = try demuxer.makeSubtitleDecoder(for: track)
        script = decoder.script
        limits = demuxer.limits.subtitles
        leading =
            separate != nil
            ? nil : description.preferredTrack(of: .video) ?? description.preferredTrack(of: .audio)
        // This is a track whose packets show the progress of reading while there is no subtitle for
        // a long time. Files with an index are read from subtitle to subtitle and do not need it.
        // Captions in a video have a packet for each of its frames.
        pilot =
            separate != nil || description.container.hasPrefix("mov,") || track.captions != nil
            ? nil : description.preferredTrack(of: .audio) ?? leading
        select(pilot)
    }

    private func select(_ other: AssetTrack?) {
        demuxer.selectTracks(Set([track.id, other?.id ?? track.id]))
    }

    /// Seeks to a time. The subtitles that begin at or after that time are read next.
    package func seek(to time: MediaTime) throws(MediaError) {
        // The video determines the point at which reading the file can begin.
        select(leading)
        try demuxer.seek(to: max(time, demuxer.description.startTime))
        select(pilot)
        decoder.flush()
        isFinished = false
    }

    /// Reads the next step; nil at the end.
    package func read() throws(MediaError) -> Step? {
        guard let packet = try demuxer.readPacket() else {
            guard !isFinished else { return nil }
            isFinished = true
            let cues = decoder.finish()
            return cues.isEmpty ? nil : Step(time: .invalid, cues: cues)
        }
        var step = Step(time: packet.presentationTime, cues: [])
        guard packet.trackID == track.id else { return step }
        do {
            step.cues = try decoder.decode(packet)
            if let frameCount {
                for index in step.cues.indices {
                    let range = step.cues[index].timeRange
                    step.cues[index].timeRange = MediaTimeRange(
                        start: frameCount.time(range.start, frameRate: frameRate),
                        end: frameCount.time(range.end, frameRate: frameRate))
                }
            }
        } catch {
            step.error = error
        }
        if let pending = decoder.pendingStart, step.time.isNumeric {
            step.time = min(step.time, pending)
        }
        return step
    }
}
