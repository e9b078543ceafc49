// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Synchronization

/// What an item's video decoding thread does: packets in, frames into the queue, and after a seek
/// everything before its target out.
///
/// States: *showing* (`seek` is nil), in which every frame goes into the queue, and *reaching*, in
/// which frames are decoded but not shown until the target is there. A seek's target stands still;
/// when decoding has fallen behind the playhead, the playhead itself becomes the target.
///
/// A seek comes as a *flush*, after which everything begins anew at a keyframe, or as a *redirection*,
/// after which the newest frames are gone through again, and decoding goes on where it stands. A seek
/// of many shows frames while it is reaching: the nearest that are still known, then the keyframe, as
/// soon as it can be decoded, then those on the way; none that is farther from the target than what
/// is seen.
final class VideoDecodeLoop {
    /// How far behind the playhead decoding may fall before it catches up without showing anything.
    private static let latenessLimit = MediaTime(value: 1, timescale: 10)
    /// While it does not catch up, one frame in so many is shown, so that the picture does not stand.
    private static let withheldLimit = 12
    /// How many frames are remembered that are shown, or will be: those of the queue, the one that waits
    /// for room there, and the one before the visible one, for a step back. Six frames of 1080p.
    private static let shownLimit = FrameQueue.frameLimit + 2
    private static let shownByteLimit = FrameQueue.byteLimit / 5 * 8
    /// How many while a target is being reached that was asked for.
    private static let passedLimit = 24
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
    /// When the frame begins that went into the queue last.
    private var lastPushed: MediaTime?
    private var clock: FrameTimer
    /// What came out of the decoder since the last flush, as far as it is remembered.
    private var recent = RecentFrames()
    /// Whether a hand scrubs, and may come back to what is decoded.
    private var keepsFrames = false
    /// When the newest keyframes begin that were sent to the decoder.
    private var keyframes: [MediaTime] = []
    private var isRedirected = false
    private var wantsKeyframeShown = false
    /// Whether packets are being left out that the next ones need.
    private var isLeavingOut = false
    private var skipping = KeyframeSkipping()
    /// Whether the decoder has been told of the end, and takes nothing more before a flush.
    private var hasEnded = false

    init(pipeline: ItemPipeline, track: AssetTrack, decoder: any VideoDecoder) {
        self.pipeline = pipeline
        self.track = track
        self.decoder = decoder
        clock = FrameTimer(track: track)
    }

    func run() {
        while true {
            switch pipeline.packets.next(track: track.id) {
            case .closed: return
            case .flush(let generation): begin(generation)
            case .redirect(let generation): redirect(generation)
            case .packet where hasEnded: pipeline.readAgain(generation: generation)
            case .packet(let packet):
                if leavesOut(packet) { continue }
                if packet.isKeyframe { note(keyframe: packet) }
                let isSkipped = isSkippable(packet)
                decoder.skipsNonReferenceFrames = isSkipped
                clock.note(packet, isSkipped: isSkipped)
                decode(packet)
            case .ranDry: pipeline.evaluate()
            case .endOfStream:
                hasEnded = true
                decode(nil)
                finish()
            }
        }
    }

    private func begin(_ generation: Int) {
        decoder.flush()
        take(up: generation)
        clock = FrameTimer(track: track)
        keyframes = []
        isRedirected = false
        isLeavingOut = false
        hasEnded = false
        recent = RecentFrames()
        wantsKeyframeShown = seek?.isScrub ?? false
    }

    /// Takes up the seek of a generation.
    private func take(up generation: Int) {
        self.generation = generation
        candidates = []
        isCatchingUp = false
        withheldCount = 0
        lastPushed = nil
        skipping = KeyframeSkipping()
        seek = pipeline.control.withLock { $0.move?.generation == generation ? $0.move : nil }
        keepsFrames = seek?.isScrub ?? false
        if keepsFrames, !clock.isUnsure { for frame in recent.frames { keep(frame) } }
        if keepsFrames { pipeline.showKept(generation: generation) }
    }

    /// Keeps a frame for a hand that scrubs, unless its time may be wrong.
    private func keep(_ frame: VideoFrame) {
        if !clock.isUnsure { pipeline.scrubbed.keep(frame) }
    }

