// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadFFmpeg
import PlayheadTime
import Testing

/// The properties of tracks.
@Suite(.enabled(if: Corpus.has("androidx-media"), Comment(rawValue: Corpus.absence)))
struct TrackTests {
    private func description(_ file: String) throws -> AssetDescription {
        try Opening.demuxer(try #require(Corpus.url(file)).path).description
    }

    @Test func `an edit list lists what is skipped at the start`() throws {
        let film = try description("androidx-media/media/mp4/dolbyVision-hdr.MOV")
        let sound = try #require(film.tracks.first { $0.mediaType == .audio })
        let segment = try #require(sound.segments.first)
        #expect(sound.segments.count == 1 && !segment.isEmpty)
        // AAC's priming: 2112 samples.
        #expect(segment.timeMapping.source.start == MediaTime(value: 2112, timescale: 44100))
        #expect(segment.timeMapping.target.start == .zero)
    }

    @Test func `an empty edit delays a track`() throws {
        let film = try description("androidx-media/media/mp4/sample_rotate_and_reflect.mp4")
        let sound = try #require(film.tracks.first { $0.mediaType == .audio })
        #expect(sound.segments.first?.isEmpty == true)
        let video = try #require(film.tracks.first { $0.mediaType == .video })
        #expect(video.preferredTransform == PictureOrientation(quarterTurns: 3, isMirrored: true))
        #expect(video.naturalSize == (1080, 720))
    }

    @Test func `mastering metadata and light levels reach stream and frames`() throws {
        let path = try #require(
            Corpus.url("androidx-media/media/mp4/hdr10-video-with-sdr-container.mp4")
        ).path
        let pictures = try AssetReader(asset: Opening.asset(path)).addVideoOutput()
        let picture = try #require(try pictures.copyNextSampleBuffer()).pixelBuffer
        let display = try #require(picture.attachments.masteringDisplayColorVolume)
        // The value in the file, though no display is that dark.
        #expect(display.maximumLuminance == 0.1 && display.minimumLuminance == 0.005)
        let white = try #require(display.chromaticities?.white)
        // D65.
        #expect(abs(white.x - 0.3127) < 0.001 && abs(white.y - 0.3290) < 0.001)
        #expect(picture.attachments.contentLightLevel?.maximumContentLightLevel == 1000)
        #expect(picture.attachments.contentLightLevel?.maximumFrameAverageLightLevel == 200)
    }

    @Test func `Dolby Vision is reported with its profile`() throws {
        let film = try description("androidx-media/media/mp4/dolbyVision-hdr.MOV")
        let video = try #require(film.preferredTrack(of: .video)?.formatDescription.video)
        #expect(video.dolbyVision?.profile == 8 && video.dolbyVision?.baseCompatibility == 4)
    }

    @Test func `audio has a channel layout`() throws {
        let film = try description("androidx-media/media/mka/opus-5.1.mka")
        let audio = try #require(film.tracks.first?.formatDescription.audio)
        #expect(
            audio.channels == [
                .frontLeft, .frontRight, .frontCenter, .lowFrequency, .backLeft, .backRight,
            ])
    }

    /// A measured duration is the sum of the frames' durations, and an estimate is marked as one.
    @Test func `a duration is measured on request`() throws {
        let path = try #require(Corpus.url("androidx-media/media/mp3/bear-id3.mp3")).path
        let estimated = try Opening.demuxer(path).description
        #expect(!estimated.providesPreciseDurationAndTiming)
        let opener = FFmpegOpener(
            path: path, options: AssetOptions(prefersPreciseDurationAndTiming: true))
        let measured = try opener.openDemuxer(cancellation: Cancellation()).description
        #expect(measured.providesPreciseDurationAndTiming)
        let sound = try Opening.sound(path, format: .stereo(sampleRate: 48000))
        let samples = sound.reduce(0) { $0 + $1.frameCount }
        let heard = MediaTime(value: Int64(samples), timescale: 48000)
        // Within the frame of 1152 samples that the decoder may hold back.
        #expect((measured.duration - heard).magnitude <= MediaTime(value: 1152, timescale: 48000))
    }

    /// Writers of fragmented videos do not know it when they start.
    @Test func `a duration of all ones is unknown and is measured on request`() throws {
        let path = try #require(Corpus.url("androidx-media/media/mp4/sample_fragmented.mp4")).path
        let unknown = try Opening.demuxer(path).description
        #expect(unknown.duration == .indefinite)
        #expect(!unknown.providesPreciseDurationAndTiming)
        #expect(unknown.tracks.allSatisfy { $0.timeRange.duration == .indefinite })
        #expect(unknown.dataRate == 0 && unknown.tracks.allSatisfy { $0.estimatedDataRate == 0 })
        let opener = FFmpegOpener(
            path: path, options: AssetOptions(prefersPreciseDurationAndTiming: true))
        let measured = try opener.openDemuxer(cancellation: Cancellation()).description
        #expect(abs(measured.duration.seconds - 1.07) < 0.01)
    }
}
