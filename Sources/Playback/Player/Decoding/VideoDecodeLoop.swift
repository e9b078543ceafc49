// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Synchronization

/// The loop of an item's video decoding thread. It takes packets from the queue and fills the frame
/// queue. After a seek, it discards all frames before the target.
///
/// It has two states. In *showing* (`seek` is nil), every frame is added to the queue. In
/// *reaching*, frames are decoded but not shown until the target is reached. The target of a seek
/// is constant. If decoding has fallen behind the playhead, the playhead itself becomes the target.
///
/// A seek arrives in one of two forms. After a *flush*, everything restarts at a keyframe. After a
/// *redirection*, the newest frames are examined again, and decoding continues. A scrubbing seek
/// also shows frames while it is reaching: first the nearest known frames, then the keyframe as
/// soon as it can be decoded, then frames on the way. It never shows a frame that is farther from
/// the target than the visible one.
final class VideoDecodeLoop {
    /// The number of remembered frames that are shown or will be shown: those in the queue, one
    /// that waits for space in it, and the one before the visible frame, for a step back. Their
    /// size is limited to six frames of 1080p.
    private static let shownLimit = FrameQueue.frameLimit + 2
    private static let shownByteLimit = FrameQueue.byteLimit / 5 * 8
    /// The number of frames that are remembered while a requested target is being reached.
    private static let passedLimit = 24
    /// The lead time from which a seek is not repeated from an earlier position. A seek is repeated
    /// if decoding began too late to find the frames that it needs.
    private static let longestLead = MediaTime(value: 64, timescale: 1)

    private let host: any VideoDecodingHost
    private let lane: Int
    private let track: AssetTrack
    private var decoder: any VideoDecoder
    /// The decoder, if its frames can become outdated.
    private var exchangeable: (any ExchangeableVideoDecoder)?
    private var generation = 0
    /// The seek whose target is being reached.
    private var seek: Seek?
    /// While it is active, `seek` was begun here, and was not requested.
    private var catchingUp = CatchingUp()
    /// The newest frames before the target that may have to be shown: one frame or, for steps back,
    /// as many as there are steps.
    private var candidates: [VideoFrame] = []
    /// The beginning of the last frame that was added to the queue.
    private var lastPushed: MediaTime?
    private var clock: FrameTimestamper
    /// The remembered frames: the newest of those that the decoder has output since the last flush.
    private var recent = RecentFrames()
    /// A Boolean value that indicates whether the user is scrubbing, and may return to decoded
    /// frames.
    private var keepsFrames = false
    /// The end of the cached frames before the target, which need not be decoded again for a user
    /// who turns back; nil if there are too few.
    private var cachedEnd: MediaTime?
    /// The times of the newest keyframes that were sent to the decoder.
    private var keyframes: [MediaTime] = []
    private var isRedirected = false
    private var wantsKeyframeShown = false
    /// The latest time of a packet since the last flush.
    private var lastPacketTime: MediaTime?
    private let separateReader: SeparateFrameReader
    /// The last frame that was read separately. The decoder may output it later.
    private var separate: (start: MediaTime, end: MediaTime)?
    /// A Boolean value that indicates whether the decoder was notified of the end of the stream. It
    /// then accepts no packets until it is flushed.
    private var hasEnded = false

    /// - Parameter lane: The lane of the packet queue to read.
    init(
        host: any VideoDecodingHost, lane: Int, track: AssetTrack, decoder: any VideoDecoder
    ) {
        self.host = host
        self.lane = lane
        self.track = track
        self.decoder = decoder
        exchangeable = decoder as? any ExchangeableVideoDecoder
        clock = FrameTimestamper(track: track)
        separateReader = SeparateFrameReader(host: host, track: track)
    }

    func run() {
        while true {
            switch host.packets.next(track: lane) {
            case .closed: return
            case .flush(let generation): begin(generation)
            case .redirect(let generation): redirect(generation)
            case .packet where hasEnded: host.post(.readAgain(generation: generation))
            case .packet(let packet):
                if let decoder = host.takeNewDecoder() { use(decoder) }
                if packet.presentationTime.isNumeric {
                    lastPacketTime = max(lastPacketTime ?? .zero, packet.presentationTime)
                }
                if leavesOut(packet) { continue }
                if packet.isKeyframe { note(keyframe: packet) }
                let isSkipped = isSkippable(packet)
                decoder.skipsNonReferenceFrames = isSkipped
                clock.note(packet, isSkipped: isSkipped)
                decode(packet)
            case .ranDry:
                showWithheld()
                host.post(.look)
            case .passedOver:
                showFramesBeforeGap()
                host.noteGap(generation: generation)
                host.post(.look)
            case .endOfStream:
                hasEnded = true
                decode(nil)
                finish()
            }
        }
    }

