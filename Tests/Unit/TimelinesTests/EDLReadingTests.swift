// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime
import PlayheadTimelines
import Testing

@Suite struct EDLReadingTests {
    private func read(_ lines: [String], rate: Int32 = 24) throws -> Timeline {
        try TimelineText.read(
            lines.joined(separator: "\r\n"), as: "cut.edl",
            options: TimelineOptions(
                editListFrameDuration: MediaTime(value: 1, timescale: rate)))
    }

    private func clips(_ timeline: Timeline, rate: Int32 = 24) -> [String] {
        (timeline.tracks.first?.clips ?? []).map { clip in
            func frames(_ time: MediaTime) -> Int64 { time.converted(toTimescale: rate).value }
            return "\(clip.name) \(frames(clip.timeRange.start))+\(frames(clip.timeRange.duration))"
                + " @\(frames(clip.mediaTimeRange.start))+\(frames(clip.mediaTimeRange.duration))"
        }
    }

    @Test func `events follow the record, and its holes are gaps`() throws {
        let timeline = try read([
            "TITLE: a title", "FCM: NON-DROP FRAME",
            "001  AX V     C        00:00:01:00 00:00:02:00 01:00:00:00 01:00:01:00",
            "* FROM CLIP NAME: first",
            "002  AX V     C        00:00:05:00 00:00:05:12 01:00:02:00 01:00:02:12",
            "* FROM CLIP NAME: second",
        ])
        #expect(clips(timeline) == ["first 0+24 @24+24", "second 48+12 @120+12"])
        #expect(timeline.name == "a title")
        #expect(timeline.startTimecode == MediaTime(value: 3600, timescale: 1))
    }

    @Test func `channels become tracks, and a later one keeps its place`() throws {
        let timeline = try read([
            "001  AX V     C        00:00:01:00 00:00:02:00 01:00:00:00 01:00:01:00",
            "002  AX AA/V  C        00:00:05:00 00:00:05:12 01:00:01:00 01:00:01:12",
        ])
        #expect(timeline.tracks.map(\.mediaType) == [.video, .audio, .audio])
        #expect(
            timeline.tracks.map { $0.clips.last?.timeRange.start.seconds ?? -1 } == [1, 1, 1])
        #expect(timeline.tracks[0].clips.map(\.name) == ["001", "002"])
    }

    @Test func `a dissolve begins at the start of its event`() throws {
        let timeline = try read([
            "001  T V     C        01:00:04:05 01:00:04:14 01:00:00:00 01:00:00:09",
            "* FROM CLIP NAME: clip_A",
            "002  T V     C        01:00:04:14 01:00:04:14 01:00:00:09 01:00:00:09",
            "002  T V     D    010 01:00:08:08 01:00:08:18 01:00:00:09 01:00:00:19",
            "* FROM CLIP NAME: clip_A", "* TO CLIP NAME: clip_B",
        ])
        #expect(clips(timeline) == ["clip_A 0+9 @86501+9", "clip_B 9+10 @86600+10"])
        let transition = try #require(timeline.tracks[0].transitions.first)
        #expect(transition.kind == "SMPTE_Dissolve")
        #expect(transition.timeRange.start == MediaTime(value: 9, timescale: 24))
        #expect(transition.timeRange.duration == MediaTime(value: 10, timescale: 24))
    }

    @Test func `speed changes and still frames keep the length of the record`() throws {
        let timeline = try read([
            "001  Z V     C        00:00:06:00 00:00:08:22 00:00:00:00 00:00:01:12",
            "M2   Z       047.6                00:00:06:00", "* FROM CLIP NAME: fast",
            "002  Z V     C        00:00:10:21 00:00:10:22 00:00:01:12 00:00:02:00",
            "M2   Z       000.0                00:00:10:21", "* FROM CLIP NAME: still FF",
            "* * FREEZE FRAME",
        ])
        #expect(clips(timeline) == ["fast 0+36 @144+71", "still 36+12 @261+0"])
    }

    @Test func `drop-frame timecode counts real time`() throws {
        let timeline = try read([
            "FCM: DROP FRAME",
            "001  AX V     C        00:00:00;00 00:10:00;00 00:00:00;00 00:10:00;00",
        ])
        // 17,982 frames in ten minutes: SMPTE 12M.
        #expect(timeline.duration == MediaTime(value: 17982 * 1001, timescale: 30000))
    }

    @Test func `durations that disagree are reported, and the record counts`() throws {
        let timeline = try read([
            "001  AX V     C        00:00:01:00 00:00:02:00 01:00:00:00 01:00:02:00"
        ])
        #expect(clips(timeline) == ["001 0+48 @24+48"])
        #expect(timeline.notes.contains { $0.text.contains("differ") })
    }

    @Test(arguments: [
        "001 AX V C 00:00:01:00 00:00:02:00 01:00:00:00", "001 AX V C a b c d",
        "001 AX V C 00:00:02:00 00:00:01:00 01:00:00:00 01:00:01:00",
        "001 AX V C 00:00:01:24 00:00:02:00 01:00:00:00 01:00:01:00",
        "001 AX V C 99999999999999999999 1 2 3", "no edit decision list", "",
    ])
    func `a line that is wrong is an error`(line: String) throws {
        #expect(throws: MediaError.self) { try read([line]) }
    }
}
