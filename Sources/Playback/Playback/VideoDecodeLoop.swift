// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime

/// What an item's video decoding thread does: packets in, frames into the queue, and after a seek
/// everything before its target out.
///
/// States: *showing* (`seek` is nil), in which every frame goes into the queue, and *reaching*, in
/// which frames are decoded but not shown until the target is there. A seek's target stands still;
/// when decoding has fallen behind the playhead, the playhead itself becomes the target.
final class VideoDecodeLoop {
    /// How far behind the playhead decoding may fall before it catches up without showing anything.
    private static let latenessLimit = MediaTime(value: 1, timescale: 10)
    /// While it does not catch up, one frame in so many is shown, so that the picture does not stand.
    private static let withheldLimit = 12
    /// The longest way back that is tried at once for the frame before another.
    private static let longestLead = MediaTime(value: 64, timescale: 1)

    private let pipeline: ItemPipeline
    private let track: AssetTrack
    private let decoder: any VideoDecoder
    private var generation = 0
    /// What is being reached.
    private var seek: Seek?
    /// Whether `seek` was begun here, to catch up, and not asked for.
    private var isCatchingUp = false
    /// The newest frames before the target, as many as may have to be shown: one, or for steps
    /// backwards as many as there are steps.
    private var candidates: [VideoFrame] = []
    private var withheldCount = 0
    private var clock: FrameTimer
    private var skipping = KeyframeSkipping()

    init(pipeline: ItemPipeline, track: AssetTrack, decoder: any VideoDecoder) {
        self.pipeline = pipeline
        self.track = track
        self.decoder = decoder
        clock = FrameTimer(frameDuration: track.frameDuration)
    }

    func run() {
        while true {
            switch pipeline.packets.next(track: track.id) {
            case .closed: return
            case .flush(let generation): begin(generation)
            case .packet(let packet):
                if leavesOut(packet) { continue }
                let isSkipped = isSkippable(packet)
                decoder.skipsNonReferenceFrames = isSkipped
                clock.note(packet, isSkipped: isSkipped)
                decode(packet)
            case .endOfStream:
                decode(nil)
                finish()
            }
        }
    }

    private func begin(_ generation: Int) {
        decoder.flush()
        self.generation = generation
        candidates = []
        isCatchingUp = false
        withheldCount = 0
        skipping = KeyframeSkipping()
        clock = FrameTimer(frameDuration: track.frameDuration)
        seek = pipeline.control.withLock { $0.seek?.generation == generation ? $0.seek : nil }
    }

    /// Whether a packet is not decoded at all, since decoding has fallen too far behind. Where it
    /// begins anew, what it shows there is shown at once.
    private func leavesOut(_ packet: MediaPacket) -> Bool {
        switch skipping.advance(to: packet) {
        case .decodes: return false
        case .leavesOut: return true
        case .beginsToLeaveOut:
            pipeline.showsApproximately(generation: generation, until: .positiveInfinity)
            return true
        case .beginsAnew:
            decoder.flush()
            clock = FrameTimer(frameDuration: track.frameDuration)
            withheldCount = Self.withheldLimit
            candidates = []
            pipeline.showsApproximately(
                generation: generation, until: packet.presentationTime)
            return false
        }
    }

    /// Whether a packet's frame is over before the first one that is shown. A packet without a time
    /// may be anywhere.
    private func isSkippable(_ packet: MediaPacket) -> Bool {
        guard packet.presentationTime.isNumeric, packet.duration.isNumeric,
            let limit = reachedSeek?.skipLimit
        else { return false }
        return packet.presentationTime + packet.duration <= limit
    }

    /// The seek with its target where it is now.
    private var reachedSeek: Seek? {
        guard var seek else { return nil }
        if seek.followsTimeline { seek.target = max(seek.target, pipeline.timebase.time) }
        // At the end that playback was given, the last frame before it is shown.
        let end = pipeline.control.withLock { $0.ending.visibleEnd }
        if end.isNumeric, seek.framesBefore == 0 {
            seek.target = min(seek.target, end - FrameQueue.tolerance * Int32(2))
        }
        return seek
    }

    private func decode(_ packet: MediaPacket?) {
        do {
            try decoder.send(packet)
        } catch {
            pipeline.report(error)
        }
        while !pipeline.packets.isOutdated(generation) {
            do {
                guard let frame = try decoder.receive() else { return }
                for frame in clock.time(frame) { take(frame) }
            } catch {
                pipeline.report(error)
            }
        }
    }