    private func use(_ decoder: any VideoDecoder) {
        self.decoder = decoder
        exchangeable = decoder as? any ExchangeableVideoDecoder
    }

    private func begin(_ generation: Int) {
        take(up: generation)
        // Seeks to and fro decode a long group of pictures only once.
        decoder.flush(
            resumingBefore: skipLimit,
            byteLimit: host.recentFrames.positionByteLimit.load(ordering: .relaxed))
        clock = FrameTimestamper(track: track)
        keyframes = []
        isRedirected = false
        catchingUp.flush()
        hasEnded = false
        lastPacketTime = nil
        separate = nil
        recent = RecentFrames()
        wantsKeyframeShown = seek?.isScrub ?? false
    }

    /// Begins the seek of a generation.
    private func take(up generation: Int) {
        self.generation = generation
        candidates = []
        lastPushed = nil
        catchingUp.restart()
        seek = host.move(of: generation)
        keepsFrames = seek?.isScrub ?? false
        if keepsFrames, !clock.isUnsure { for frame in recent.frames { keep(frame) } }
        cachedEnd = nil
        if keepsFrames, let seek {
            cachedEnd = host.scrubbed.end(ofFramesFrom: seek.target - Seek.cachedMargin)
            host.showKept(generation: generation)
        }
    }

    /// Adds a frame to the scrubbing cache, unless its time may be wrong.
    private func keep(_ frame: VideoFrame) {
        if !clock.isUnsure { host.scrubbed.keep(frame) }
    }

    /// Performs a seek whose target is reached by decoding on from the current position.
    private func redirect(_ generation: Int) {
        take(up: generation)
        isRedirected = true
        receive { remember($0) }
        guard let seek = reachedSeek else { return }
        guard !catchingUp.isLeavingOut, let index = indexToShow(at: seek.target) else {
            host.post(.repeatSeek(.none, generation: generation))
            return
        }
        for frame in recent.frames[index...] {
            guard !host.packets.isOutdated(generation) else { return }
            consider(frame.shownAgain)
        }
    }

    /// Returns the index of the recent frame that is shown at a time, or that precedes that time.
    /// Returns nil if frames were skipped there, or if decoding from a keyframe that was sent to
    /// the decoder reaches that time sooner.
    private func indexToShow(at time: MediaTime) -> Int? {
        let limit = time + FrameQueue.tolerance
        // Frames that were skipped on the way to a later target are missing after this frame.
        if clock.hasSkipped(after: limit, upTo: .positiveInfinity) { return nil }
        guard let index = recent.index(at: time) else {
            return recent.frames.isEmpty && keyframes.count == 1 && keyframes[0] <= time ? 0 : nil
        }
        let start = recent.frames[index].presentationTime
        if keyframes.contains(where: { $0 > start && $0 <= limit }) { return nil }
        // For frames after this one, it is not known yet which are skipped.
        let isLast = index == recent.frames.count - 1
        let isWhole = isLast || !clock.hasSkipped(after: start, upTo: limit)
        return isWhole ? index : nil
    }

    private func note(keyframe packet: MediaPacket) {
        guard packet.presentationTime.isNumeric else { return }
        if keyframes.count == Self.passedLimit * 2 { keyframes.removeFirst() }
        keyframes.append(packet.presentationTime)
        if recent.frames.isEmpty {
            host.note(.videoReaches(packet.presentationTime, generation: generation))
        }
        if wantsKeyframeShown {
            wantsKeyframeShown = false
            if let seek { show(packet, onTheWayOf: seek) }
        }
    }

    /// Decodes a keyframe by itself and shows it. That is faster than decoding it together with the
    /// packets that follow, because a decoder with n threads delays its output by n frames.
    private func show(_ packet: MediaPacket, onTheWayOf seek: Seek) {
        let time = packet.presentationTime
        let isTarget = packet.duration.isNumeric && time + packet.duration > seek.target
        guard !isTarget,
            host.frames.wouldShow(
                frameAt: time, onTheWayTo: seek.target, generation: generation)
        else { return }
        decoder.skipsNonReferenceFrames = false
        defer { decoder.flush() }
        do {
            try decoder.send(packet)
            try decoder.send(nil)
            guard var frame = try decoder.receive() else { return }
            host.noteDecoded()
            frame.presentationTime = time
            host.show(frame, onTheWayTo: seek.target, generation: generation)
        } catch {
            // The keyframe is decoded again later, and an error is reported then.
        }
    }

