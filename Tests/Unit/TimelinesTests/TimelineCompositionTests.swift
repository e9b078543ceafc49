// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadCompositions
import PlayheadTime
import Testing

@testable import PlayheadTimelines

/// The composition of a timeline whose media is computed: frames carry their numbers.
@Suite struct TimelineCompositionTests {
    private static func time(_ frames: Int) -> MediaTime {
        MediaTime(value: Int64(frames), timescale: 24)
    }

    private static let film: SyntheticAsset = {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(frameDuration: time(1), count: 100), sounds: [])
        (media.width, media.height) = (256, 32)
        return SyntheticAsset(media)
    }()
    private static let media = TimelineMedia.location(.file(path: "film"))

    private func clip(
        _ place: Int, _ length: Int, from start: Int, media: TimelineMedia = media,
        mediaLength: Int? = nil, available: MediaTimeRange? = nil
    ) -> TimelineClip {
        TimelineClip(
            name: "clip",
            timeRange: MediaTimeRange(
                start: Self.time(place), duration: Self.time(length)), media: media,
            mediaTimeRange: MediaTimeRange(
                start: Self.time(start), duration: Self.time(mediaLength ?? length)),
            availableTimeRange: available, frameDuration: Self.time(1), place: "clip")
    }

    private func compose(
        _ clips: [TimelineClip], duration: Int
    ) throws -> (Composition, [TimelineNote]) {
        let timeline = Timeline(
            name: "t",
            tracks: [
                TimelineTrack(
                    name: "", mediaType: .video, duration: Self.time(duration), clips: clips,
                    transitions: [])
            ])
        let description = try AssetReader(asset: Self.film).description
        let result = try TimelineComposer.composition(
            of: timeline, opened: [Self.media: .success((Self.film, description))]
        ) { image, width, height in
            StillAsset(name: "still", width: width, height: height) {
                image.picture(width: $0, height: $1)
            }
        }
        return (result.composition, result.notes)
    }

    /// The frames as `number start-end` in frames; `-` for one without a number.
    private func frames(_ composition: Composition) throws -> [String] {
        let output = try AssetReader(asset: composition.makeAsset()).addVideoOutput()
        var result: [String] = []
        while let frame = try output.copyNextSampleBuffer() {
            func number(_ time: MediaTime) -> Int64 { time.converted(toTimescale: 24).value }
            let name = FrameNumberStrip.read(from: frame.pixelBuffer).map { "\($0)" } ?? "-"
            let end = frame.presentationTime + frame.duration
            result.append("\(name) \(number(frame.presentationTime))-\(number(end))")
        }
        return result
    }

    @Test func `clips show their frames, and gaps one black frame`() throws {
        let (composition, notes) = try compose(
            [clip(2, 2, from: 10), clip(5, 1, from: 50)], duration: 8)
        let shown = try frames(composition)
        #expect(
            shown.map { $0.split(separator: " ")[1] } == ["0-2", "2-3", "3-4", "4-5", "5-6", "6-8"])
        #expect(shown[1] == "10 2-3" && shown[2] == "11 3-4" && shown[4] == "50 5-6")
        #expect(composition.duration == Self.time(8))
        #expect(notes.isEmpty)
    }

    @Test func `missing media has a placeholder of its length`() throws {
        let (composition, _) = try compose(
            [clip(0, 3, from: 10), clip(3, 40, from: 0, media: .missing), clip(43, 1, from: 7)],
            duration: 44)
        let shown = try frames(composition)
        #expect(shown.count == 5 && shown[3].hasSuffix(" 3-43") && shown[4] == "7 43-44")
    }

    @Test func `media that cannot be opened is reported with its reason`() throws {
        let other = TimelineMedia.location(.file(path: "gone"))
        let timeline = Timeline(
            name: "t",
            tracks: [
                TimelineTrack(
                    name: "", mediaType: .video, duration: Self.time(5),
                    clips: [clip(0, 5, from: 0, media: other)], transitions: [])
            ])
        let error = MediaError(.cannotOpen, subject: "gone", cause: "it is gone")
        let result = try TimelineComposer.composition(
            of: timeline, opened: [other: .failure(error)]
        ) { image, width, height in
            StillAsset(name: "still", width: width, height: height) {
                image.picture(width: $0, height: $1)
            }
        }
        #expect(result.composition.duration == Self.time(5))
        #expect(
            result.notes.map(\.description) == ["clip: gone: it is gone; a placeholder is shown"])
    }

    @Test func `a frame that stands still is shown once for the whole clip`() throws {
        let (composition, _) = try compose(
            [clip(0, 12, from: 31, mediaLength: 0), clip(12, 1, from: 5)], duration: 13)
        #expect(try frames(composition) == ["31 0-12", "5 12-13"])
    }

    @Test func `a clip at double speed shows every second frame twice as fast`() throws {
        let (composition, _) = try compose([clip(0, 4, from: 20, mediaLength: 8)], duration: 4)
        let shown = try frames(composition)
        #expect(shown.map { Int($0.split(separator: " ")[0]) } == Array(20..<28))
        #expect(composition.duration == Self.time(4))
    }

    @Test func `where the media ends, its last frame is held, and that is reported`() throws {
        let (composition, notes) = try compose([clip(0, 10, from: 96)], duration: 10)
        #expect(try frames(composition) == ["96 0-1", "97 1-2", "98 2-3", "99 3-4", "99 4-10"])
        #expect(notes.count == 1 && notes[0].text.contains("the nearest frame is held"))
        let (nothing, reasons) = try compose([clip(0, 10, from: 200)], duration: 10)
        #expect(try frames(nothing) == ["- 0-10"])
        #expect(reasons.count == 1)
    }

    @Test func `the start of the available range is that of the file`() throws {
        let hour = MediaTimeRange(
            start: MediaTime(value: 3600, timescale: 1), duration: Self.time(100))
        let (composition, _) = try compose(
            [clip(0, 2, from: 3600 * 24 + 40, available: hour)], duration: 2)
        #expect(try frames(composition) == ["40 0-1", "41 1-2"])
    }

    @Test func `a seek into a placeholder or a still gives it`() throws {
        let (composition, _) = try compose(
            [clip(0, 100, from: 31, mediaLength: 0), clip(100, 100, from: 0, media: .missing)],
            duration: 200)
        let reader = try AssetReader(
            asset: composition.makeAsset(),
            timeRange: MediaTimeRange(start: Self.time(50), duration: Self.time(100)))
        let output = try reader.addVideoOutput(includesPictureAtStart: true)
        var numbers: [Int?] = []
        while let frame = try output.copyNextSampleBuffer() {
            numbers.append(FrameNumberStrip.read(from: frame.pixelBuffer))
        }
        #expect(numbers.count == 2 && numbers.first == 31)
    }

    @Test func `a composition that is written reads as the same clips`() throws {
        let (composition, _) = try compose(
            [
                clip(0, 12, from: 31), clip(12, 30, from: 5, mediaLength: 15),
                clip(50, 7, from: 90),
            ], duration: 57)
        let timeline = try TimelineText.read(composition.openTimelineIO(name: "a \"name\"\n"))
        #expect(timeline.name == "a \"name\"\n")
        let clips = timeline.tracks[0].clips
        let segments = composition.tracks[0].segments
        #expect(clips.count == segments.count)
        for (clip, segment) in zip(clips, segments) {
            #expect(clip.timeRange == segment.timeMapping.target)
            #expect(clip.mediaTimeRange == segment.timeMapping.source)
        }
    }
}
