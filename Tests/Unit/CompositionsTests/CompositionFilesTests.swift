// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadCompositions
import PlayheadFFmpeg
import PlayheadTime
import Testing

/// Cuts from real files, as encoders and containers store them.
@Suite(.enabled(if: SyntheticClip.isAvailable, "ffmpeg is not installed"))
struct CompositionFilesTests {
    /// A way to store a video.
    struct Storage: Sendable, CustomTestStringConvertible {
        var codec: String
        var container: String
        var options: [String] = []
        var sound = "aac"

        var testDescription: String { "\(codec) in \(container) \(options.joined(separator: " "))" }
    }

    private struct Shown: Equatable {
        var number: Int?
        var time: MediaTime
    }

    static let storages: [Storage] = [
        Storage(codec: "libx264", container: "mp4"),
        Storage(codec: "libx264", container: "mp4", options: ["-x264-params", "open-gop=1"]),
        Storage(codec: "libx264", container: "ts"),
        Storage(codec: "libx265", container: "mkv", options: ["-x265-params", "log-level=none"]),
        Storage(
            codec: "libvpx-vp9", container: "webm", options: ["-deadline", "realtime"],
            sound: "libopus"),
        Storage(
            codec: "mpeg2video", container: "ts",
            options: ["-q:v", "2", "-enc_time_base:v", "1001:30000"], sound: "mp2"),
        Storage(codec: "mpeg4", container: "avi", options: ["-q:v", "2"], sound: "pcm_s16le"),
        Storage(codec: "ffv1", container: "mkv", sound: "pcm_s16le"),
        Storage(
            codec: "libaom-av1", container: "mp4",
            options: ["-cpu-used", "8", "-lag-in-frames", "8"]),
        // Without times.
        Storage(codec: "libx264", container: "h264", sound: ""),
        Storage(codec: "mjpeg", container: "mov", options: ["-q:v", "2"]),
        Storage(codec: "libx264", container: "flv"),
    ]

    private func asset(_ storage: Storage) throws -> URLAsset {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                frameDuration: MediaTime(value: 1001, timescale: 30000), count: 90))
        media.keyframeInterval = 12
        if storage.sound.isEmpty { media.sounds = [] }
        media.bidirectionalFrames =
            ["libvpx-vp9", "ffv1", "libaom-av1", "mjpeg"].contains(storage.codec) ? 0 : 2
        let clip = SyntheticClip(
            media, videoCodec: storage.codec, audioCodec: storage.sound,
            container: storage.container, options: storage.options)
        let path = try clip.url().path
        return URLAsset(location: .file(path: path), opener: FFmpegOpener(path: path))
    }

    private func read(_ asset: Asset, _ range: MediaTimeRange? = nil) throws -> [Shown] {
        let output = try AssetReader(asset: asset, timeRange: range).addVideoOutput()
        var result: [Shown] = []
        while let frame = try output.copyNextSampleBuffer() {
            result.append(
                Shown(
                    number: FrameNumberStrip.read(from: frame.pixelBuffer),
                    time: frame.presentationTime))
        }
        return result
    }

    @Test(arguments: storages)
    func `cuts show the frames that the file shows at the same times`(storage: Storage) throws {
        let asset = try asset(storage)
        let whole = try read(asset)
        #expect(whole.count >= 88)
        let track = try #require(
            try AssetReader(asset: asset).description.preferredTrack(of: .video))
        var random = SplitMix64(seed: 3)
        let composition = MutableComposition()
        let cuts = try composition.addMutableTrack(withMediaType: .video)
        var expected: [Shown] = []
        let first = whole[0].time
        for _ in 0..<30 {
            let start =
                first + MediaTime(value: Int64.random(in: 0...1500, using: &random), timescale: 600)
            let range = MediaTimeRange(
                start: start,
                duration: MediaTime(
                    value: Int64.random(in: 1...200, using: &random), timescale: 600))
            let place = cuts.timeRange.end
            try cuts.insertTimeRange(range, of: track, in: asset, at: .invalid)
            let begun = whole.lastIndex { $0.time <= start + VideoFrame.timeTolerance } ?? 0
            for (index, shown) in whole.enumerated().dropFirst(begun)
            where shown.time < range.end - VideoFrame.timeTolerance {
                let time = index == begun ? place : place + (shown.time - start)
                expected.append(Shown(number: shown.number, time: time))
            }
        }
        let found = try read(composition.makeAsset())
        #expect(found == expected)
        // And from the middle, by a seek.
        for _ in 0..<6 {
            let start = expected[Int.random(in: 0..<expected.count, using: &random)].time
            let range = MediaTimeRange(start: start, duration: MediaTime(value: 1, timescale: 2))
            #expect(
                try read(composition.makeAsset(), range)
                    == expected.filter { range.contains($0.time) })
        }
    }

    /// Returns the samples of a track's first channel by their index from time 0.
    private func samples(_ asset: Asset) throws -> [Int: Float] {
        let reader = try AssetReader(asset: asset)
        let output = try reader.addAudioOutput(format: .stereo(sampleRate: 48000))
        var result: [Int: Float] = [:]
        while let buffer = try output.copyNextSampleBuffer() {
            let first = Int(buffer.presentationTime.converted(toTimescale: 48000).value)
            buffer.withSamples { samples in
                for frame in 0..<buffer.frameCount { result[first + frame] = samples[frame * 2] }
            }
        }
        return result
    }

    @Test(arguments: [
        Storage(codec: "libx264", container: "mp4"),
        Storage(codec: "ffv1", container: "mkv", sound: "pcm_s16le"),
        Storage(codec: "ffv1", container: "mkv", sound: "flac"),
        Storage(codec: "mpeg4", container: "avi", options: ["-q:v", "2"], sound: "pcm_s16le"),
    ])
    func `the audio of cuts is that of the file, sample for sample`(storage: Storage) throws {
        let asset = try asset(storage)
        let whole = try samples(asset)
        let track = try #require(
            try AssetReader(asset: asset).description.preferredTrack(of: .audio))
        var random = SplitMix64(seed: 6)
        let composition = MutableComposition()
        let cuts = try composition.addMutableTrack(withMediaType: .audio)
        var expected: [Int: Float] = [:]
        var place = 0
        for _ in 0..<20 {
            let start = Int.random(in: 0..<110_000, using: &random)
            let count = Int.random(in: 1...20000, using: &random)
            try cuts.insertTimeRange(
                MediaTimeRange(
                    start: MediaTime(value: Int64(start), timescale: 48000),
                    duration: MediaTime(value: Int64(count), timescale: 48000)),
                of: track, in: asset, at: .invalid)
            for index in 0..<count { expected[place + index] = whole[start + index] }
            place += count
        }
        let found = try samples(composition.makeAsset())
        #expect(found.count == place)
        let differing = expected.filter { found[$0.key] != $0.value }.count
        #expect(differing == 0)
    }
}