    /// Returns whether a packet is skipped because decoding has fallen too far behind.
    private func leavesOut(_ packet: MediaPacket) -> Bool {
        switch catchingUp.take(packet, hasTarget: seek != nil) {
        case .decodes: return false
        case .leavesOut: return true
        case .beginsToLeaveOut:
            host.note(.videoReaches(nil, generation: generation))
            host.post(.approximate(until: .positiveInfinity, generation: generation))
            return true
        case .beginsAnew:
            decoder.flush()
            recent = RecentFrames()
            keyframes = []
            clock = FrameTimestamper(track: track)
            candidates = []
            host.post(.approximate(until: packet.presentationTime, generation: generation))
            return false
        }
    }

    /// Returns whether the frame of a packet ends before the first frame that is shown. A packet
    /// without a time may be anywhere.
    private func isSkippable(_ packet: MediaPacket) -> Bool {
        // Frames before the first frame that has a time get times that are counted back from it.
        guard packet.presentationTime.isNumeric, packet.duration.isNumeric,
            !keyframes.isEmpty || clock.end.isNumeric,
            let limit = skipLimit
        else { return false }
        return packet.presentationTime + packet.duration <= limit
    }

    /// The time up to which frames are not needed; nil if all are needed.
    private var skipLimit: MediaTime? {
        guard let seek = reachedSeek, let limit = seek.skipLimit else { return nil }
        return cachedEnd.map { max(limit, min($0, seek.target - seek.toleranceBefore)) } ?? limit
    }

    /// The seek, with its target adjusted: to the timebase's current time if the seek follows the
    /// timeline, and to the last frame before the end of playback if an end is set; nil without a
    /// seek.
    private var reachedSeek: Seek? {
        guard var seek else { return nil }
        if seek.followsTimeline { seek.target = max(seek.target, host.timebase.time) }
        // At the end of playback that was set, the last frame before it is shown.
        let end = host.visibleEnd
        if end.isNumeric, seek.framesBefore == 0 {
            seek.target = min(seek.target, end - FrameQueue.tolerance * Int32(2))
        }
        return seek
    }

    private func decode(_ packet: MediaPacket?) {
        do {
            try decoder.send(packet)
        } catch {
            host.report(error)
        }
        receive { take($0) }
    }

    /// Receives the frames that the decoder has available, unless a newer generation has begun.
    private func receive(_ take: (VideoFrame) -> Void) {
        while !host.packets.isOutdated(generation) {
            do {
                guard let frame = try decoder.receive() else { return }
                host.noteDecoded()
                for frame in clock.time(frame) { take(frame) }
            } catch {
                host.report(error)
            }
        }
    }

    private func take(_ frame: VideoFrame) {
        remember(frame)
        consider(frame)
    }

    private func remember(_ frame: VideoFrame) {
        let byteLimit = host.recentFrames.byteLimit.load(ordering: .relaxed)
        if seek == nil || catchingUp.isActive {
            recent.append(
                frame, atMost: Self.shownLimit, byteLimit: min(byteLimit, Self.shownByteLimit))
        } else {
            recent.append(frame, atMost: Self.passedLimit, byteLimit: byteLimit)
        }
        host.recentFrames.byteCount.store(recent.byteCount, ordering: .relaxed)
        if keepsFrames, host.timebase.rate != 0 { keepsFrames = false }
        if keepsFrames { keep(frame) }
        host.note(
            .videoReaches(
                catchingUp.isLeavingOut ? nil : recent.first?.presentationTime,
                generation: generation))
    }