    /// Goes on for a seek that decoding leads to from where it stands.
    private func redirect(_ generation: Int) {
        take(up: generation)
        isRedirected = true
        receive { remember($0) }
        guard let seek = reachedSeek else { return }
        guard !isLeavingOut, let index = indexToShow(at: seek.target) else {
            pipeline.repeatSeek(generation: generation) { _ in }
            return
        }
        for frame in recent.frames[index...] {
            guard !pipeline.packets.isOutdated(generation) else { return }
            consider(frame.anew)
        }
    }

    /// The number of the recent frame that is shown at a time, or after which it comes; nil where
    /// frames were left out there, or a keyframe that has been sent leads there sooner.
    private func indexToShow(at time: MediaTime) -> Int? {
        let limit = time + FrameQueue.tolerance
        // Frames on the way to a later target are missing after this one.
        if clock.hasSkipped(after: limit, upTo: .positiveInfinity) { return nil }
        guard let index = recent.index(at: time) else {
            return recent.frames.isEmpty && keyframes.count == 1 && keyframes[0] <= time ? 0 : nil
        }
        let start = recent.frames[index].presentationTime
        if keyframes.contains(where: { $0 > start && $0 <= limit }) { return nil }
        // Of those that come next it is not known yet which are left out.
        let isLast = index == recent.frames.count - 1
        let isWhole = isLast || !clock.hasSkipped(after: start, upTo: limit)
        return isWhole ? index : nil
    }

    private func note(keyframe packet: MediaPacket) {
        guard packet.presentationTime.isNumeric else { return }
        if keyframes.count == Self.passedLimit * 2 { keyframes.removeFirst() }
        keyframes.append(packet.presentationTime)
        if recent.frames.isEmpty {
            pipeline.videoReaches(from: packet.presentationTime, generation: generation)
        }
        if wantsKeyframeShown {
            wantsKeyframeShown = false
            if let seek { show(packet, onTheWayOf: seek) }
        }
    }

    /// Decodes a keyframe by itself and shows it: sooner than it would come among others, since
    /// decoders with several threads hold back as many frames.
    private func show(_ packet: MediaPacket, onTheWayOf seek: Seek) {
        let time = packet.presentationTime
        let isTarget = packet.duration.isNumeric && time + packet.duration > seek.target
        guard !isTarget,
            pipeline.frames.wouldShow(
                frameAt: time, onTheWayTo: seek.target, generation: generation)
        else { return }
        decoder.skipsNonReferenceFrames = false
        defer { decoder.flush() }
        do {
            try decoder.send(packet)
            try decoder.send(nil)
            guard var frame = try decoder.receive() else { return }
            pipeline.noteDecoded()
            frame.presentationTime = time
            pipeline.show(frame, onTheWayTo: seek.target, generation: generation)
        } catch {
            // It is decoded again, and then reported.
        }
    }

    /// Whether a packet is not decoded at all, since decoding has fallen too far behind. Where it
    /// begins anew, what it shows there is shown at once.
    private func leavesOut(_ packet: MediaPacket) -> Bool {
        switch skipping.advance(to: packet) {
        case .decodes: return false
        case .leavesOut: return true
        case .beginsToLeaveOut:
            isLeavingOut = true
            pipeline.videoReaches(from: nil, generation: generation)
            pipeline.showsApproximately(generation: generation, until: .positiveInfinity)
            return true
        case .beginsAnew:
            decoder.flush()
            isLeavingOut = false
            recent = RecentFrames()
            keyframes = []
            clock = FrameTimer(track: track)
            withheldCount = Self.withheldLimit
            // Being exact is given up, even for a start that was declared.
            isCatchingUp = seek != nil
            candidates = []
            pipeline.showsApproximately(
                generation: generation, until: packet.presentationTime)
            return false
        }
    }

    /// Whether a packet's frame is over before the first one that is shown. A packet without a time
    /// may be anywhere.
    private func isSkippable(_ packet: MediaPacket) -> Bool {
        // Frames before the first one that has a time are counted back from it.
        guard packet.presentationTime.isNumeric, packet.duration.isNumeric,
            !keyframes.isEmpty || clock.end.isNumeric,
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
        receive { take($0) }
    }

