// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadEditing
import Testing

// The code of Documentation/Editing.md; a test compares the two.

private struct MakingVideos {
    // document begins
    /// Writes four seconds of a red that brightens, with a tone.
    func writeClip(to path: String) async throws {
        let writer = try AssetWriter(path: path)
        let frameDuration = MediaTime(value: 1, timescale: 25)
        let video = AssetWriterInput(
            video: VideoOutputSettings(
                codec: .h264, width: 320, height: 180, frameDuration: frameDuration))
        let format = AudioFormat.stereo(sampleRate: 48_000)
        let audio = AssetWriterInput(audio: AudioOutputSettings(codec: .aac, format: format))
        try writer.add(video)
        try writer.add(audio)
        try writer.startWriting()
        try writer.startSession(atSourceTime: .zero)
        for number in 0..<100 {
            let time = MediaTime(value: Int64(number), timescale: 25)
            let frame = PixelBuffer(format: .rgba, width: 320, height: 180) { _, bytes, _ in
                let pixels = bytes.bindMemory(to: UInt32.self)  // alpha, blue, green, red
                pixels.update(repeating: 0xFF00_0000 | UInt32(number * 2))
            }
            try await video.append(frame, at: time)
            let tone = AudioBuffer(format: format, presentationTime: time, frameCount: 1920) {
                for index in $0.indices {
                    $0[index] = 0.3 * sin(2 * .pi * 500 * Float(index / 2) / 48_000)
                }
            }
            try await audio.append(tone)
        }
        try video.markAsFinished()
        try audio.markAsFinished()
        try await writer.finishWriting()
    }
    // document ends

    // document begins
    struct MissingTrack: Error {}

    /// Inserts the first three seconds of an asset into new tracks, and returns the tracks'
    /// identifiers. The asset must have that duration. If it has no audio, `audio` is nil.
    func insert(
        _ asset: Asset, into composition: MutableComposition, at time: MediaTime
    ) async throws -> (video: Int, audio: Int?) {
        let description = try await asset.load(.description)
        let range = MediaTimeRange(
            start: description.startTime, duration: MediaTime(value: 3, timescale: 1))
        func insert(_ type: MediaType) throws -> Int? {
            guard let source = description.preferredTrack(of: type) else { return nil }
            let track = try composition.addMutableTrack(withMediaType: type)
            try track.insertTimeRange(range, of: source, in: asset, at: time)
            return track.trackID
        }
        guard let video = try insert(.video) else { throw MissingTrack() }
        return (video, try insert(.audio))
    }

    /// Composes two videos: two seconds of the first, a wipe of one second, two of the second.
    func compose(
        _ first: Asset, _ second: Asset
    ) async throws -> (MutableComposition, VideoComposition, AudioMix) {
        let overlap = MediaTimeRange(
            start: MediaTime(value: 2, timescale: 1), duration: MediaTime(value: 1, timescale: 1))
        let composition = MutableComposition()
        let a = try await insert(first, into: composition, at: .zero)
        let b = try await insert(second, into: composition, at: overlap.start)

        let layers = [a, b].map { VideoCompositionLayerInstruction(trackID: $0.video) }
        var wipe = VideoCompositionInstruction(timeRange: overlap, layerInstructions: layers)
        wipe.transition = VideoCompositionTransition(
            .wipe(from: .left), from: a.video, to: b.video)
        var video = VideoComposition(propertiesOf: composition)
        video.instructions = [
            VideoCompositionInstruction(
                timeRange: MediaTimeRange(start: .zero, end: overlap.start),
                layerInstructions: [layers[0]]),
            wipe,
            VideoCompositionInstruction(
                timeRange: MediaTimeRange(start: overlap.end, end: composition.duration),
                layerInstructions: [layers[1]]),
        ]

        var mix = AudioMix()
        for (track, start, end) in [(a.audio, 1, 0), (b.audio, 0, 1)] as [(Int?, Float, Float)] {
            guard let track else { continue }
            var fade = AudioMixInputParameters(trackID: track)
            fade.setVolumeRamp(from: start, to: end, timeRange: overlap)
            mix.inputParameters.append(fade)
        }
        return (composition, video, mix)
    }
    // document ends

    // document begins
    /// Adds quiet music, up to the end of the composition, and returns its mix parameters.
    func addMusic(
        _ music: Asset, to composition: MutableComposition
    ) async throws -> AudioMixInputParameters {
        let description = try await music.load(.description)
        guard let source = description.preferredTrack(of: .audio) else { throw MissingTrack() }
        let duration = min(composition.duration, description.duration)
        let track = try composition.addMutableTrack(withMediaType: .audio)
        try track.insertTimeRange(
            MediaTimeRange(start: description.startTime, duration: duration), of: source, in: music,
            at: .zero)
        var volume = AudioMixInputParameters(trackID: track.trackID)
        volume.setVolume(0.3, at: .zero)
        let lastSecond = MediaTime(value: 1, timescale: 1)
        volume.setVolumeRamp(
            from: 0.3, to: 0,
            timeRange: MediaTimeRange(start: duration - lastSecond, duration: lastSecond))
        return volume
    }
    // document ends

    // document begins
    func play(
        _ composition: Composition, video: VideoComposition, audio: AudioMix
    ) async throws -> Player {
        let item = PlayerItem(asset: composition.makeAsset())
        item.videoComposition = video
        item.audioMix = audio
        let player = Player(playerItem: item)
        try await item.waitUntilReady()
        for track in item.tracks where track.assetTrack.mediaType == .audio {
            track.isEnabled = true
        }
        player.play()
        return player
    }
    // document ends

