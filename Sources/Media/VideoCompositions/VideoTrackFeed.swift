// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

/// The frames of one video track by time, with a demuxer and a decoder of its own: tracks of which
/// one is not needed for a while do not hold up each other.
///
/// Times in rising order cost least; others, and those far ahead, are sought.
///
/// - Concurrency: one thread at a time; calls block for reading and decoding.
final class VideoTrackFeed {
    private let reader: AssetReader
    private let output: AssetReaderTrackOutput<VideoFrame>
    /// A Boolean value that indicates whether frames end with their durations, rather than with the
    /// next frame: a composition can show nothing.
    private let hasExactDurations: Bool
    /// The last frame that began, and the one after it.
    private var current: VideoFrame?
    private var following: VideoFrame?
    private var hasEnded = false
    /// The time from which frames are known.
    private var start: MediaTime

    /// The distance beyond which a later time is sought instead of read up to.
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

    /// Returns the frame on display at a time; nil if the track shows nothing then.
    func frame(at time: MediaTime) throws(MediaError) -> VideoFrame? {
        try move(to: time)
        guard let current, let end = shownEnd(of: current) else { return nil }
        return time + VideoFrame.timeTolerance < end ? current : nil
    }

    /// Returns the end of the frame on display at a time, if there is one, and the begin of the
    /// first frame after that time; nil after the last.
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

    /// Reads until the last frame is known that begins at or before a time.
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

    /// Returns the next frame whose time does not step back.
    private func next() throws(MediaError) -> VideoFrame? {
        while let frame = try output.copyNextSampleBuffer() {
            guard frame.presentationTime.isNumeric else { continue }
            if let current, frame.presentationTime <= current.presentationTime { continue }
            return frame
        }
        return nil
    }

    /// Returns the end of a frame's display.
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
