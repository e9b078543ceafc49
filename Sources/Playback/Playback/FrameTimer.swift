// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

/// Gives every frame of a generation its time, also those that come without.
///
/// A frame without a time begins where the one before it ends, counting those that were left out on
/// purpose. Where decoding begins with such frames, they wait for the first that has a time, and
/// theirs are counted back from it.
///
/// - Concurrency: the video decoding thread only.
struct FrameTimer {
    /// Frames at most that wait for a time to count back from: a stream without any times at all
    /// begins at zero.
    private static let untimedLimit = 64

    private let frameDuration: MediaTime
    /// Where the frame that begins latest ends; `invalid` before the first.
    private(set) var end = MediaTime.invalid
    private var untimed: [VideoFrame] = []
    /// Whether frames have had to wait for the one after them: their times are right only if none
    /// between was left out.
    private(set) var hasWaited = false
    /// Where frames that the decoder was told to leave out begin and end, the latest last.
    private var skipped: [(start: MediaTime, end: MediaTime)] = []

    init(frameDuration: MediaTime) { self.frameDuration = frameDuration }

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
        if frame.presentationTime.isNumeric {
            let waiting = countBack(from: frame.presentationTime)
            note(frame)
            return waiting + [frame]
        }
        if end.isNumeric {
            frame.presentationTime = endOfSkipped(from: end)
            note(frame)
            return [frame]
        }
        untimed.append(frame)
        hasWaited = true
        return untimed.count < Self.untimedLimit ? [] : finish()
    }

    /// Those frames that still wait when no more come: they begin at zero.
    mutating func finish() -> [VideoFrame] {
        var time = MediaTime.zero
        defer { untimed = [] }
        return untimed.map { frame in
            var frame = frame
            frame.presentationTime = time
            note(frame)
            time = end
            return frame
        }
    }

    private mutating func countBack(from time: MediaTime) -> [VideoFrame] {
        guard !untimed.isEmpty else { return [] }
        defer { untimed = [] }
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
        let frameEnd = end(of: frame)
        if !end.isValid || frameEnd > end { end = frameEnd }
    }
}
