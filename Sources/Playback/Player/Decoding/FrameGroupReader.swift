// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

/// A reader that decodes media in reverse. It decodes group by group, and each group forwards from
/// its keyframe, because codecs require that.
///
/// It has its own demuxer and decoder, so reverse and forward playback are independent.
///
/// If the frames of a group do not fit into memory, the group is decoded in parts. The first part
/// consists of the last frames: decoding begins at the keyframe, and earlier frames are not kept.
/// For the parts before it, decoding begins at the keyframe again. Of the frames that are not kept,
/// only reference frames are decoded. The work therefore grows with the number of parts, but memory
/// use does not.
///
/// - Concurrency: one thread.
/// - Errors: damaged data is reported and skipped, as in forward playback.
final class FrameGroupReader {
    /// The frames of a group that are decoded.
    enum Detail: Int {
        case all
        /// The reference frames only.
        case references
        /// The keyframe only.
        case keyframes
    }

    /// The minimum distance to seek back for a group, so that media with keyframes only is not read
    /// frame by frame.
    private static let span = MediaTime(value: 1, timescale: 2)
    /// The number of consecutive errors after which a decoder is abandoned. At the end of a stream,
    /// some decoders report an error at every call.
    private static let errorLimit = 1000

    private let demuxer: any Demuxer
    private let track: AssetTrack
    private let decoder: any VideoDecoder
    private let report: (MediaError) -> Void
    /// Returns whether the result is no longer needed.
    private let isOver: () -> Bool
    /// A Boolean value that indicates whether a read ended because its result was no longer needed.
    /// The reader is then at an unknown position, and is not used again.
    private(set) var isInterrupted = false
    /// The maximum distance to go back for a frame.
    var longestLead = MediaTime.positiveInfinity
    /// The size of the last frame, in bytes.
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

    /// Returns the last frames that begin before a time, in presentation order: all frames from a
    /// keyframe on, or as many of the last ones as fit.
    ///
    /// - Parameters:
    ///   - isUrgent: A Boolean value that indicates whether only the last group is needed, as soon
    ///     as possible.
    ///   - byteLimit: The maximum total size of the frames. At least one frame is returned.
    /// - Returns: the frames; an empty array at the beginning of the media.
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
            if !group.frames.isEmpty || isStart(target) || lead > longestLead {
                return group.frames
            }
            // The keyframe that was found is not before the limit, or the packets after it are
            // damaged.
            lead = max(lead * Int32(4), Self.span)
        }
        return []
    }

    /// Returns the time from which on all frames before `limit` fit into memory; minus infinity if
    /// it is unknown.
    private func start(ofFramesThatFit byteLimit: Int, before limit: MediaTime) -> MediaTime {
        guard frameBytes > 0, track.frameDuration.isNumeric else { return .negativeInfinity }
        let count = Int32(clamping: max(1, byteLimit / frameBytes))
        return limit - track.frameDuration * count
    }

    private var start: MediaTime {
        track.timeRange.start.isNumeric ? track.timeRange.start : .zero
    }

    /// Returns whether `time` is at or before the beginning of the media.
    private func isStart(_ time: MediaTime) -> Bool { time <= start }

    /// Returns the first frame of the media.
    func firstFrame() -> VideoFrame? {
        var group = FrameGroup(limit: .positiveInfinity, byteLimit: .max)
        decode(from: min(start, .zero), into: &group, detail: .all, beyondLimit: true) {
            !$0.frames.isEmpty
        }
        return group.frames.first
    }

    /// Decodes packets, beginning with the keyframe that is required for the frame at `time`.
    ///
    /// - Parameter beyondLimit: A Boolean value that indicates whether to decode until the decoder
    ///   outputs a frame beyond the limit. If false, decoding stops once the packets of all frames
    ///   before the limit have been sent.
    /// - Returns: false if decoding must go beyond the limit to determine the times of frames
    ///   without a time.
    @discardableResult
    private func decode(
        from time: MediaTime, into group: inout FrameGroup, detail: Detail,
        beyondLimit: Bool = false, until isEnough: (FrameGroup) -> Bool = { _ in false }
    ) -> Bool {
        decoder.flush()
        var clock = FrameTimestamper(track: track)
        // For a frame without a time, the packets after it determine the time.
        var hasUntimed = false
        do {
            try demuxer.seek(to: time)
            while !isOver(), !group.isComplete, !isEnough(group) {
                let packet = try demuxer.readPacket()
                guard let packet, beyondLimit || !isBeyond(packet, group.limit) else {
                    let hasFollowed = send(nil, into: &group, &clock)
                    if packet != nil, clock.hasWaited || hasFollowed || hasUntimed { return false }
                    if detail == .all, clock.isUnsure { return false }
                    // A stream that has no times begins at zero. In the middle of the media, frames
                    // without a time need the previous frame.
                    let last = isStart(time) ? clock.finish() : clock.release()
                    for frame in last { group.add(frame) }
                    return true
                }
                if !packet.presentationTime.isNumeric { hasUntimed = true }
                if detail == .keyframes {
                    decoder.skipsNonReferenceFrames = false
                    guard packet.isKeyframe else { continue }
                    // A single packet is decoded at once, because no other packets are needed.
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
            note(error)
            // The packets before the damage are still valid.
            send(nil, into: &group, &clock)
        }
        return true
    }

    /// Returns whether this packet and all later ones begin at or after the limit. The decode time
    /// of the packet proves this, because a frame is never decoded after it is shown.
    private func isBeyond(_ packet: MediaPacket, _ limit: MediaTime) -> Bool {
        packet.decodeTime.isNumeric && packet.decodeTime >= limit
    }

    /// - Returns: whether a frame without a time was assigned the end of the previous frame as its
    ///   time. After the last packet, this time may be too early.
    @discardableResult
    private func send(
        _ packet: MediaPacket?, into group: inout FrameGroup, _ clock: inout FrameTimestamper
    ) -> Bool {
        var hasFollowed = false
        do {
            try decoder.send(packet)
        } catch {
            note(error)
        }
        var errorCount = 0
        while errorCount < Self.errorLimit, !isOver() {
            do {
                guard let frame = try decoder.receive() else { break }
                let timed = clock.time(frame)
                if !frame.presentationTime.isNumeric, !timed.isEmpty { hasFollowed = true }
                for frame in timed { group.add(frame) }
            } catch {
                note(error)
                errorCount += 1
            }
        }
        return hasFollowed
    }

    /// Reports an error, unless it has ended a call whose result was no longer needed.
    private func note(_ error: MediaError) {
        if isOver() { isInterrupted = true } else { report(error) }
    }
}

/// The last frames before a time, or as many of them as fit into memory.
struct FrameGroup {
    let limit: MediaTime
    /// The time before which frames are not kept.
    var start = MediaTime.negativeInfinity
    private let byteLimit: Int
    private var byteCount = 0
    /// The frames, in presentation order.
    private(set) var frames: [VideoFrame] = []
    /// A Boolean value that indicates whether a frame at or beyond the limit has arrived. If so,
    /// all frames before the limit have arrived too.
    private(set) var isComplete = false

    init(limit: MediaTime, byteLimit: Int) {
        self.limit = limit
        self.byteLimit = byteLimit
    }

    /// Returns whether the frame of a packet ends before the first frame that is kept.
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
