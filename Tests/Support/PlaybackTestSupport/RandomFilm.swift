// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadTime

/// Random media of any kind: constant and variable rates, any keyframe interval, reordered frames,
/// frames without times, missing packets, frames that cannot be decoded, with audio and without.
struct RandomFilm {
    let media: SyntheticMedia
    let hasSound: Bool
    private let shortestFrame: MediaTime

    init(using random: inout SplitMix64) {
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
        hasSound = random.int(in: 0..<6) == 0
        if hasSound {
            let milliseconds = Int64(times.end.seconds * 1000) + Int64(random.int(in: -200..<200))
            let duration = MediaTime(value: max(50, milliseconds), timescale: 1000)
            media.sounds = [SyntheticSound(.sampleNumbers, duration: duration)]
        }
        self.media = media
        shortestFrame = (0..<count).map(times.duration(of:)).min() ?? .zero
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

    /// Returns the next advance of the clock. If frames are missing and others may be skipped when
    /// decoding is late, it is never so large that decoding is late, because the visible frame
    /// would be random.
    func move(using random: inout SplitMix64) -> MediaTime {
        let isFragile =
            media.bidirectionalFrames > 0
            && !(media.faults.missingFrames.isEmpty && media.faults.undecodableFrames.isEmpty)
        let limits: [Int64] = isFragile ? [1, 20] : [1, 20, 100, 400, 1000]
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
        let frame = random.int(in: 0..<times.count)
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
