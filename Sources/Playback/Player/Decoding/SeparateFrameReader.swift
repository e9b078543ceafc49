// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

/// A reader of single frames of a video track that plays in addition to the first video track.
///
/// If the track has ended long ago, or has a long gap, the packets at the playhead do not yield the
/// frame that is due: the last frame of the track, or the frame before the gap. A decoder also
/// withholds the last frames before a gap. This reader gets such frames with a demuxer and a
/// decoder of its own, so that the other tracks are not read again.
///
/// - Concurrency: one thread.
final class SeparateFrameReader {
    /// The maximum size of the frames that are read at once: more than a decoder keeps.
    private static let byteLimit = FrameQueue.byteLimit * 4
    /// The distance to go back for a frame, if the keyframes of the track are not known.
    private static let longestLead = MediaTime(value: 64, timescale: 1)

    /// The maximum number of groups of pictures that are read at once.
    private static let groupLimit = 4

    private let host: any VideoDecodingHost
    private let track: AssetTrack
    private let reading: GenerationCancellation
    private var reader: (frames: FrameGroupReader, keyframes: [MediaTime])?
    private var hasFailed = false

    init(host: any VideoDecodingHost, track: AssetTrack) {
        self.host = host
        self.track = track
        reading = GenerationCancellation(packets: host.packets)
    }

    /// Returns the frame that is due at a time, and the frames after it that begin before `limit`.
    func frames(from time: MediaTime, before limit: MediaTime, generation: Int) -> [VideoFrame] {
        reading.begin(generation)
        guard host.followsAnotherTrack, !host.isKnownEmpty(at: time), let reader = open() else {
            return []
        }
        defer { if reader.frames.isInterrupted { self.reader = nil } }
        let due = time + FrameQueue.tolerance
        var frames: [VideoFrame] = []
        for _ in 0..<Self.groupLimit {
            let first = frames.first?.presentationTime ?? limit
            // Packets are in decoding order, so packets from behind a gap may be among those before
            // it.
            guard frames.isEmpty || first > due else { break }
            if let keyframe = reader.keyframes.first, keyframe >= first { break }
            let group = reader.frames.frames(
                before: first, detail: .all, isUrgent: true, byteLimit: Self.byteLimit)
            if group.isEmpty { break }
            frames = group + frames
        }
        let start = frames.lastIndex { $0.presentationTime <= due }
        return Array(frames[(start ?? 0)...])
    }

    private func open() -> (frames: FrameGroupReader, keyframes: [MediaTime])? {
        if let reader { return reader }
        // A source that can be read only once has no second reader.
        guard !hasFailed, let demuxer = try? host.openDemuxer(reading.cancellation),
            let decoder = try? demuxer.makeVideoDecoder(for: track)
        else {
            hasFailed = !reading.isOver
            return nil
        }
        let keyframes = demuxer.keyframeIndex(of: track).times
        // Errors of the track are reported by the thread that plays it.
        let frames = FrameGroupReader(
            demuxer: demuxer, track: track, decoder: decoder, report: { _ in },
            isOver: { [reading] in reading.isOver })
        if keyframes.isEmpty { frames.longestLead = Self.longestLead }
        reader = (frames, keyframes)
        return reader
    }
}
