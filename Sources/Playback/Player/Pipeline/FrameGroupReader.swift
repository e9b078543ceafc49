// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

/// Decodes a film backwards, group by group: each from its keyframe forward, as codecs want it.
///
/// Has a demuxer and a decoder of its own, so playing backwards and playing forwards do not know of
/// each other.
///
/// A group whose frames do not fit into memory comes in parts: its last frames first, decoded from
/// its keyframe with those before them let go, then, from the keyframe again, the ones before. Of
/// those let go, only what others refer to is decoded. So the work grows with the number of parts;
/// memory does not.
///
/// - Concurrency: one thread.
/// - Errors: damage is reported and left out, as in playing forwards.
final class FrameGroupReader {
    /// Which frames of a group are wanted.
    enum Detail: Int {
        case all
        /// Those that others refer to.
        case references
        /// The keyframe.
        case keyframes
    }

    /// Looks this far back at least for a group, so that films of keyframes only are not read one
    /// frame at a time.
    private static let span = MediaTime(value: 1, timescale: 2)
    /// Errors in a row after which a decoder is left alone: some report one for ever at their end.
    private static let errorLimit = 1000

    private let demuxer: any Demuxer
    private let track: AssetTrack
    private let decoder: any VideoDecoder
    private let report: (MediaError) -> Void
    /// Whether there is no use in going on.
    private let isOver: () -> Bool
    /// Size of the frame that came last.
    private var frameBytes = 0

    init(
        demuxer: any Demuxer, track: AssetTrack, decoder: any VideoDecoder,
        report: @escaping (MediaError) -> Void, isOver: @escaping () -> Bool
    ) {
        self.demuxer = demuxer
        self.track = track
        self.decoder = decoder
        self.report = report
        self.isOver = isOver
        demuxer.selectTracks([track.id])
    }

    /// The last frames that begin before a time, in order of presentation, down to a keyframe or as
    /// many as fit.
    ///
    /// - Parameters:
    ///   - isUrgent: whether the last group alone is wanted, as soon as possible.
    ///   - byteLimit: what the frames may take; at least one comes in any case.
    /// - Returns: none at the beginning of the film.
    func frames(
        before limit: MediaTime, detail: Detail, isUrgent: Bool, byteLimit: Int
    ) -> [VideoFrame] {
        var lead =
            isUrgent || detail == .keyframes ? MediaTime(value: 1, timescale: 1000) : Self.span
        while !isOver() {
            let target = limit - lead
            let room = FrameGroup(limit: limit, byteLimit: byteLimit)
            var group = room
            if detail != .keyframes {
                group.start = self.start(ofFramesThatFit: byteLimit, before: limit)
            }
            if !decode(from: target, into: &group, detail: detail) {
                group = room
                decode(from: target, into: &group, detail: detail, beyondLimit: true)
            } else if group.frames.isEmpty, group.start.isNumeric {
                group = room
                decode(from: target, into: &group, detail: detail)
            }
            if let frame = group.frames.last { frameBytes = frame.pixelBuffer.byteCount }
            if !group.frames.isEmpty || isStart(target) { return group.frames }
            // The keyframe that was found is not before the limit, or what follows it is damaged.
            lead = max(lead * Int32(4), Self.span)
        }
        return []
    }

    /// Before this time lie frames that would be let go again; minus infinity where that is not known.
    private func start(ofFramesThatFit byteLimit: Int, before limit: MediaTime) -> MediaTime {
        guard frameBytes > 0, track.frameDuration.isNumeric else { return .negativeInfinity }
        let count = Int32(clamping: max(1, byteLimit / frameBytes))
        return limit - track.frameDuration * count
    }

    private var start: MediaTime {
        track.timeRange.start.isNumeric ? track.timeRange.start : .zero
    }

    /// Whether nothing lies before `time`.
    private func isStart(_ time: MediaTime) -> Bool { time <= start }

    /// The first frame of the film.
    func firstFrame() -> VideoFrame? {
        var group = FrameGroup(limit: .positiveInfinity, byteLimit: .max)
        decode(from: min(start, .zero), into: &group, detail: .all, beyondLimit: true) {
            !$0.frames.isEmpty
        }
        return group.frames.first
    }

