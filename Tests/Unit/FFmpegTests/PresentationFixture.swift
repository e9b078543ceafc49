// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadFFmpeg
import PlayheadTime

/// A synthetic video with audio, segmented into DASH by the `ffmpeg` command, in a folder of its
/// own.
///
/// Four seconds at 10 frames a second with a keyframe every second. The MPD is `list.mpd`.
struct PresentationFixture {
    static let frameCount = 40
    static let media: SyntheticMedia = {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 10, duration: MediaTime(value: 4, timescale: 1)))
        media.height = 240
        media.keyframeInterval = 10
        media.bidirectionalFrames = 2
        return media
    }()

    let folder = TemporaryFolder()

    /// A file with the same media.
    static var file: URL { get throws { try SyntheticClip(media).url() } }

    /// - Parameter options: Additional options of ffmpeg's `dash` muxer.
    init(_ options: [String] = [], from file: URL? = nil) throws {
        let file = try file ?? Self.file
        try ProcessRunner.check(
            [
                "ffmpeg", "-v", "error", "-nostdin", "-y", "-i", file.path, "-map", "0", "-c",
                "copy", "-f", "dash", "-seg_duration", "1",
            ] + options + [path("list.mpd")])
    }

    func path(_ name: String) -> String { folder.appending(name).path }

    func write(_ text: String, to name: String = "list.mpd") throws {
        try Data(text.utf8).write(to: folder.appending(name))
    }

    func text(_ name: String = "list.mpd") throws -> String {
        try String(contentsOf: folder.appending(name), encoding: .utf8)
    }

    /// Starts a server of the folder.
    func serve() throws -> LoopbackServer {
        let folder = folder
        return try LoopbackServer { request in
            let path = request.path.dropFirst().prefix { $0 != "?" }
            let name = String(path).removingPercentEncoding ?? ""
            return (try? Data(contentsOf: folder.appending(name))).map { .bytes(Array($0)) }
                ?? .status(404)
        }
    }

    /// A decoded frame.
    struct Frame: Hashable {
        var hash: Int
        var number: Int?
        /// The time after the first frame.
        var time: MediaTime
    }

    /// Returns the frames of an asset in order.
    static func frames(
        _ opener: FFmpegOpener, in range: MediaTimeRange? = nil
    ) throws -> [Frame] {
        let reader = try AssetReader(asset: Asset(opener: opener))
        let output = try reader.addVideoOutput()
        if let range { reader.restart(timeRange: range) }
        var frames: [Frame] = []
        var first: MediaTime?
        while let frame = try output.copyNextSampleBuffer() {
            first = first ?? frame.presentationTime
            frames.append(
                Frame(
                    hash: frame.pixelBuffer.pixelHash,
                    number: FrameNumberStrip.read(from: frame.pixelBuffer),
                    time: frame.presentationTime - (first ?? .zero)))
        }
        return frames
    }

    /// Returns the time of the first frame.
    static func firstTime(_ opener: FFmpegOpener) throws -> MediaTime {
        let output = try AssetReader(asset: Asset(opener: opener)).addVideoOutput()
        return try output.copyNextSampleBuffer()?.presentationTime ?? .invalid
    }

    /// Returns the samples of an asset's audio, interleaved.
    static func samples(_ opener: FFmpegOpener) throws -> [Float] {
        let reader = try AssetReader(asset: Asset(opener: opener))
        let output = try reader.addAudioOutput(format: .stereo(sampleRate: 48000))
        var samples: [Float] = []
        while let buffer = try output.copyNextSampleBuffer() {
            buffer.withSamples { samples += $0 }
        }
        return samples
    }
}
