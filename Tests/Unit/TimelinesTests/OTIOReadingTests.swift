// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadAssets
import PlayheadTime
import PlayheadTimelines
import Testing

@Suite struct OTIOReadingTests {
    /// The clips of a track as `name start+duration` in frames of 1/24 s, and the media's start.
    private func clips(_ track: TimelineTrack?) -> [String] {
        (track?.clips ?? []).map { clip in
            func frames(_ time: MediaTime) -> Int64 { time.converted(toTimescale: 24).value }
            return "\(clip.name) \(frames(clip.timeRange.start))+\(frames(clip.timeRange.duration))"
                + " @\(frames(clip.mediaTimeRange.start))"
        }
    }

    private func video(_ tracks: [String]) throws -> [String] {
        clips(try TimelineText.read(TimelineText.timeline(tracks)).tracks.first)
    }

    @Test func `clips follow one another, and gaps keep their place`() throws {
        let timeline = try TimelineText.read(
            TimelineText.timeline([
                TimelineText.track([
                    TimelineText.clip("a", TimelineText.range(3, 3)), TimelineText.gap(5),
                    TimelineText.clip("b", TimelineText.range(2, 6)), TimelineText.gap(4),
                ])
            ]))
        #expect(clips(timeline.tracks.first) == ["a 0+3 @3", "b 8+6 @2"])
        #expect(timeline.duration == MediaTime(value: 18, timescale: 24))
        #expect(timeline.name == "test" && timeline.tracks.count == 1)
    }

