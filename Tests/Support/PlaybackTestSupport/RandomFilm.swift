// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadTime

/// Random media of any kind: constant and variable rates, any keyframe interval, reordered frames,
/// frames without times, missing packets, frames that cannot be decoded, with audio and without,
/// several tracks, and packets that arrive late.
struct RandomFilm {
    enum Kind {
        /// One video track, which may be damaged.
        case plain
        /// Several tracks.
        case tracks
        /// Several tracks that arrive as the events let them.
        case remote
    }

    let kind: Kind
    private(set) var media: SyntheticMedia
    var hasSound: Bool { !media.sounds.isEmpty }
    private let shortestFrame: MediaTime
    /// The time before which the packets arrive at first.
    let arrived: MediaTime
    /// The video tracks in addition to the first one that are shown from the beginning on.
    let shownVideos: Int

    init(using random: inout SplitMix64) {
        switch random.int(in: 0..<10) {
        case 0..<6: kind = .plain
        case 6..<8: kind = .tracks
        default: kind = .remote
        }
        if kind == .plain {
            (arrived, shownVideos) = (.positiveInfinity, 0)
            media = Self.plain(using: &random)
        } else {
            media = Self.tracks(isRemote: kind == .remote, using: &random)
            shownVideos = random.int(in: 0..<media.furtherVideos.count + 1)
            arrived =
                kind == .remote
                ? MediaTime(value: Int64(random.int(in: 50..<1500)), timescale: 1000)
                : .positiveInfinity
        }
        let times = media.frameTimes
        shortestFrame =
            times.map { times in (0..<times.count).map(times.duration(of:)).min() ?? .zero }
            ?? .zero
    }

    private static func plain(using random: inout SplitMix64) -> SyntheticMedia {
        let count = random.int(in: 3..<48)
        let times =
            random.int(in: 0..<3) == 0
            ? Self.variableTimes(count, using: &random) : Self.constantTimes(count, using: &random)
        var media = SyntheticMedia(frameTimes: times, sounds: [])
        // The numbers in the pixels are not read here; display times identify frames.
        (media.width, media.height) = (16, 16)
        media.keyframeInterval = [1, 2, 5, 12, 60][random.int(in: 0..<5)]
        media.bidirectionalFrames = random.int(in: 0..<3)
        media.faults = Self.faults(media, count: count, using: &random)
        if random.int(in: 0..<6) == 0 {
            let milliseconds = Int64(times.end.seconds * 1000) + Int64(random.int(in: -200..<200))
            let duration = MediaTime(value: max(50, milliseconds), timescale: 1000)
            media.sounds = [SyntheticSound(.sampleNumbers, duration: duration)]
        }
        return media
    }

    /// Returns whole media with several tracks, whose frames show their numbers. Over a network, all
    /// tracks end together, and a long time after the part that arrives first.
    private static func tracks(
        isRemote: Bool, using random: inout SplitMix64
    ) -> SyntheticMedia {
        let seconds = Double(random.int(in: isRemote ? 1800..<4000 : 700..<2500)) / 1000
        func times(of seconds: Double, _ random: inout SplitMix64) -> SyntheticFrameTimes {
            let rates: [(Int64, Int32)] = [(1, 24), (1, 25), (1001, 30000), (1, 30), (1, 60)]
            let (value, scale) = rates[random.int(in: 0..<rates.count)]
            let duration = MediaTime(value: value, timescale: scale)
            return SyntheticFrameTimes(
                frameDuration: duration, count: max(2, Int(seconds / duration.seconds + 0.001)))
        }
        let intervals = [1, 2, 5, 12, 60]
        var media = SyntheticMedia(frameTimes: times(of: seconds, &random), sounds: [])
        (media.width, media.height) = (32, 16)
        media.keyframeInterval = intervals[random.int(in: 0..<5)]
        media.bidirectionalFrames = isRemote ? 0 : random.int(in: 0..<3)
        // The first video track lasts longest.
        let videoEnd = media.frameTimes?.end.seconds ?? seconds
        for index in 0..<random.int(in: 0..<4) {
            let share = isRemote || random.int(in: 0..<2) == 0 ? 100 : random.int(in: 10..<100)
            // If packets are late, all video tracks end together.
            let frameTimes = times(of: videoEnd * Double(share) / 100, &random)
            media.furtherVideos.append(
                SyntheticVideo(
                    frameTimes: isRemote ? media.frameTimes ?? frameTimes : frameTimes,
                    keyframeInterval: intervals[random.int(in: 0..<5)],
                    firstNumber: (index + 1) * 1000,
                    hasIndex: isRemote || random.int(in: 0..<3) != 0))
        }
        // Which audio a device has missed when it arrives late depends on when threads notice.
        for _ in 0..<(isRemote ? 0 : random.int(in: 0..<4)) {
            let milliseconds = max(50, Int64(seconds * 1000) + Int64(random.int(in: -200..<200)))
            media.sounds.append(
                SyntheticSound(
                    .sampleNumbers, duration: MediaTime(value: milliseconds, timescale: 1000)))
        }
        return media
    }

