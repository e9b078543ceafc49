// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

/// Gives every frame of a generation its time, also those that come without or with a wrong one.
///
/// A frame without a time begins where the one before it ends, counting those that were left out on
/// purpose. Where decoding begins with such frames, they wait for the first that has a time, and
/// theirs are counted back from it.
///
/// Decoders give frames in order of presentation. So a time that steps back is wrong, and counts as
/// none; and so does one that leaps ahead when the next frame does not follow it there.
///
/// - Concurrency: the video decoding thread only.
struct FrameTimer {
    /// Frames at most that wait for a time to count back from: a stream without any times at all
    /// begins at zero.
    private static let untimedLimit = 64
    /// A gap that is longer than this is believed once the frame after it comes.
    private static let leapLimit = MediaTime(value: 10, timescale: 1)

    private let frameDuration: MediaTime
    /// Not in live streams, where the next frame may be long in coming.
    private let waitsAfterLeaps: Bool
    /// Where the frame that begins latest ends; `invalid` before the first.
    private(set) var end = MediaTime.invalid
    private var untimed: [VideoFrame] = []
    /// When the newest frame begins that came with a time which was right.
    private var lastStart = MediaTime.negativeInfinity
    /// A frame that has leapt ahead.
    private var leaping: VideoFrame?
    /// Whether frames have had to wait for the one after them: their times are right only if none
    /// between was left out.
    private(set) var hasWaited = false
    /// Whether a frame without a time may have been given a wrong one: frames were left out that it
    /// may belong before or after.
    private(set) var isUnsure = false
    /// Where frames that the decoder was told to leave out begin and end, the latest last.
    private var skipped: [(start: MediaTime, end: MediaTime)] = []

    init(track: AssetTrack) {
        frameDuration = track.frameDuration
        waitsAfterLeaps = track.timeRange.duration.isNumeric
    }

    /// When a frame that has been given a time ends; at its beginning where nothing says.
    func end(of frame: VideoFrame) -> MediaTime {
        let duration = frame.duration.isNumeric ? frame.duration : frameDuration
        return duration.isNumeric ? frame.presentationTime + duration : frame.presentationTime
    }

    /// Notes a packet on its way to the decoder.
    mutating func note(_ packet: MediaPacket, isSkipped: Bool) {
        guard isSkipped else { return }
        // Frames change places within a few packets; older ones are of no interest.
        if skipped.count == 128 { skipped.removeFirst() }
        let start = packet.presentationTime
        skipped.append((start, start + packet.duration))
    }

    /// Whether a frame was left out that begins after `start` and not after `limit`.
    func hasSkipped(after start: MediaTime?, upTo limit: MediaTime) -> Bool {
        skipped.contains { packet in
            packet.start <= limit && start.map { packet.start > $0 } ?? true
        }
    }

    /// The frames that have a time now that this one came: none, itself, or with those that waited.
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

    /// The frame that has leapt ahead, if there is one: no other comes that could tell more.
    mutating func release() -> [VideoFrame] {
        guard let frame = leaping else { return [] }
        leaping = nil
        note(frame)
        return [frame]
    }

    /// Those frames that still wait when no more come: without a time to count back from, they begin
    /// at zero.
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

    /// A frame without a time.
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
