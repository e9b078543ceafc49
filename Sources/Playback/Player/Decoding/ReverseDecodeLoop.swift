// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime

/// The loop of an item's thread for reverse playback. It waits for a reversal, and decodes group
/// after group ahead of the playhead into the frame queue. Once it has reached the beginning, it
/// watches for the end of playback.
///
/// While it keeps up, every frame is shown. If groups arrive after the playhead has passed them, it
/// continues at the playhead. If that happens repeatedly, it skips non-reference frames, and then
/// all frames except keyframes, so that frames are shown at any rate.
final class ReverseDecodeLoop {
    /// The number of consecutive late groups after which fewer frames of a group are decoded, and
    /// the number of consecutive groups on time after which more frames are decoded.
    private static let lateLimit = 2
    private static let inTimeLimit = 4

    private let host: any VideoDecodingHost
    private let reading: GenerationCancellation
    private var reader: FrameGroupReader?
    /// The decoder of the reader, if its frames can become outdated.
    private var exchangeable: (any ExchangeableVideoDecoder)?
    private var openingNumber = 0
    private var generation = -1
    private var detail = FrameGroupReader.Detail.all
    private var lateCount = 0
    private var inTimeCount = 0

    init(host: any VideoDecodingHost) {
        self.host = host
        reading = GenerationCancellation(packets: host.packets)
    }

    func run() {
        while let reversal = host.nextReversal(after: generation) {
            generation = reversal.generation
            reading.begin(generation)
            detail = .all
            (lateCount, inTimeCount) = (0, 0)
            decode(from: reversal)
            if reader?.isInterrupted ?? false { reader = nil }
            host.waitAtStart(generation: generation)
        }
    }

    /// A Boolean value that indicates whether another generation has begun, or the item has been
    /// closed.
    private var isOutdated: Bool { host.packets.isOutdated(generation) }

    private func decode(from reversal: Reversal) {
        defer {
            // The first frame of the item is in the queue.
            host.frames.finish(generation: generation)
            host.post(.look)
        }
        guard let reader = openReader() else { return }
        let byteLimit = reversal.byteLimit / 2
        let end = host.reverseEnd
        var limit = Self.limit(showing: reversal.time)
        var isFirst = true
        while !isOutdated {
            guard
                host.frames.waitForGroupRoom(
                    generation: generation, timebase: host.timebase)
            else { return }
            // Frames that the playhead has passed are no longer shown.
            let (now, rate) = host.timebase.timeAndRate
            let needed = Self.limit(showing: max(now, end))
            let isLate = needed < limit && (isFirst || host.frames.isStarved(at: now))
            if isLate { limit = needed }
            let detail = rate == 0 ? .all : detail
            var group = reader.frames(
                before: limit, detail: detail, isUrgent: isFirst || isLate, byteLimit: byteLimit)
            if group.isEmpty {
                guard isFirst || isLate, let frame = reader.firstFrame() else { return }
                group = [frame]
            }
            guard let first = group.first, push(group, detail: detail) else { return }
            // This is the first frame of the media, which is also shown before its time.
            if first.presentationTime >= limit { return }
            limit = first.presentationTime
            isFirst = false
        }
    }

    /// Returns the limit for a search: the frame visible at `time` is the last frame that begins
    /// before the limit.
    private static func limit(showing time: MediaTime) -> MediaTime {
        time + FrameQueue.tolerance + MediaTime(nanoseconds: 1)
    }

    private func push(_ group: [VideoFrame], detail: FrameGroupReader.Detail) -> Bool {
        if detail != .all {
            host.post(.approximate(until: .positiveInfinity, generation: generation))
        }
        guard
            let isInTime = host.frames.push(
                group: group, generation: generation, timebase: host.timebase)
        else { return false }
        renewOutdated(group)
        note(isInTime: isInTime)
        host.post(.videoAdvanced(to: nil, generation: generation))
        return true
    }

    /// Makes frames again if the rules have been exchanged since they were decoded.
    private func renewOutdated(_ group: [VideoFrame]) {
        guard let exchangeable else { return }
        for frame in group where frame.duration.isNumeric && exchangeable.isOutdated(frame) {
            let range = MediaTimeRange(start: frame.presentationTime, duration: frame.duration)
            do {
                let frames = try exchangeable.frames(in: range, includesShown: false)
                host.frames.replace(frame, with: frames, generation: generation)
            } catch {
                guard !isOutdated else {
                    // The call may have been interrupted.
                    reader = nil
                    return
                }
                host.report(error)
                if exchangeable.isOutdated(frame) {
                    host.frames.replace(frame, with: [], generation: generation)
                }
            }
        }
    }

    private func note(isInTime: Bool) {
        if isInTime {
            lateCount = 0
            inTimeCount += 1
            if inTimeCount >= Self.inTimeLimit { change(detail: -1) }
        } else {
            inTimeCount = 0
            lateCount += 1
            if lateCount >= Self.lateLimit { change(detail: 1) }
        }
    }

    private func change(detail change: Int) {
        if let changed = FrameGroupReader.Detail(rawValue: detail.rawValue + change) {
            detail = changed
        }
        (lateCount, inTimeCount) = (0, 0)
    }

    /// Opens the reader when it is first needed. Returns nil if there is no video or the reader
    /// fails. In both cases, the visible frame stays.
    private func openReader() -> FrameGroupReader? {
        let number = host.openingNumber
        if let reader, openingNumber == number { return reader }
        guard let track = host.videoTrack else { return nil }
        do {
            let demuxer = try host.openDemuxer(reading.cancellation)
            let decoder = try demuxer.makeVideoDecoder(for: track)
            exchangeable = decoder as? any ExchangeableVideoDecoder
            openingNumber = number
            let reader = FrameGroupReader(
                demuxer: demuxer, track: track, decoder: decoder,
                report: { [host] in host.report($0) },
                isOver: { [reading] in reading.isOver })
            self.reader = reader
            return reader
        } catch {
            if !isOutdated { host.report(error) }
            return nil
        }
    }
}
