// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadCompositions
import PlayheadTime
import PlayheadVideoCompositions
import Testing

@testable import PlayheadTimelines

/// Transitions of timelines become transitions of video compositions.
@Suite struct TimelineTransitionTests {
    private static let film: SyntheticAsset = {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(frameDuration: time(1), count: 100), sounds: [])
        (media.width, media.height) = (256, 32)
        return SyntheticAsset(media)
    }()
    private static let media = TimelineMedia.location(.file(path: "film"))

    private static func time(_ frames: Int) -> MediaTime {
        MediaTime(value: Int64(frames), timescale: 24)
    }

    private static func range(_ start: Int, _ end: Int) -> MediaTimeRange {
        MediaTimeRange(start: time(start), end: time(end))
    }

    private func clip(_ start: Int, _ end: Int, from frame: Int) -> TimelineClip {
        TimelineClip(
            name: "clip", timeRange: Self.range(start, end), media: Self.media,
            mediaTimeRange: Self.range(frame, frame + end - start), availableTimeRange: nil,
            frameDuration: Self.time(1), place: "clip")
    }

    private func transition(
        _ kind: String, _ start: Int, cut: Int, _ end: Int
    ) -> TimelineTransition {
        TimelineTransition(
            name: "", kind: kind, timeRange: Self.range(start, end), cutTime: Self.time(cut))
    }

    private func compose(
        _ clips: [TimelineClip], _ transitions: [TimelineTransition], duration: Int
    ) throws -> TimelineComposer.Result {
        let timeline = Timeline(
            name: "",
            tracks: [
                TimelineTrack(
                    name: "", mediaType: .video, duration: Self.time(duration), clips: clips,
                    transitions: transitions)
            ])
        let description = try AssetReader(asset: Self.film).description
        return try TimelineComposer.composition(
            of: timeline, opened: [Self.media: .success((Self.film, description))]
        ) { image, width, height in
            StillAsset(name: "still", width: width, height: height) {
                image.picture(width: $0, height: $1)
            }
        }
    }

    /// The tracks' frames as `number start-end`; nothing where a track is empty.
    private func frames(_ result: TimelineComposer.Result) throws -> [[String]] {
        try result.composition.tracks.map { track in
            let output = try AssetReader(asset: result.composition.makeAsset())
                .addVideoOutput(trackID: track.trackID)
            var numbers: [String] = []
            while let frame = try output.copyNextSampleBuffer() {
                let time = frame.presentationTime.converted(toTimescale: 24).value
                let number = FrameNumberStrip.read(from: frame.pixelBuffer)
                numbers.append("\(time):\(number.map { "\($0)" } ?? "-")")
            }
            return numbers
        }
    }

    /// The instructions as `start-end tracks kind`.
    private func instructions(_ result: TimelineComposer.Result) -> [String] {
        let ids = result.composition.tracks.map(\.trackID)
        return (result.videoComposition?.instructions ?? []).map { instruction in
            func frame(_ time: MediaTime) -> Int64 { time.converted(toTimescale: 24).value }
            let layers = instruction.layerInstructions.map {
                "\(ids.firstIndex(of: $0.trackID) ?? -1)"
            }
            let range = "\(frame(instruction.timeRange.start))-\(frame(instruction.timeRange.end))"
            let kind = VideoCompositionTransition.Kind.names.first {
                VideoCompositionTransition.Kind(name: $0) == instruction.transition?.kind
            }
            return "\(range) \(layers.joined(separator: "+"))" + (kind.map { " \($0)" } ?? "")
        }
    }

    @Test func `both clips run during a transition, with frames from beyond the cut`() throws {
        let result = try compose(
            [clip(0, 10, from: 20), clip(10, 20, from: 50)],
            [transition("SMPTE_Dissolve", 8, cut: 10, 13)], duration: 20)
        #expect(
            instructions(result) == ["0-8 0", "8-13 0+1 dissolve", "13-20 1"])
        let frames = try frames(result)
        #expect(frames[0] == (0..<13).map { "\($0):\(20 + $0)" })
        #expect(frames[1] == (8..<20).map { "\($0):\(40 + $0)" })
        #expect(result.notes.isEmpty)
        #expect(result.videoComposition?.frameDuration == Self.time(1))
        let tracks = try AssetReader(asset: result.composition.makeAsset()).description.tracks
        #expect(
            result.videoComposition?.isValid(tracks: tracks, timeRange: Self.range(0, 20)) == true)
    }

    @Test func `transitions of audio become two tracks that overlap, with crossfades`() throws {
        let sound = SyntheticAsset(
            SyntheticMedia(
                frameTimes: nil,
                sounds: [SyntheticSound(duration: MediaTime(value: 9, timescale: 1))]))
        let timeline = Timeline(
            name: "",
            tracks: [
                TimelineTrack(
                    name: "", mediaType: .audio, duration: Self.time(30),
                    clips: [
                        clip(0, 10, from: 20), clip(10, 20, from: 50), clip(20, 30, from: 80),
                    ],
                    transitions: [
                        transition("SMPTE_Dissolve", 8, cut: 10, 13),
                        transition("Custom_Transition", 19, cut: 20, 21),
                    ])
            ])
        let description = try AssetReader(asset: sound).description
        let result = try TimelineComposer.composition(
            of: timeline, opened: [Self.media: .success((sound, description))]
        ) { image, width, height in
            StillAsset(name: "still", width: width, height: height) {
                image.picture(width: $0, height: $1)
            }
        }
        let tracks = result.composition.tracks
        #expect(
            result.crossfades == [
                AudioCrossfade(
                    trackIDs: tracks.map(\.trackID),
                    timeRanges: [Self.range(8, 13), Self.range(19, 21)])
            ])
        #expect(result.videoComposition == nil)
        let segments = tracks.map { track in
            track.segments.filter { !$0.isEmpty }.map(\.timeMapping.target)
        }
        #expect(segments == [[Self.range(0, 13), Self.range(19, 30)], [Self.range(8, 21)]])
        #expect(result.notes.isEmpty)
    }

    @Test func `clips change lanes at each transition, and not at cuts`() throws {
        let result = try compose(
            [
                clip(0, 10, from: 0), clip(10, 20, from: 30), clip(20, 30, from: 60),
                clip(30, 40, from: 80),
            ],
            [
                transition("SMPTE_Dissolve", 8, cut: 10, 12),
                transition("push-left", 29, cut: 30, 32),
            ], duration: 40)
        #expect(
            instructions(result) == [
                "0-8 0", "8-12 0+1 dissolve", "12-29 1", "29-32 1+0 push-left",
                "32-40 0",
            ])
    }

    @Test func `a transition at an end, or beside a gap, is from or to the background`() throws {
        let result = try compose(
            [clip(0, 10, from: 20)],
            [
                transition("SMPTE_Dissolve", 0, cut: 0, 3),
                transition("SMPTE_Dissolve", 7, cut: 10, 10),
            ], duration: 15)
        #expect(
            instructions(result) == [
                "0-3 0+1 dissolve", "3-7 1", "7-10 1+0 dissolve", "10-15 0",
            ])
        #expect(result.composition.duration == Self.time(15))
    }

    @Test func `transitions that do not fit are shortened or become cuts, with a note`() throws {
        let result = try compose(
            [clip(0, 4, from: 20), clip(4, 20, from: 50)],
            [
                transition("SMPTE_Dissolve", -4, cut: 4, 8),
                transition("SMPTE_Dissolve", 11, cut: 12, 13),
            ], duration: 20)
        #expect(instructions(result) == ["0-8 0+1 dissolve", "8-20 1"])
        #expect(result.notes.count == 2)
        let unknown = try compose(
            [clip(0, 10, from: 20), clip(10, 20, from: 50)],
            [transition("Sparkle", 8, cut: 10, 13)], duration: 20)
        #expect(
            unknown.notes.map(\.description)
                == ["transition: 'Sparkle' is not known; a dissolve is shown"])
        #expect(instructions(unknown)[1] == "8-13 0+1 dissolve")
    }

    @Test func `a timeline without transitions has one video track and no rules`() throws {
        let result = try compose([clip(0, 10, from: 20)], [], duration: 10)
        #expect(result.videoComposition == nil)
        #expect(result.composition.tracks.count == 1)
    }
}