    private func take(_ frame: VideoFrame) {
        guard !pipeline.packets.isOutdated(generation) else { return }
        guard let seek = reachedSeek else {
            push(frame)
            return
        }
        if seek.framesBefore > 0 {
            if frame.presentationTime + FrameQueue.tolerance >= seek.target {
                landOnStep(seek, next: frame)
            } else {
                hold(frame, atMost: seek.framesBefore)
            }
        } else if seek.accepts(from: frame.presentationTime, to: clock.end(of: frame))
            || withheldCount >= Self.withheldLimit
        {
            land(at: frame, of: seek)
        } else {
            hold(frame, atMost: 1)
            if seek.followsTimeline { withheldCount += 1 }
        }
    }

    private func hold(_ frame: VideoFrame, atMost count: Int) {
        if candidates.count == count {
            candidates.removeFirst()
            if isCatchingUp { pipeline.frames.countSkipped() }
        }
        candidates.append(frame)
    }

    /// The target has been reached with `frame`, or passed: then the frame before is shown there.
    /// At the end of the stream there is no frame any more.
    private func land(at frame: VideoFrame?, of seek: Seek) {
        let hasPassed =
            frame.map { $0.presentationTime > seek.target + FrameQueue.tolerance } ?? true
        let before = candidates.last
        let shown = hasPassed ? before ?? frame : frame
        if pipeline.hasStartedLate(generation: generation) {
            landLate(on: shown, of: seek)
            return
        }
        if !isCatchingUp, !seek.decodesAll, seek.skipLimit != nil,
            clock.hasSkipped(
                after: (hasPassed ? before : frame)?.presentationTime, upTo: seek.target)
        {
            // The frame that is due was left out, since by its duration it was over.
            pipeline.repeatSeek(generation: generation) { $0.decodesAll = true }
            return
        }
        reach()
        if let shown, seek.isEarlyLanding(shown.presentationTime) {
            pipeline.land(at: shown.presentationTime, generation: generation)
        }
        if hasPassed, let before { push(before) }
        if let frame { push(frame) }
    }

    /// Decoding began after the target: `frame` is the first there is.
    private func landLate(on frame: VideoFrame?, of seek: Seek) {
        guard let frame, seek.toleratesLate(frame.presentationTime) else {
            // The keyframe was near enough, but it could not be decoded.
            pipeline.repeatSeek(generation: generation) { seek in
                seek.toleranceAfter = .zero
                seek.startsLate = false
            }
            return
        }
        reach()
        pipeline.land(at: frame.presentationTime, generation: generation)
        push(frame)
    }

    /// The frame from which steps go back has been reached, or the end of the stream.
    private func landOnStep(_ seek: Seek, next frame: VideoFrame?) {
        let start = track.timeRange.start.isNumeric ? track.timeRange.start : .zero
        if candidates.count < seek.framesBefore, seek.demuxerTarget > start,
            seek.leadTime < Self.longestLead
        {
            // Too few frames lie between the keyframe and here: begin further back.
            pipeline.repeatSeek(generation: generation) { seek in
                seek.leadTime = max(seek.leadTime * Int32(4), MediaTime(value: 1, timescale: 2))
            }
            return
        }
        let frames = candidates + (frame.map { [$0] } ?? [])
        reach()
        if let first = frames.first {
            pipeline.land(at: first.presentationTime, generation: generation)
        }
        for frame in frames { push(frame) }
    }

    /// From here on frames are shown.
    private func reach() {
        seek = nil
        isCatchingUp = false
        withheldCount = 0
        candidates = []
    }

    private func push(_ frame: VideoFrame) {
        let result = pipeline.frames.push(
            frame, generation: generation, timebase: pipeline.timebase)
        guard result == .stored else { return }
        let now = pipeline.timebase.time
        let lateness = now - clock.end(of: frame)
        skipping.note(lateness: lateness)
        if lateness > Self.latenessLimit {
            var seek = Seek(target: now)
            seek.followsTimeline = true
            self.seek = seek
            isCatchingUp = true
        }
        pipeline.videoAdvanced(generation: generation)
    }

    private func finish() {
        for frame in clock.finish() { take(frame) }
        guard !pipeline.packets.isOutdated(generation) else { return }
        // The stream ended before the target: its last frame is what is shown there.
        if let seek = reachedSeek {
            if seek.framesBefore > 0 {
                landOnStep(seek, next: nil)
            } else {
                land(at: nil, of: seek)
            }
        }
        guard !pipeline.packets.isOutdated(generation) else { return }
        pipeline.frames.finish(generation: generation)
        pipeline.videoEnded(at: clock.end, generation: generation)
    }
}