    @Test func `the topmost enabled clip of a stack shows`() throws {
        let low = TimelineText.track([TimelineText.clip("low", TimelineText.range(0, 20))])
        let high = TimelineText.track([
            TimelineText.gap(5), TimelineText.clip("high", TimelineText.range(0, 4)),
            TimelineText.clip("off", TimelineText.range(0, 3), more: #""enabled": false,"#),
            TimelineText.clip("last", TimelineText.range(9, 10)),
        ])
        #expect(
            try video([low, high]) == [
                "low 0+5 @0", "high 5+4 @0", "low 9+3 @9", "last 12+10 @9",
            ])
        let hidden = TimelineText.track(
            [TimelineText.clip("x", TimelineText.range(0, 20))], more: #""enabled": false,"#)
        #expect(try video([low, hidden]) == ["low 0+20 @0"])
    }

    @Test func `a clip that covers several lower ones hides all of them`() throws {
        let low = TimelineText.track([
            TimelineText.clip("a", TimelineText.range(0, 4)),
            TimelineText.clip("b", TimelineText.range(0, 4)),
            TimelineText.clip("c", TimelineText.range(0, 4)),
        ])
        let high = TimelineText.track([
            TimelineText.gap(2), TimelineText.clip("h", TimelineText.range(0, 8)),
        ])
        #expect(try video([low, high]) == ["a 0+2 @0", "h 2+8 @0", "c 10+2 @2"])
    }

    @Test func `a nested stack is cut to its source range, which may begin before it`() throws {
        let inner = [
            TimelineText.track([
                TimelineText.clip("a", TimelineText.range(0, 10)),
                TimelineText.clip("b", TimelineText.range(5, 10)),
            ])
        ]
        func nested(_ start: Double, _ duration: Double) -> String {
            TimelineText.stack(
                inner, more: #""source_range": \#(TimelineText.range(start, duration)),"#)
        }
        #expect(try video([TimelineText.track([nested(6, 8)])]) == ["a 0+4 @6", "b 4+4 @5"])
        #expect(try video([TimelineText.track([nested(-2, 6)])]) == ["a 2+4 @0"])
    }

    @Test func `a time warp changes the part of the media and not the length`() throws {
        let warp = #""effects": [{"OTIO_SCHEMA": "LinearTimeWarp.1", "time_scalar": 2.0}],"#
        let freeze = #""effects": [{"OTIO_SCHEMA": "FreezeFrame.1", "time_scalar": 0}],"#
        let timeline = try TimelineText.read(
            TimelineText.timeline([
                TimelineText.track([
                    TimelineText.clip("fast", TimelineText.range(10, 6), more: warp),
                    TimelineText.clip("still", TimelineText.range(7, 5), more: freeze),
                ])
            ]))
        let clips = timeline.tracks[0].clips
        #expect(clips[0].timeRange.duration == MediaTime(value: 6, timescale: 24))
        #expect(clips[1].timeRange.duration == MediaTime(value: 5, timescale: 24))
        #expect(clips[0].mediaTimeRange.duration == MediaTime(value: 12, timescale: 24))
        #expect(clips[1].mediaTimeRange.duration == .zero)
    }

    @Test(arguments: [
        (23.976, 24000), (23.98, 24000), (24000.0 / 1001, 24000), (29.97, 30000),
        (59.94, 60000), (119.88, 120_000),
    ])
    func `rates near those of NTSC are exact`(rate: Double, scale: Int32) throws {
        let timeline = try TimelineText.read(
            TimelineText.timeline([
                TimelineText.track([TimelineText.clip("a", TimelineText.range(0, 100, rate))])
            ]))
        #expect(timeline.duration == MediaTime(value: 100 * 1001, timescale: scale))
    }

    @Test func `values that are not whole were computed from seconds at the written rate`() throws {
        let range = TimelineText.range(0, 71.94, 23.98)
        let timeline = try TimelineText.read(
            TimelineText.timeline([TimelineText.track([TimelineText.clip("a", range)])]))
        #expect(timeline.duration == MediaTime(value: 3, timescale: 1))
    }

    @Test func `any whole rate up to the largest timescale is one`() throws {
        let range = TimelineText.range(0, 352_800_000, 705_600_000)
        let timeline = try TimelineText.read(
            TimelineText.timeline([TimelineText.track([TimelineText.clip("a", range)])]))
        #expect(timeline.duration == MediaTime(value: 1, timescale: 2))
    }

    @Test func `audio tracks stay apart and other kinds are reported`() throws {
        let clip = TimelineText.clip("a", TimelineText.range(0, 5))
        let timeline = try TimelineText.read(
            TimelineText.timeline([
                TimelineText.track([clip], kind: "Audio"),
                TimelineText.track([clip], kind: "Audio"),
                TimelineText.track([clip], kind: "Subtitles"),
            ]))
        #expect(timeline.tracks.map(\.mediaType) == [.audio, .audio])
        #expect(timeline.notes.contains { "\($0)".contains("kind 'Subtitles' are ignored") })
    }

    @Test func `a transition keeps its place as a value`() throws {
        let transition = """
            {"OTIO_SCHEMA": "Transition.1", "name": "x", "transition_type": "SMPTE_Dissolve",
            "in_offset": \(TimelineText.time(3)), "out_offset": \(TimelineText.time(2))}
            """
        let timeline = try TimelineText.read(
            TimelineText.timeline([
                TimelineText.track([
                    TimelineText.clip("a", TimelineText.range(0, 10)), transition,
                    TimelineText.clip("b", TimelineText.range(5, 10)),
                ])
            ]))
        let found = try #require(timeline.tracks[0].transitions.first)
        #expect(found.kind == "SMPTE_Dissolve")
        #expect(found.cutTime == MediaTime(value: 10, timescale: 24))
        #expect(found.timeRange.start == MediaTime(value: 7, timescale: 24))
        #expect(found.timeRange.end == MediaTime(value: 12, timescale: 24))
        #expect(clips(timeline.tracks[0]) == ["a 0+10 @0", "b 10+10 @5"])
        #expect(timeline.notes.isEmpty)
    }

    @Test func `transitions at the ends of a track lengthen it and move nothing`() throws {
        let transition = """
            {"OTIO_SCHEMA": "Transition.1", "transition_type": "SMPTE_Dissolve",
            "in_offset": \(TimelineText.time(3)), "out_offset": \(TimelineText.time(2))}
            """
        let timeline = try TimelineText.read(
            TimelineText.timeline([
                TimelineText.track([
                    transition, TimelineText.clip("a", TimelineText.range(0, 10)), transition,
                ])
            ]))
        #expect(clips(timeline.tracks[0]) == ["a 0+10 @0"])
        #expect(timeline.duration == MediaTime(value: 15, timescale: 24))
        let starts = timeline.tracks[0].transitions.map(\.timeRange.start)
        #expect(starts == [-3, 7].map { MediaTime(value: $0, timescale: 24) })
    }

    @Test func `unknown schemas are reported once and the rest is read`() throws {
        let timeline = try TimelineText.read(
            TimelineText.timeline([
                TimelineText.track([
                    #"{"OTIO_SCHEMA": "Wormhole.3", "name": "w"}"#,
                    TimelineText.clip(
                        "a", TimelineText.range(0, 5),
                        more: #""effects": [{"OTIO_SCHEMA": "Effect.1", "effect_name": "Blur"}],"#),
                ])
            ]))
        #expect(clips(timeline.tracks.first) == ["a 0+5 @0"])
        #expect(timeline.notes.filter { $0.text.contains("'Wormhole'") }.count == 1)
        #expect(
            timeline.notes.contains {
                $0.place.contains("clip 'a'") && $0.text == "the effect 'Blur' is not applied"
            })
    }

    @Test(arguments: ["NaN", "Infinity", "-Infinity", "1e300"])
    func `a time that is not finite is an error with its place`(number: String) throws {
        let range = TimelineText.range(0, 5).replacingOccurrences(
            of: #""value": 5.0"#, with: "\"value\": \(number)")
        let text = TimelineText.timeline([
            TimelineText.track([TimelineText.clip("bad one", range)])
        ])
        let error = #expect(throws: MediaError.self) { try TimelineText.read(text) }
        #expect(error?.code == .damaged)
        #expect(error?.cause.contains("bad one") == true)
    }

    @Test func `numbers that are not finite do not matter where nothing depends on them`() throws {
        let text = TimelineText.timeline([
            TimelineText.track(
                [TimelineText.clip("a", TimelineText.range(0, 5))],
                more: #""metadata": {"x": [NaN, -Infinity, Inf]}, "y": NaN,"#)
        ])
        #expect(try TimelineText.read(text).tracks.count == 1)
    }

    @Test func `stacks nested 200 deep are read`() throws {
        var item = TimelineText.clip("deep", TimelineText.range(1, 8))
        for _ in 0..<200 { item = TimelineText.stack([TimelineText.track([item])]) }
        #expect(try video([TimelineText.track([item])]) == ["deep 0+8 @1"])
    }

    @Test func `a file that is nested too deeply, cut off or no timeline is refused`() throws {
        let deep = String(repeating: "[", count: 100_000)
        for text in [deep, "{\"OTIO_SCHEMA\": \"Timeline.1\"", "{}", "", "[]", "null"] {
            #expect(throws: MediaError.self) { try TimelineText.read(text) }
        }
        let clip = TimelineText.clip("a", "null")
        #expect(throws: MediaError.self) { try TimelineText.read(clip) }
    }

    @Test func `a hundred thousand clips are read`() throws {
        let clips = (0..<100_000).map { TimelineText.clip("c", TimelineText.range(Double($0), 2)) }
        let timeline = try TimelineText.read(TimelineText.timeline([TimelineText.track(clips)]))
        #expect(timeline.tracks[0].clips.count == 100_000)
        #expect(timeline.duration == MediaTime(value: 200_000, timescale: 24))
    }
}
