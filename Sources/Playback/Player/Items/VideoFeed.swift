// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Synchronization

/// A video track that plays in addition to the first video track of an item, with its lane in the
/// packet queue and its frame queue.
///
/// The first track leads: the demuxer seeks to the keyframes of the first track, which determine
/// where a seek lands. After a seek, this track is shown from the time at which the first track has
/// landed.
///
/// - Concurrency: any thread.
final class VideoFeed: VideoDecodingHost {
    let track: AssetTrack
    /// The key of the lane in the packet queue.
    let lane: Int
    let frames: FrameQueue
    let scrubbed = ScrubCache()
    let recentFrames = RecentFrameBudget()
    /// A Boolean value that indicates whether outputs receive the frames of the track.
    let isEnabled = Atomic(true)
    private let flushed = Atomic(-1)
    /// The last generation in which the track was found to have a gap.
    private let gap = Atomic(-1)
    /// The number of errors since a frame was last decoded.
    private let failureCount = Atomic(0)
    /// The pipeline of the item. Like the decoding threads, this object retains the pipeline until
    /// the item is closed.
    private let pipeline: any DecodingHost
    private let hasReverseThread = Atomic(false)
    private let extent: FrameExtent

    /// The number of errors after which playback does not wait for the track.
    private static let failureLimit = 8

    /// The minimum duration of a gap in the track. Playback does not wait for the track during such
    /// a gap.
    private static let shortestGap = MediaTime(value: 1, timescale: 5)

    init(_ track: AssetTrack, lane: Int, extent: FrameExtent, pipeline: any DecodingHost) {
        frames = FrameQueue(extent: extent)
        self.extent = extent
        self.track = track
        self.lane = lane
        self.pipeline = pipeline
    }

    /// Returns whether there is a frame of a generation, or whether it is certain that there is no
    /// frame for now.
    func hasFrame(generation: Int) -> Bool {
        guard flushed.load(ordering: .acquiring) == generation else { return false }
        return frames.hasFrameOrEnd || isEmpty(generation)
    }

    /// Returns whether enough has been decoded to start at a time, or no more will be decoded.
    func isPrimed(at time: MediaTime, generation: Int) -> Bool {
        guard flushed.load(ordering: .acquiring) == generation else { return false }
        return frames.isPrimed(at: time) || isEmpty(generation)
    }

    /// Returns whether decoding waits for the playhead, or has nothing to decode.
    func isAhead(generation: Int) -> Bool {
        guard flushed.load(ordering: .acquiring) == generation else { return false }
        return frames.isFullOrEnded(at: timebase.time) || isEmpty(generation)
    }

    /// Returns whether no frame is expected.
    private func isEmpty(_ generation: Int) -> Bool {
        if gap.load(ordering: .acquiring) == generation,
            pipeline.packets.isPassedOver(lane: lane)
        {
            return true
        }
        return failureCount.load(ordering: .relaxed) >= Self.failureLimit
            || isKnownEmpty(at: timebase.time)
    }

    /// The time at which the decoded frames end although more are expected; nil if no more are
    /// expected.
    var dryTime: MediaTime? {
        guard !frames.hasEnded, !isKnownEmpty(at: timebase.time),
            failureCount.load(ordering: .relaxed) < Self.failureLimit
        else { return nil }
        let end = frames.end
        return end.isNumeric ? end : nil
    }

    /// Starts the thread for reverse playback, unless it has been started.
    func startReverseThread() {
        guard !hasReverseThread.exchange(true, ordering: .relaxed) else { return }
        _ = WorkerThread(name: "ph-reverse") { ReverseDecodeLoop(host: self).run() }
    }

    // MARK: Interface of the threads

    var timebase: Timebase { pipeline.timebase }
    var packets: PacketQueue { pipeline.packets }
    var followsAnotherTrack: Bool { true }
    var visibleEnd: MediaTime { pipeline.visibleEnd }
    var videoTrack: AssetTrack? { track }
    var reverseEnd: MediaTime { pipeline.reverseEnd }

    /// Reports the events that concern other objects. All other events are reported by the first
    /// track only.
    func post(_ event: TransportEvent) -> Bool {
        switch event {
        case .look, .repeatSeek(.fartherBack, _), .readAgain: return pipeline.post(event)
        case .videoAdvanced(_, let generation):
            pipeline.furtherVideoAdvanced(track: track.id, generation: generation)
            return false
        default: return false
        }
    }

    func note(_ event: TransportEvent) -> Bool { false }

    func report(_ error: MediaError) {
        failureCount.wrappingAdd(1, ordering: .relaxed)
        pipeline.report(error, track: track.id)
    }

    func noteDecoded() {
        failureCount.store(0, ordering: .relaxed)
        pipeline.noteDecoded()
    }

    /// Returns a seek to the time at which the seek of the first track lands, once that time is
    /// certain.
    func move(of generation: Int) -> Seek? {
        failureCount.store(0, ordering: .relaxed)
        let landing = pipeline.landingTime(generation: generation)
        flushed.store(generation, ordering: .releasing)
        guard let landing else { return nil }
        if isKnownEmpty(at: landing) { frames.releaseHeld(generation: generation) }
        let performed = pipeline.move(of: generation)
        var seek = Seek(target: landing)
        seek.generation = generation
        seek.decodesAll = true
        seek.leadTime = performed?.leadTime ?? .zero
        // A frame before the target is searched for only if the first track searches for one too.
        seek.followsTimeline =
            performed.map { $0.followsTimeline || $0.toleranceAfter > .zero } ?? true
        return seek
    }

    func mayBeginEarlier(_ generation: Int, target: MediaTime) -> Bool {
        pipeline.isSeeking(generation) && !isKnownEmpty(at: target)
    }

    func isKnownEmpty(at time: MediaTime) -> Bool {
        let end = time + Self.shortestGap
        if case .frames = extent, track.timeRange.end.isNumeric, time >= track.timeRange.end {
            return true
        }
        return track.segments.contains { segment in
            let range = segment.timeMapping.target
            return segment.isEmpty && range.start <= time && end <= range.end
        }
    }

    func noteGap(generation: Int) {
        // Frames from before the seek are no longer shown.
        frames.releaseHeld(generation: generation)
        gap.store(generation, ordering: .releasing)
    }

    func videoEnded(at end: MediaTime, generation: Int) {
        pipeline.post(.furtherVideoEnded(track: track.id, at: end, generation: generation))
        pipeline.post(.look)
    }

    func show(_ frame: VideoFrame, onTheWayTo target: MediaTime, generation: Int) {}
    func showKept(generation: Int) {}
    func hasStartedLate(generation: Int) -> Bool { false }
    func openDemuxer(_ cancellation: Cancellation) throws(MediaError) -> any Demuxer {
        try pipeline.openDemuxer(cancellation)
    }
    func nextReversal(after generation: Int) -> Reversal? {
        pipeline.nextReversal(after: generation)
    }
    func waitAtStart(generation: Int) { pipeline.waitAtStart(generation: generation) }
}