    /// Takes what the decoder has ready, unless a newer generation has begun.
    private func receive(_ take: (VideoFrame) -> Void) {
        while !pipeline.packets.isOutdated(generation) {
            do {
                guard let frame = try decoder.receive() else { return }
                pipeline.noteDecoded()
                for frame in clock.time(frame) { take(frame) }
            } catch {
                pipeline.report(error)
            }
        }
    }

    private func take(_ frame: VideoFrame) {
        remember(frame)
        consider(frame)
    }

    private func remember(_ frame: VideoFrame) {
        let byteLimit = pipeline.recentByteLimit.load(ordering: .relaxed)
        if seek == nil || isCatchingUp {
            recent.append(
                frame, atMost: Self.shownLimit, byteLimit: min(byteLimit, Self.shownByteLimit))
        } else {
            recent.append(frame, atMost: Self.passedLimit, byteLimit: byteLimit)
        }
        pipeline.recentByteCount.store(recent.byteCount, ordering: .relaxed)
        if keepsFrames, pipeline.timebase.rate != 0 { keepsFrames = false }
        if keepsFrames { keep(frame) }
        pipeline.videoReaches(
            from: isLeavingOut ? nil : recent.first?.presentationTime, generation: generation)
    }

    private func consider(_ frame: VideoFrame) {
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
        } else if seek.accepts(from: frame.presentationTime, to: clock.end(of: frame)) {
            land(at: frame, of: seek)
        } else if seek.followsTimeline {
            withhold(frame, seek)
        } else {
            hold(frame, atMost: 1)
            if seek.isScrub, !clock.isUnsure {
                pipeline.show(frame.anew, onTheWayTo: seek.target, generation: generation)
            }
        }
    }

    /// A frame that the playhead has passed: one in so many is shown.
    private func withhold(_ frame: VideoFrame, _ seek: Seek) {
        guard withheldCount >= Self.withheldLimit else {
            withheldCount += 1
            hold(frame, atMost: 1)
            return
        }
        withheldCount = 0
        if isCatchingUp {
            candidates = []
            push(frame)
        } else {
            hold(frame, atMost: 1)
            skipping.note(lateness: seek.target - clock.end(of: frame))
            pipeline.show(frame.anew, onTheWayTo: seek.target, generation: generation)
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
        if !seek.decodesAll, seek.skipLimit != nil,
            (clock.isUnsure && !isCatchingUp)
                || clock.hasSkipped(
                    after: (hasPassed ? before : frame)?.presentationTime ?? lastPushed,
                    upTo: seek.target)
        {
            // The frame that is due was left out, since by its duration it was over; or perhaps.
            if decodeAgain(next: frame?.presentationTime) { return }
        }
        reach()
        if let shown, seek.isEarlyLanding(shown.presentationTime) {
            pipeline.land(at: shown.presentationTime, generation: generation)
        }
        if hasPassed, let before { push(before) }
        if let frame { push(frame) }
    }

    /// Has the frame decoded that was left out though it is due until the next one. Not while merely
    /// catching up with a playhead that has run ahead, since that would stop sound as well: then
    /// another picture is seen until the next one, and only a pause brings the right one.
    private func decodeAgain(next: MediaTime?) -> Bool {
        if isCatchingUp {
            if pipeline.repeatJump(generation: generation) { return true }
            pipeline.showsApproximately(generation: generation, until: next ?? .positiveInfinity)
            return false
        }
        let isRedirected = isRedirected
        pipeline.repeatSeek(generation: generation) { $0.decodesAll = !isRedirected }
        return true
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
        // There are no frames before these: what is left of the steps back leads nowhere.
        if candidates.count < seek.framesBefore { pipeline.endStepsBack(generation: generation) }
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
        lastPushed = frame.presentationTime
        let now = pipeline.timebase.time
        let lateness = now - clock.end(of: frame)
        skipping.note(lateness: lateness)
        if lateness > Self.latenessLimit {
            var seek = Seek(target: now)
            seek.followsTimeline = true
            self.seek = seek
            isCatchingUp = true
        }
        pipeline.videoAdvanced(to: clock.end(of: frame), generation: generation)
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