    private static func constantTimes(
        _ count: Int, using random: inout SplitMix64
    ) -> SyntheticFrameTimes {
        let rates: [(Int64, Int32)] = [
            (1, 24), (1, 25), (1001, 30000), (1, 30), (1, 60), (1001, 120_000), (1, 1000), (1, 2),
        ]
        let (value, scale) = rates[random.int(in: 0..<rates.count)]
        let start = random.int(in: 0..<4) == 0 ? MediaTime(value: 1, timescale: 10) : .zero
        return SyntheticFrameTimes(
            frameDuration: MediaTime(value: value, timescale: scale), count: count, start: start)
    }

    private static func variableTimes(
        _ count: Int, using random: inout SplitMix64
    ) -> SyntheticFrameTimes {
        var milliseconds = Int64(random.int(in: 0..<2) * 30)
        var times: [MediaTime] = []
        for _ in 0..<count {
            times.append(MediaTime(value: milliseconds, timescale: 1000))
            milliseconds += Int64([1, 7, 33, 40, 300][random.int(in: 0..<5)])
        }
        return SyntheticFrameTimes(
            times: times, end: MediaTime(value: milliseconds, timescale: 1000))
    }

    private static func faults(
        _ media: SyntheticMedia, count: Int, using random: inout SplitMix64
    ) -> SyntheticFaults {
        var faults = SyntheticFaults()
        guard random.int(in: 0..<2) == 0 else { return faults }
        // A frame without a time follows the previous one, which must exist, and the last frame
        // determines the end.
        var isPreviousWhole = true
        for frame in 0..<(count - 1) {
            let kind = isPreviousWhole ? random.int(in: 0..<12) : 11
            isPreviousWhole = kind > 2
            switch kind {
            case 0: faults.undecodableFrames.insert(frame)
            case 1 where frame % media.keyframeInterval != 0: faults.missingFrames.insert(frame)
            case 2: faults.framesWithoutTime.insert(frame)
            default: break
            }
        }
        return faults
    }

    // MARK: Moves

    /// A Boolean value that indicates whether no frame is damaged.
    var isWhole: Bool {
        media.faults.missingFrames.isEmpty && media.faults.undecodableFrames.isEmpty
            && media.faults.framesWithoutTime.isEmpty
    }

    /// Returns the next part of the media that arrives, as a duration; infinity for all of the rest.
    func arrival(using random: inout SplitMix64) -> MediaTime {
        random.int(in: 0..<16) == 0
            ? .positiveInfinity
            : MediaTime(value: Int64(random.int(in: 10..<500)), timescale: 1000)
    }

    /// Returns a range to repeat. Its end is between the starts of frames: data before a start may
    /// have been shown when the range is set.
    func range(using random: inout SplitMix64) -> (start: MediaTime, end: MediaTime) {
        guard let times = media.frameTimes else { return (.zero, .invalid) }
        let first = random.int(in: 0..<times.count)
        let start = random.int(in: 0..<3) == 0 ? .zero : times.time(of: first)
        let isOpen = random.int(in: 0..<3) == 0
        let last = random.int(in: first..<times.count)
        let end = times.time(of: last) + MediaTime(value: 123, timescale: 1_000_000)
        return (start, isOpen ? .invalid : end)
    }

    /// Returns the next advance of the clock. If frames are missing and others may be skipped when
    /// decoding is late, it is never so large that decoding is late, because the visible frame
    /// would be random.
    func move(using random: inout SplitMix64) -> MediaTime {
        let isFragile =
            media.bidirectionalFrames > 0
            && !(media.faults.missingFrames.isEmpty && media.faults.undecodableFrames.isEmpty)
        let limits: [Int64] =
            isFragile ? [1, 20] : kind == .remote ? [100, 400, 1000] : [1, 20, 100, 400, 1000]
        let milliseconds = Int64(random.int(in: 0..<Int(limits[random.int(in: 0..<limits.count)])))
        // Multiples of 4 ns are whole nanoseconds at all tested rates.
        let nanoseconds = milliseconds * 1_000_000 + Int64(random.int(in: 0..<1000) * 4)
        return MediaTime(nanoseconds: nanoseconds)
    }

    /// Returns the lead with which an output requests a frame.
    func lookahead(using random: inout SplitMix64) -> MediaTime {
        shortestFrame * Int32(random.int(in: 0..<4))
    }

    /// Returns a random time, usually the start of a frame.
    func time(using random: inout SplitMix64) -> MediaTime {
        guard let times = media.frameTimes else { return .zero }
        // Most of what arrives late has not arrived yet.
        let isEarly = kind == .remote && random.int(in: 0..<3) != 0
        let frame = random.int(in: 0..<(isEarly ? times.count / 4 : times.count))
        let start = times.time(of: frame)
        switch random.int(in: 0..<8) {
        case 0..<4: return start
        case 4: return start + times.duration(of: frame).multiplied(by: 1, over: 3)
        case 5: return start - MediaTime(value: 1, timescale: 2_000_000)
        case 6: return times.end + MediaTime(value: Int64(random.int(in: 0..<3)), timescale: 1)
        default: return MediaTime(value: Int64(random.int(in: -100..<2000)), timescale: 1000)
        }
    }

    func tolerance(using random: inout SplitMix64) -> MediaTime {
        [.zero, .zero, MediaTime(value: 1, timescale: 20), .positiveInfinity][
            random.int(in: 0..<4)]
    }
}