    // document begins
    func export(
        _ composition: Composition, video: VideoComposition, audio: AudioMix, to path: String
    ) async throws {
        let session = AssetExportSession(composition: composition, preset: .mediumQuality)
        session.videoComposition = video
        session.audioMix = audio
        let states = session.states()
        let progress = Task {
            for await case .exporting(let fraction) in states {
                print("\(Int(fraction * 100)) %")
            }
        }
        try await session.export(to: path)
        await progress.value
    }
    // document ends

    // document begins
    /// Adds a title that fades in and out during the first three seconds.
    func addTitle(_ text: String, to video: inout VideoComposition) throws {
        var title = try Layer.text(
            text, style: TextStyle(size: Double(video.renderSize.height) / 8, outlineWidth: 2),
            frame: .fraction(LayerRect(x: 0, y: 0.7, width: 1, height: 0.25)), gravity: .center)
        title.opacity = 0
        title.animations = [
            LayerAnimation(
                .opacity([0, 1, 1, 0]), beginTime: .zero,
                duration: MediaTime(value: 3, timescale: 1))
        ]
        video.animationTool = VideoCompositionAnimationTool(over: [title])
    }
    // document ends

    // document begins
    /// Applies an effect to a file, such as a recording of a camera, and saves the result.
    func apply(_ effect: EffectInstance, to asset: Asset, savingTo path: String) async throws {
        let session = AssetExportSession(asset: asset, preset: .highestQuality)
        session.videoComposition = try await VideoComposition(applying: [effect], to: asset)
        try await session.export(to: path)
    }
    // document ends

    // document begins
    func trim(_ asset: Asset, to range: MediaTimeRange, savingTo path: String) async throws {
        let session = AssetExportSession(asset: asset, preset: .passthrough)
        session.timeRange = range
        try await session.export(to: path)
    }
    // document ends

    // document begins
    /// Joins two videos under a title and music, and saves the result.
    func join(
        _ first: Asset, _ second: Asset, title: String, music: Asset, savingTo path: String
    ) async throws {
        var (composition, video, audio) = try await compose(first, second)
        try addTitle(title, to: &video)
        audio.inputParameters.append(try await addMusic(music, to: composition))
        try await export(composition, video: video, audio: audio, to: path)
    }
    // document ends
}

/// The code of the guide, run.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct MakingVideosTests {
    private let guide = MakingVideos()

    private func seconds(_ value: Int64, _ timescale: Int32 = 1) -> MediaTime {
        MediaTime(value: value, timescale: timescale)
    }

    @Test func `clips are written, composed with a wipe and a title, exported and processed`()
        async throws
    {
        let folder = TemporaryFolder()
        let paths = ["clip.mp4", "joined.mp4", "part.mp4", "dark.mp4"]
            .map { folder.appending($0).path }
        try await guide.writeClip(to: paths[0])
        let clip = URLAsset(paths[0])
        #expect(try await clip.load(.duration) == seconds(4))

        var (composition, video, audio) = try await guide.compose(clip, clip)
        #expect(composition.duration == seconds(5))
        let isValid = try await video.isValid(for: composition.makeAsset())
        #expect(isValid)

        // Half of the wipe: on the left the second clip's dark start, on the right the first's end.
        let asset = composition.makeAsset()
        let generator = ImageGenerator(asset: asset, videoComposition: video, options: .exact)
        let half = try await generator.image(at: seconds(5, 2)).image
        #expect(half[20, 90].x < 60 && half[300, 90].x > 90, "\(half[20, 90]), \(half[300, 90])")

        try guide.addTitle("Playhead", to: &video)
        let titled = ImageGenerator(asset: asset, videoComposition: video, options: .exact)
        let (start, middle) = try await (
            titled.image(at: .zero).image, titled.image(at: seconds(3, 2)).image
        )
        func whitePixels(of image: RGBAImage) -> Int {
            (0..<image.width * image.height).count { image.bytes[$0 * 4 + 1] > 200 }
        }
        #expect(whitePixels(of: start) == 0 && whitePixels(of: middle) > 100)

        let player = try await guide.play(composition, video: video, audio: audio)
        let item = try #require(player.currentItem)
        #expect(item.duration == seconds(5))
        let areHeard = await eventually {
            item.tracks.filter { $0.assetTrack.mediaType == .audio }.allSatisfy(\.isEnabled)
        }
        #expect(areHeard)
        player.pause()

        try await guide.join(clip, clip, title: "Playhead", music: clip, savingTo: paths[1])
        let joined = URLAsset(paths[1])
        #expect(try await joined.load(.duration) == seconds(5))
        let range = MediaTimeRange(start: seconds(1), duration: seconds(2))
        try await guide.trim(joined, to: range, savingTo: paths[2])
        #expect(try await URLAsset(paths[2]).load(.duration) == seconds(2))

        let vignette = EffectInstance(try EffectLibrary.load("vignette"))
        try await guide.apply(vignette, to: clip, savingTo: paths[3])
        let dark = ImageGenerator(asset: URLAsset(paths[3]), options: .exact)
        let last = try await dark.image(at: seconds(39, 10)).image
        #expect(last[160, 90].x > last[2, 2].x + 20, "\(last[160, 90]), \(last[2, 2])")
    }
}
