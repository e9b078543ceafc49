// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// Times of WebVTT cues in HLS.
@Suite("Times of cues in streams")
struct TextClockTests {
    private static func time(_ seconds: Double) -> MediaTime {
        MediaTime(value: Int64((seconds * 90_000).rounded()), timescale: 90_000)
    }

    private static func segment(_ start: Double, _ end: Double) -> MediaTimeRange {
        MediaTimeRange(start: time(start), end: time(end))
    }

    /// A stream whose timestamps begin anywhere, and a writer that relates any time of cues to any
    /// moment of the clock, which begins again after 26.5 hours.
    @Test func `cues are at their times, whatever moment the map states`() {
        var random = SplitMix64(seed: 33)
        for _ in 0..<5000 {
            let offset = Int64.random(in: 0..<TextClock.period * 3, using: &random)
            let start = Double(Int.random(in: 0..<90_000, using: &random))
            let cue = Int64((start * 1000).rounded()) + .random(in: -3000...6000, using: &random)
            let moment = Int64.random(in: -100_000...100_000, using: &random)
            let local = Int64.random(in: 0...10_000_000, using: &random)
            // The item time `moment` has this timestamp, and the local time `local`.
            let clock = offset + moment * 90
            let map = WebVTTFile.TimestampMap(
                clock: ((clock % TextClock.period) + TextClock.period) % TextClock.period,
                local: local)
            let written = cue - moment + local
            let found = TextClock(
                map, cues: written...written + 1000, in: Self.segment(start, start + 6),
                offset: MediaTime(value: offset, timescale: 90_000), isContinuous: true
            ).range(start: written, end: written + 1000)
            #expect(found.start == MediaTime(value: cue, timescale: 1000))
            #expect(found.duration == MediaTime(value: 1, timescale: 1))
        }
    }

    /// The timestamp at the zero of the timeline, the cue, and its time, in a segment from 60 s to
    /// 66 s.
    @Test(
        arguments: [
            // Time zero of cues is that of the clock.
            (0, 61, 61), (1.4, 62, 60.6),
            // Writers that ignore the clock use the times of the timeline, or those of the segment.
            (10, 61, 61), (50_000, 61, 61), (50_000, 2, 62),
            // There is no relation: cues begin with their segment.
            (50_000, 9000, 60),
        ] as [(Double, Double, Double)])
    func `without a map, cues are in their segment`(
        offset: Double, cue: Double, expected: Double
    ) {
        let start = Int64(cue * 1000)
        let clock = TextClock(
            nil, cues: start...start, in: Self.segment(60, 66), offset: Self.time(offset),
            isContinuous: true)
        let found = clock.range(start: start, end: start + 1000).start
        #expect(abs(found.seconds - expected) < 0.001, "\(found)")
    }

    @Test func `after a discontinuity, a map that leads elsewhere is not used`() {
        let map = WebVTTFile.TimestampMap(clock: 0, local: 0)
        func start(_ isContinuous: Bool, _ cue: Int64) -> Double {
            TextClock(
                map, cues: cue...cue, in: Self.segment(600, 606), offset: .zero,
                isContinuous: isContinuous
            ).range(start: cue, end: cue + 1).start.seconds
        }
        #expect(start(true, 2000) == 2)
        #expect(start(false, 2000) == 602)
        #expect(start(false, 602_000) == 602)
    }

    @Test func `extreme times do not overflow`() {
        for value in [Int64.min, -1, 0, 1, Int64.max] {
            for map in [nil, WebVTTFile.TimestampMap(clock: 1 << 40, local: 1 << 51)] {
                let time = MediaTime(value: value, timescale: 1)
                let clock = TextClock(
                    map, cues: 0...(1 << 51), in: MediaTimeRange(start: time, duration: time),
                    offset: time, isContinuous: value > 0)
                _ = clock.range(start: 1 << 51, end: 1 << 51)
            }
        }
    }
}
