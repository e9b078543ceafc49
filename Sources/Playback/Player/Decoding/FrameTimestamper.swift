// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

/// A stage that assigns a time to every frame of a generation, including frames that have no time
/// or a wrong one.
///
/// A frame without a time begins at the end of the previous frame, even if the previous frame was
/// skipped on purpose. If decoding begins with frames without a time, they wait for the first frame
/// that has one, and their times are counted back from it.
///
/// Decoders output frames in presentation order. A time that steps back is therefore wrong, and is
/// ignored. A time that jumps ahead is ignored too if the next frame does not confirm it.
///
/// - Concurrency: the video decoding thread only.
struct FrameTimestamper {
    /// The maximum number of frames without a time that wait for a frame with a time. A stream that
    /// has no times begins at zero.
    private static let untimedLimit = 64
    /// The gap beyond which a time is accepted only after the next frame confirms it.
    private static let leapLimit = MediaTime(value: 10, timescale: 1)

    private let frameDuration: MediaTime
    /// A Boolean value that indicates whether a frame whose time jumps ahead waits for the next
    /// frame. It is false for live streams, in which the next frame may take long to arrive.
    private let waitsAfterLeaps: Bool
    /// The end of the frame that begins latest; `invalid` before the first frame.
    private(set) var end = MediaTime.invalid
    private var untimed: [VideoFrame] = []
    /// The beginning of the newest frame whose own time was accepted.
    private var lastStart = MediaTime.negativeInfinity
    /// The frame whose time jumps ahead, while it waits for the next frame.
    private var leaping: VideoFrame?
    /// A Boolean value that indicates whether frames without a time had to wait for a later frame
    /// with a time. Their times are right only if no frame was skipped in between.
    private(set) var hasWaited = false
    /// A Boolean value that indicates whether a frame without a time may have been given a wrong
    /// time, because it may precede or follow frames that were skipped.
    private(set) var isUnsure = false
    /// The ranges of frames that the decoder skipped on request, in order of the requests.
    private var skipped: [(start: MediaTime, end: MediaTime)] = []

    init(track: AssetTrack) {
        frameDuration = track.frameDuration
        waitsAfterLeaps = track.timeRange.duration.isNumeric
    }

    /// Returns the end of a frame that has a time. If no duration is known, returns its beginning.
    func end(of frame: VideoFrame) -> MediaTime {
        let duration = frame.duration.isNumeric ? frame.duration : frameDuration
        return duration.isNumeric ? frame.presentationTime + duration : frame.presentationTime
    }

    /// Records a packet that is sent to the decoder.
    mutating func note(_ packet: MediaPacket, isSkipped: Bool) {
        guard isSkipped else { return }
        // Frames are reordered within a few packets, so older ranges do not matter.
        if skipped.count == 128 { skipped.removeFirst() }
        let start = packet.presentationTime
        skipped.append((start, start + packet.duration))
    }

    /// Returns whether a skipped frame begins after `start` and not after `limit`.
    func hasSkipped(after start: MediaTime?, upTo limit: MediaTime) -> Bool {
        skipped.contains { packet in
            packet.start <= limit && start.map { packet.start > $0 } ?? true
        }
    }

    /// Returns the frames whose time is known now that this frame has arrived: no frame, this
    /// frame, or this frame and the frames that waited for it.
    mutating func time(_ frame: VideoFrame) -> [VideoFrame] {
        var frame = frame
        guard frame.presentationTime.isNumeric, !stepsBack(frame) else {
            frame.presentationTime = .invalid
            return release() + follow(frame)
        }
        if let leaping, frame.presentationTime < leaping.presentationTime {
            var wrong = leaping
            self.leaping = nil
            wrong.presentationTime = .invalid
            return follow(wrong) + time(frame)
        }
        let waiting = release() + countBack(from: frame.presentationTime)
        if waitsAfterLeaps, end.isNumeric, frame.presentationTime > end + Self.leapLimit {
            leaping = frame
            return waiting
        }
        note(frame)
        return waiting + [frame]
    }

    /// Returns the frame whose time jumped ahead, if there is one. Call this method if no later
    /// frame will confirm that time.
    mutating func release() -> [VideoFrame] {
        guard let frame = leaping else { return [] }
        leaping = nil
        note(frame)
        return [frame]
    }

    /// Returns the frames that still wait after the last frame has arrived. If there is no time to
    /// count back from, they begin at zero.
    mutating func finish() -> [VideoFrame] {
        var time = MediaTime.zero
        let waiting = untimed
        untimed = []
        return release()
            + waiting.map { frame in
                var frame = frame
                frame.presentationTime = time
                noteEnd(of: frame)
                time = end
                return frame
            }
    }

    private func stepsBack(_ frame: VideoFrame) -> Bool { frame.presentationTime < lastStart }

    /// Assigns a time to a frame without one.
    private mutating func follow(_ frame: VideoFrame) -> [VideoFrame] {
        var frame = frame
        guard end.isNumeric else {
            untimed.append(frame)
            hasWaited = true
            return untimed.count < Self.untimedLimit ? [] : finish()
        }
        let start = endOfSkipped(from: end)
        if skipped.contains(where: { $0.start > start }) { isUnsure = true }
        frame.presentationTime = start
        noteEnd(of: frame)
        return [frame]
    }

    private mutating func countBack(from time: MediaTime) -> [VideoFrame] {
        guard !untimed.isEmpty else { return [] }
        defer { untimed = [] }
        if skipped.contains(where: { $0.start < time }) { isUnsure = true }
        var time = time
        return untimed.reversed().map { frame in
            var frame = frame
            let duration = frame.duration.isNumeric ? frame.duration : frameDuration
            if duration.isNumeric { time -= duration }
            frame.presentationTime = time
            return frame
        }.reversed()
    }

    private func endOfSkipped(from time: MediaTime) -> MediaTime {
        var time = time
        while let next = skipped.first(where: { $0.start == time && $0.end > time }) {
            time = next.end
        }
        return time
    }

    private mutating func note(_ frame: VideoFrame) {
        lastStart = frame.presentationTime
        noteEnd(of: frame)
    }

    private mutating func noteEnd(of frame: VideoFrame) {
        let frameEnd = end(of: frame)
        if !end.isValid || frameEnd > end { end = frameEnd }
    }
}
