// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime
import TransportTestSupport

@testable import PlayheadPlayback

extension TransportWorld: TransportView {
    var packets: PacketLevel {
        var level = PacketLevel([], byteCount: 0, isFull: false, hasEnded: !isResting)
        guard film.isRemote else { return level }
        level.end = loadedEnd
        guard isResting else { return level }
        if isVideoDry { level.dryTracks.insert(1) }
        if isAudioDry { level.dryTracks.insert(2 + audioTrack) }
        return level
    }

    var followsArrival: Bool { false }
    func arrivingTime(atHostNanoseconds nanoseconds: Int64, offset: MediaTime) -> MediaTime? { nil }

    var transfer: TransferReading? {
        guard film.isRemote else { return nil }
        return TransferReading(
            isSlow: true, now: clock, waitingSince: restingSince, waited: 0, byteCount: 1000)
    }

    func isVideoPrimed(at time: MediaTime) -> Bool { hasEnded || hasFrame(after: time) }

    /// No track outlasts the first video track.
    func hasFurtherMedia(after time: MediaTime, generation: Int) -> Bool { false }

    func hasFrame(after time: MediaTime) -> Bool {
        guard let index = index(at: time) else { return false }
        return isReverse ? index > 0 : index + 1 < entries.count
    }

    func isStarved(at time: MediaTime) -> Bool {
        if isReverse {
            guard !hasEnded, let first = entries.first else { return false }
            return time + TransportModel.tolerance < film.time(of: first)
        }
        guard !hasEnded, let last = entries.last else { return false }
        return time >= film.time(of: last + 1)
    }

    func frameStart(at time: MediaTime) -> MediaTime? {
        index(at: time).map { film.time(of: entries[$0]) }
    }

    func haveFurtherPictures(generation: Int) -> Bool {
        further.allSatisfy { feed in
            !feed.isEnabled || (feed.isAdded && feed.generation == generation && feed.hasFrame)
        }
    }

    func areFurtherPicturesPrimed(at time: MediaTime, generation: Int) -> Bool {
        further.allSatisfy { feed in
            guard feed.isEnabled else { return true }
            guard feed.isAdded else { return isReverse }
            let seen = min(film.frame(at: time), feed.count - 1)
            return feed.generation == generation
                && (isReverse || feed.hasEnded || feed.position - 1 > seen)
        }
    }

    func furtherDryTimes(_ level: PacketLevel) -> (sound: MediaTime?, pictures: MediaTime?) {
        let isDry = isResting && further.contains { $0.isEnabled && $0.isDry && !$0.hasEnded }
        return (nil, isDry ? loadedEnd : nil)
    }

    func seenTime(at time: MediaTime) -> MediaTime { time }

    func step(
        from time: MediaTime, by count: Int
    ) -> (time: MediaTime, taken: Int, isLast: Bool) {
        guard let index = index(at: time) else { return (time, 0, hasEnded) }
        let last = entries.lastIndex(where: isShown) ?? index
        let target = min(index + count, max(index, last))
        let isLast = last < entries.count - 1 || hasEnded
        return (film.time(of: entries[target]), target - index, isLast && target >= last)
    }

    var isVideoFullOrEnded: Bool {
        hasEnded || isReverse || entries.count >= TransportModel.frameLimit
    }
    var framesEnd: MediaTime { entries.last.map { film.time(of: $0 + 1) } ?? .invalid }
    func keptFrame(at time: MediaTime, byteLimit: Int) -> Bool? { nil }

    var hasAudio: Bool { film.hasAudio }
    func isAudioPrimed(at time: MediaTime) -> Bool {
        let least = MediaTime(value: 1, timescale: 5)
        if isReverse {
            return audioReached <= .zero || min(audioStart, time) - audioReached >= least
        }
        return audioReached - max(audioStart, time) >= least
    }
    func areFurtherTracksPrimed(at time: MediaTime, generation: Int) -> Bool { true }
    var bufferedAudioEnd: MediaTime { film.hasAudio ? audioReached : .negativeInfinity }
    var enqueuedAudioEnd: MediaTime? { film.hasAudio ? audioReached : nil }
    var audioLatency: MediaTime { film.startDelay }
    var isAudioAwake: Bool { true }
    var underrunFrames: Int { 0 }
    var firstMissedTime: MediaTime? { nil }

    func masterTime(atHostTime hostTime: MediaTime) -> MediaTime { hostTime }
    func alignedToVsync(_ start: MediaTime, anchor: MediaTime, rate: Double) -> MediaTime { start }
    var heldDuration: MediaTime? { holdStart.map { clock - $0 } }
}
