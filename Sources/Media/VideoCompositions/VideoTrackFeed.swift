// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

/// A reader that returns the frames of one video track by time. It has its own demuxer and decoder,
/// so a track that is not needed for a while does not delay the others.
///
/// Requests are fastest if their times ascend. For an earlier time, or one far ahead, the reader
/// seeks.
///
/// - Concurrency: one thread at a time; calls block while they read and decode.
final class VideoTrackFeed {
    private let reader: AssetReader
    private let output: AssetReaderTrackOutput<VideoFrame>
    /// A Boolean value that indicates whether a frame ends after its duration, rather than when the
    /// next frame starts. This is the case for compositions, which may have gaps.
    private let hasExactDurations: Bool
    /// The last frame that has begun, and the one after it.
    private var current: VideoFrame?
    private var following: VideoFrame?
    private var hasEnded = false
    /// The time from which all frames have been read since the last seek.
    private var start: MediaTime

    /// The maximum distance to a later time that is reached by reading. For a time further ahead,
    /// the reader seeks.
    private static let longestReading = MediaTime(value: 4, timescale: 1)

    init(
        asset: Asset, trackID: Int, from time: MediaTime, cancellation: Cancellation
    ) throws(MediaError) {
        reader = try AssetReader(
            asset: asset, timeRange: MediaTimeRange(start: time, duration: .positiveInfinity),
            cancellation: cancellation)
        output = try reader.addVideoOutput(trackID: trackID, includesPictureAtStart: true)
        hasExactDurations = reader.description.container == "composition"
        start = time
    }

    /// Returns the frame that is shown at a time; nil if the track shows nothing at that time.
    func frame(at time: MediaTime) throws(MediaError) -> VideoFrame? {
        try move(to: time)
        guard let current, let end = shownEnd(of: current) else { return nil }
        return time + VideoFrame.timeTolerance < end ? current : nil
    }

    /// Returns two times: the end of the frame that is shown at `time`, or nil if no frame is
    /// shown; and the start of the first frame after `time`, or nil if there is no later frame.
    func surroundings(
        of time: MediaTime
    ) throws(MediaError) -> (end: MediaTime?, next: MediaTime?) {
        let end = try frame(at: time).flatMap(shownEnd)
        return (end, following?.presentationTime)
    }

    /// Returns a Boolean value that indicates whether the track has no frame after a time.
    func isOver(at time: MediaTime) throws(MediaError) -> Bool {
        let (end, next) = try surroundings(of: time)
        return end == nil && next == nil
    }

    /// Reads until it is known which frame is the last to begin at or before a time.
    private func move(to time: MediaTime) throws(MediaError) {
        let limit = time + VideoFrame.timeTolerance
        let reached = following?.presentationTime ?? current?.presentationTime ?? start
        let isBehind = time < start || current.map { limit < $0.presentationTime } ?? false
        if isBehind || (time - reached > Self.longestReading && !hasEnded) {
            reader.restart(
                timeRange: MediaTimeRange(start: time, duration: .positiveInfinity))
            (current, following, hasEnded, start) = (nil, nil, false, time)
        }
        while !hasEnded {
            if let next = following {
                guard next.presentationTime <= limit else { return }
                (current, following) = (next, nil)
            }
            following = try next()
            hasEnded = following == nil
        }
    }

    /// Returns the next frame that begins later than the current frame.
    private func next() throws(MediaError) -> VideoFrame? {
        while let frame = try output.copyNextSampleBuffer() {
            guard frame.presentationTime.isNumeric else { continue }
            if let current, frame.presentationTime <= current.presentationTime { continue }
            return frame
        }
        return nil
    }

    /// Returns the time at which a frame is no longer shown.
    private func shownEnd(of frame: VideoFrame) -> MediaTime? {
        let own = frame.presentationTime + frame.duration
        if hasExactDurations, own.isNumeric {
            return min(own, following?.presentationTime ?? own)
        }
        if let following { return following.presentationTime }
        if output.track.isAttachedPicture { return .positiveInfinity }
        let known = [own, output.track.timeRange.end, reader.description.end].filter(\.isNumeric)
        return known.max() ?? .positiveInfinity
    }
}