    private func consider(_ frame: VideoFrame) {
        guard !host.packets.isOutdated(generation) else { return }
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
                host.show(frame.shownAgain, onTheWayTo: seek.target, generation: generation)
            }
        }
    }

    /// Handles a frame that the playhead has passed. Only one in several such frames is shown.
    private func withhold(_ frame: VideoFrame, _ seek: Seek) {
        switch catchingUp.pass(lateness: seek.target - clock.end(of: frame)) {
        case .withhold: hold(frame, atMost: 1)
        case .show:
            candidates = []
            push(frame)
        case .showOnTheWay:
            hold(frame, atMost: 1)
            host.show(frame.shownAgain, onTheWayTo: seek.target, generation: generation)
        }
    }

    /// Shows the newest frame that the playhead has passed, because the next one may arrive late.
    private func showWithheld() {
        guard let frame = candidates.last, catchingUp.runDry() else { return }
        candidates = []
        push(frame)
    }

    private func hold(_ frame: VideoFrame, atMost count: Int) {
        if candidates.count == count {
            candidates.removeFirst()
            if catchingUp.isActive { host.frames.countSkipped() }
        }
        candidates.append(frame)
    }

    /// Handles the arrival of `frame`, the first frame at or beyond the target. If it is beyond the
    /// target, the previous frame is shown at the target. At the end of the stream, `frame` is nil.
    private func land(at frame: VideoFrame?, of seek: Seek) {
        let hasPassed =
            frame.map { $0.presentationTime > seek.target + FrameQueue.tolerance } ?? true
        let before = candidates.last
        let shown = hasPassed ? before ?? frame : frame
        if host.hasStartedLate(generation: generation) {
            landLate(on: shown, of: seek)
            return
        }
        if !seek.decodesAll, seek.skipLimit != nil,
            (clock.isUnsure && !catchingUp.isActive)
                || clock.hasSkipped(
                    after: (hasPassed ? before : frame)?.presentationTime ?? lastPushed,
                    upTo: seek.target)
        {
            // The frame that is due was skipped, or may have been skipped, because it seemed to end
            // before the target.
            if decodeAgain(next: frame?.presentationTime) { return }
        }
        if hasPassed, before == nil, !catchingUp.isActive, !seek.followsTimeline,
            seek.toleranceAfter == .zero, canRecover(at: frame, of: seek), beginEarlier(seek)
        {
            // The packets at the target are damaged. The frame before them is shown at the target,
            // unless a frame after the target is acceptable.
            return
        }
        if hasPassed, before == nil, !catchingUp.isActive {
            let others = separateFrames(from: seek.target, before: frame?.presentationTime)
            if !others.isEmpty {
                reach()
                show(separate: others)
                if let frame { push(frame) }
                return
            }
        }
        reach()
        if let shown, seek.isEarlyLanding(shown.presentationTime) {
            host.post(.land(at: shown.presentationTime, generation: generation))
        }
        if hasPassed, let before { push(before) }
        if let frame { push(frame) }
    }

    /// Returns whether a frame before `frame` may be obtained by decoding from an earlier keyframe.
    private func canRecover(at frame: VideoFrame?, of seek: Seek) -> Bool {
        // The frames of a track that has ended are read separately, which costs less than reading
        // all tracks again.
        if host.followsAnotherTrack { return frame != nil }
        return keyframes.contains { $0 <= seek.target }
    }

    /// Decodes from a keyframe again in order to show a frame that was skipped but is due. While
    /// decoding catches up with a playhead that has run ahead, this is done only after a declared
    /// start, because it would stop audio as well. If it is not done, a wrong frame stays visible
    /// until the next frame, and only a pause shows the right frame.
    private func decodeAgain(next: MediaTime?) -> Bool {
        if catchingUp.isActive {
            if host.post(.repeatJump(generation: generation)) { return true }
            host.post(.approximate(until: next ?? .positiveInfinity, generation: generation))
            return false
        }
        let isRedirected = isRedirected
        host.post(.repeatSeek(.decodingAll(!isRedirected), generation: generation))
        return true
    }

    /// Lands at `frame`, the first frame that was decoded. Decoding began after the target.
    private func landLate(on frame: VideoFrame?, of seek: Seek) {
        let current = host.move(of: generation) ?? seek
        guard let frame, current.toleratesLate(frame.presentationTime) else {
            // The keyframe was near enough, but it could not be decoded.
            host.post(.repeatSeek(.notLate, generation: generation))
            return
        }
        reach()
        host.post(.land(at: frame.presentationTime, generation: generation))
        push(frame)
    }

    /// Handles the arrival at the frame from which steps go back, or at the end of the stream.
    private func landOnStep(_ seek: Seek, next frame: VideoFrame?) {
        // If there are too few frames between the keyframe and this frame, decoding begins earlier.
        if candidates.count < seek.framesBefore, beginEarlier(seek) { return }
        // There are no frames before these, so the remaining steps back have no target.
        if candidates.count < seek.framesBefore { host.post(.endStepsBack(generation: generation)) }
        let frames = candidates + (frame.map { [$0] } ?? [])
        reach()
        if let first = frames.first {
            host.post(.land(at: first.presentationTime, generation: generation))
        }
        for frame in frames { push(frame) }
    }

    /// Repeats a seek from an earlier position. Returns false if there is no earlier one.
    private func beginEarlier(_ seek: Seek) -> Bool {
        let start = track.timeRange.start.isNumeric ? track.timeRange.start : .zero
        guard seek.demuxerTarget > start, seek.leadTime < Self.longestLead,
            host.mayBeginEarlier(generation, target: seek.target)
        else { return false }
        host.post(.repeatSeek(.fartherBack, generation: generation))
        return true
    }

    /// Ends the state *reaching*. Frames are shown from now on.
    private func reach() {
        seek = nil
        catchingUp.arrive()
        candidates = []
    }

    private func push(_ frame: VideoFrame) {
        if let separate, frame.presentationTime <= separate.start + FrameQueue.tolerance {
            return
        }
        let result = host.frames.push(
            frame, generation: generation, timebase: host.timebase)
        guard result == .stored else { return }
        renewIfOutdated(frame, isFirst: lastPushed == nil)
        lastPushed = frame.presentationTime
        let now = host.timebase.time
        if catchingUp.push(lateness: host.showsNewest ? .zero : now - clock.end(of: frame)) {
            var seek = Seek(target: now)
            seek.followsTimeline = true
            self.seek = seek
        }
        host.post(.videoAdvanced(to: clock.end(of: frame), generation: generation))
    }

    /// Makes a frame again if the rules have been exchanged while it waited for space in the queue.
    private func renewIfOutdated(_ frame: VideoFrame, isFirst: Bool) {
        guard let exchangeable, exchangeable.isOutdated(frame) else { return }
        let range = MediaTimeRange(start: frame.presentationTime, end: clock.end(of: frame))
        do {
            let frames = try exchangeable.frames(in: range, includesShown: isFirst)
            host.frames.replace(frame, with: frames, generation: generation)
        } catch {
            host.report(error)
            // This frame is by the former rules. The one before it is shown in its place.
            guard !isFirst, exchangeable.isOutdated(frame) else { return }
            host.frames.replace(frame, with: [], generation: generation)
        }
    }

    private func finish() {
        for frame in clock.finish() { take(frame) }
        guard !host.packets.isOutdated(generation) else { return }
        // The stream ended before the target, so its last frame is shown there.
        if let seek = reachedSeek {
            if seek.framesBefore > 0 {
                landOnStep(seek, next: nil)
            } else {
                land(at: nil, of: seek)
            }
        }
        guard !host.packets.isOutdated(generation) else { return }
        host.frames.finish(generation: generation)
        // The last frames may not have been among the packets that could be decoded.
        let end = [clock.end, separate?.end].compactMap { $0 }.filter(\.isNumeric).max()
        host.videoEnded(at: end ?? clock.end, generation: generation)
    }

    // MARK: Gaps

    /// Adds the frames before a gap to the queue: those that the decoder holds until the next
    /// packet or, after a seek, those that no packet yields.
    private func showFramesBeforeGap() {
        if let seek = reachedSeek {
            let frames = separateFrames(from: seek.target)
            guard !frames.isEmpty else { return }
            reach()
            show(separate: frames)
        } else if let lastPushed, let lastPacketTime,
            lastPacketTime > lastPushed + FrameQueue.tolerance
        {
            show(
                separate: separateFrames(from: lastPushed).filter {
                    $0.presentationTime > lastPushed + FrameQueue.tolerance
                })
        }
    }

    /// - Parameter limit: The time before which the frames begin; nil for the time of the last
    ///   packet.
    private func separateFrames(
        from time: MediaTime, before limit: MediaTime? = nil
    ) -> [VideoFrame] {
        let last = max(time, lastPacketTime ?? time)
        return separateReader.frames(
            from: time,
            before: limit ?? last + FrameQueue.tolerance + MediaTime(nanoseconds: 1),
            generation: generation)
    }

    private func show(separate frames: [VideoFrame]) {
        for frame in frames {
            // The frames may have ended long ago, but they do not count as late.
            let result = host.frames.push(frame, generation: generation, timebase: host.timebase)
            guard result == .stored else { return }
            lastPushed = frame.presentationTime
            separate = (frame.presentationTime, clock.end(of: frame))
            host.post(.videoAdvanced(to: clock.end(of: frame), generation: generation))
        }
    }
}
