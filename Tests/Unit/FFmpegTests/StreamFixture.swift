// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadFFmpeg
import PlayheadTime

/// A synthetic video, segmented into HLS by the `ffmpeg` command, in a folder of its own.
///
/// Two seconds at 10 frames a second in four segments; a playlist of two variants, the second of
/// which has frames of half the size.
struct StreamFixture {
    static let frameCount = 20
    let folder = TemporaryFolder()

    static let film: SyntheticMedia = {
        var film = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 10, duration: MediaTime(value: 2, timescale: 1)), sounds: [])
        film.height = 240
        film.keyframeInterval = 5
        return film
    }()

    /// - Parameter options: additional options of ffmpeg's `hls` muxer.
    init(_ options: [String] = []) throws {
        let film = try SyntheticClip(Self.film, container: "ts").url()
        for (name, size) in [("large", "320x240"), ("small", "160x120")] {
            let scaling =
                name == "large" ? ["-c", "copy"] : ["-s", size, "-g", "5", "-c:v", "libx264"]
            try ProcessRunner.check(
                ["ffmpeg", "-v", "error", "-nostdin", "-y", "-i", film.path] + scaling
                    + ["-f", "hls", "-hls_time", "0.5", "-hls_list_size", "0"] + options
                    + [path("\(name).m3u8")])
        }
        try write(
            """
            #EXTM3U
            #EXT-X-STREAM-INF:BANDWIDTH=900000,RESOLUTION=320x240,CODECS="avc1.64001f,mp4a.40.2"
            large.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=300000,RESOLUTION=160x120
            small.m3u8
            """, to: "all.m3u8")
    }

    func path(_ name: String) -> String { folder.appending(name).path }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: folder.appending(name))
    }

    func bytes(_ name: String) -> [UInt8]? {
        (try? Data(contentsOf: folder.appending(name))).map { Array($0) }
    }

    /// Returns the frame numbers in the pixels of an asset, in the order in which they arrive.
    static func frames(_ opener: FFmpegOpener) throws -> [Int?] {
        let reader = try AssetReader(asset: Asset(opener: opener))
        let output = try reader.addVideoOutput()
        var numbers: [Int?] = []
        while let frame = try output.copyNextSampleBuffer() {
            numbers.append(FrameNumberStrip.read(from: frame.pixelBuffer))
        }
        return numbers
    }
}