    /// Decodes from the keyframe for a time on.
    ///
    /// - Parameter beyondLimit: whether frames are decoded until one comes out that is beyond the
    ///   limit, and not only until all have gone in that are not.
    /// - Returns: false where the first has to be, for it to be known which times frames have that
    ///   come without.
    @discardableResult
    private func decode(
        from time: MediaTime, into group: inout FrameGroup, detail: Detail,
        beyondLimit: Bool = false, until isEnough: (FrameGroup) -> Bool = { _ in false }
    ) -> Bool {
        decoder.flush()
        var clock = FrameTimer(track: track)
        do {
            try demuxer.seek(to: time)
            while !isOver(), !group.isComplete, !isEnough(group) {
                let packet = try demuxer.readPacket()
                guard let packet, beyondLimit || !isBeyond(packet, group.limit) else {
                    let hasFollowed = send(nil, into: &group, &clock)
                    if packet != nil, clock.hasWaited || hasFollowed { return false }
                    if detail == .all, clock.isUnsure { return false }
                    // A stream without any times begins at zero; frames without one in the middle
                    // of a film need the one before them.
                    let last = isStart(time) ? clock.finish() : clock.release()
                    for frame in last { group.add(frame) }
                    return true
                }
                if detail == .keyframes {
                    decoder.skipsNonReferenceFrames = false
                    guard packet.isKeyframe else { continue }
                    // One is decoded at once; more are not needed.
                    send(packet, into: &group, &clock)
                    send(nil, into: &group, &clock)
                    return true
                }
                let isSkipped = detail == .references || group.isOver(packet)
                decoder.skipsNonReferenceFrames = isSkipped
                clock.note(packet, isSkipped: isSkipped)
                send(packet, into: &group, &clock)
            }
        } catch {
            report(error)
            // What was read before the damage is still there.
            send(nil, into: &group, &clock)
        }
        return true
    }

    /// Whether neither this packet nor those after it hold a frame that begins before the limit: no
    /// frame is decoded later than it is shown.
    private func isBeyond(_ packet: MediaPacket, _ limit: MediaTime) -> Bool {
        packet.decodeTime.isNumeric && packet.decodeTime >= limit
    }

    /// - Returns: whether a frame that came without a time has been given that of the end of the one
    ///   before it. At the end of what has been read this may be a later one.
    @discardableResult
    private func send(
        _ packet: MediaPacket?, into group: inout FrameGroup, _ clock: inout FrameTimer
    ) -> Bool {
        var hasFollowed = false
        do {
            try decoder.send(packet)
        } catch {
            report(error)
        }
        var errorCount = 0
        while errorCount < Self.errorLimit, !isOver() {
            do {
                guard let frame = try decoder.receive() else { break }
                let timed = clock.time(frame)
                if !frame.presentationTime.isNumeric, !timed.isEmpty { hasFollowed = true }
                for frame in timed { group.add(frame) }
            } catch {
                report(error)
                errorCount += 1
            }
        }
        return hasFollowed
    }
}

/// The last frames before a time, as many as fit.
struct FrameGroup {
    let limit: MediaTime
    /// Frames that begin earlier are not taken.
    var start = MediaTime.negativeInfinity
    private let byteLimit: Int
    private var byteCount = 0
    /// In order of presentation.
    private(set) var frames: [VideoFrame] = []
    /// Whether a frame came that begins at the limit or later: the others have come then.
    private(set) var isComplete = false

    init(limit: MediaTime, byteLimit: Int) {
        self.limit = limit
        self.byteLimit = byteLimit
    }

    /// Whether a packet's frame is over before the first that is taken.
    func isOver(_ packet: MediaPacket) -> Bool {
        guard packet.presentationTime.isNumeric, packet.duration.isNumeric else { return false }
        return packet.presentationTime + packet.duration <= start
    }

    mutating func add(_ frame: VideoFrame) {
        guard frame.presentationTime < limit else {
            isComplete = true
            return
        }
        guard frame.presentationTime >= start else { return }
        let place = frames.lastIndex { $0.presentationTime <= frame.presentationTime } ?? -1
        frames.insert(frame, at: place + 1)
        byteCount += frame.pixelBuffer.byteCount
        while byteCount > byteLimit, frames.count > 1 {
            byteCount -= frames.removeFirst().pixelBuffer.byteCount
        }
    }
}
