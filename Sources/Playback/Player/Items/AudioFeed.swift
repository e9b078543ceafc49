// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadTime
import Synchronization

/// An audio track that plays in addition to the selected audio track of an item, with its lane in
/// the packet queue and its renderer.
///
/// - Concurrency: any thread.
final class AudioFeed: AudioDecodingHost {
    let track: AssetTrack
    /// The key of the lane in the packet queue.
    let lane: Int
    let renderer: AudioRenderer
    private let flushed = Atomic(0)
    private let hasEnded = Atomic(false)
    /// The pipeline of the item. Like the decoding threads, this object retains the pipeline until
    /// the item is closed.
    private let pipeline: any DecodingHost

    init(_ track: AssetTrack, lane: Int, renderer: AudioRenderer, pipeline: any DecodingHost) {
        self.track = track
        self.lane = lane
        self.renderer = renderer
        self.pipeline = pipeline
    }

    /// Returns whether enough audio has been decoded to start at a time, or no more audio will be
    /// decoded.
    func isPrimed(at time: MediaTime, generation: Int) -> Bool {
        guard flushed.load(ordering: .acquiring) == generation else { return false }
        if hasEnded.load(ordering: .acquiring) { return true }
        return renderer.isPrimed(at: renderer.soundTime(at: time))
            || pipeline.packets.hasNothingToCome(lane: lane)
    }

    /// Returns whether audio has been decoded up to `lead` after the audible position, or no more
    /// audio will be decoded.
    func hasAudio(ahead lead: MediaTime, generation: Int) -> Bool {
        guard flushed.load(ordering: .acquiring) == generation else { return false }
        return hasEnded.load(ordering: .acquiring)
            || renderer.hasAudio(ahead: lead, at: timebase.time)
            || pipeline.packets.hasNothingToCome(lane: lane)
    }

    /// Returns whether audio that is heard has been decoded for a time after `time`.
    func hasAudio(after time: MediaTime, generation: Int) -> Bool {
        flushed.load(ordering: .acquiring) == generation && !renderer.isMuted
            && renderer.bufferedTimeRange.end > time
    }

    /// The time at which the decoded audio ends although more is expected; nil if no more is
    /// expected.
    var dryTime: MediaTime? {
        guard !hasEnded.load(ordering: .acquiring), !renderer.isMuted else { return nil }
        if case .failed = renderer.sink.status { return nil }
        let end = renderer.enqueuedEnd
        return end.isNumeric ? end : nil
    }

    // MARK: Interface of the thread

    var timebase: Timebase { pipeline.timebase }
    var packets: PacketQueue { pipeline.packets }
    var audioLane: Int? { lane }
    var audioTrack: AssetTrack? { track }

    func report(_ error: MediaError) { pipeline.report(error, track: track.id) }
    func noteDecoded() { pipeline.noteDecoded() }
    func landingTime(generation: Int) -> MediaTime? { pipeline.landingTime(generation: generation) }
    func reversal(of generation: Int) -> Reversal? { pipeline.reversal(of: generation) }
    func openReader(_ cancellation: Cancellation) throws(MediaError) -> AssetReader {
        try pipeline.openReader(cancellation)
    }
    func waitWhileSilent(generation: Int) -> Bool {
        pipeline.waitWhileSilent(generation: generation)
    }
    func audioRanDry() { pipeline.post(.look) }
    func audioAdvanced() { pipeline.audioAdvanced() }

    func audioFlushed(generation: Int) {
        hasEnded.store(false, ordering: .relaxed)
        flushed.store(generation, ordering: .releasing)
    }

    func audioEnded(at end: MediaTime, generation: Int) {
        hasEnded.store(true, ordering: .releasing)
        pipeline.post(.furtherAudioEnded(track: track.id, at: end, generation: generation))
        pipeline.post(.look)
    }
}
