// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadEditing
import PlayheadUI

/// A file of numbered frames that cuts are made from.
struct CutsFilm {
    /// A way to store a video.
    struct Kind {
        var name: String
        var codec: String
        var container: String
        var options: [String] = []
        var bidirectionalFrames = 2
        var hasVariableRate = false
    }

    let kind: Kind
    let path: String
    let asset: URLAsset
    let track: AssetTrack
    /// The times of the frames, whose numbers are their indices, and the end of the last one.
    let edges: [MediaTime]

    var count: Int { edges.count - 1 }

    static let frameDuration = MediaTime(value: 1001, timescale: 30000)
    static let (width, height) = (256, 64)

    static let kinds: [Kind] = [
        Kind(name: "H.264", codec: "libx264", container: "mp4"),
        Kind(
            name: "H.264, open GOP", codec: "libx264", container: "mp4",
            options: ["-x264-params", "open-gop=1"]),
        Kind(
            name: "HEVC", codec: "libx265", container: "mp4",
            options: ["-x265-params", "log-level=none"]),
        Kind(
            name: "VP9", codec: "libvpx-vp9", container: "webm",
            options: ["-deadline", "realtime"], bidirectionalFrames: 0),
        Kind(
            name: "AV1", codec: "libaom-av1", container: "mp4",
            options: ["-cpu-used", "8", "-lag-in-frames", "8"], bidirectionalFrames: 0),
        Kind(
            name: "MPEG-2 in TS", codec: "mpeg2video", container: "ts",
            options: ["-q:v", "2", "-enc_time_base:v", "1001:30000"]),
        Kind(name: "FFV1", codec: "ffv1", container: "mkv", bidirectionalFrames: 0),
        Kind(
            name: "variable rate", codec: "libx264", container: "mp4", hasVariableRate: true),
    ]

    /// The number of frames of a file.
    private static let frames = 150

    init(_ kind: Kind) throws {
        self.kind = kind
        var media = SyntheticMedia(frameTimes: Self.times(of: kind), sounds: [])
        (media.width, media.height) = (Self.width, Self.height)
        media.keyframeInterval = 12
        media.bidirectionalFrames = kind.bidirectionalFrames
        path = try SyntheticClip(
            media, videoCodec: kind.codec, container: kind.container, options: kind.options
        ).url().path
        asset = URLAsset(path)
        let reader = try AssetReader(asset: asset)
        guard let track = reader.description.preferredTrack(of: .video) else {
            throw CannotProve("\(kind.name): no video")
        }
        self.track = track
        let output = try reader.addVideoOutput()
        var edges: [MediaTime] = []
        var end = MediaTime.zero
        while let frame = try output.copyNextSampleBuffer() {
            guard FrameNumberStrip.read(from: frame.pixelBuffer) == edges.count else {
                throw CannotProve("\(kind.name): frame \(edges.count) has another number")
            }
            edges.append(frame.presentationTime)
            end = frame.presentationTime + frame.duration
        }
        // Where the container states the end, ranges must lie before it.
        let stated = track.timeRange.end
        self.edges = edges + [stated.isNumeric ? stated : end]
        guard edges.count >= Self.frames - 2 else {
            throw CannotProve("\(kind.name): \(edges.count) frames")
        }
    }

    private static func times(of kind: Kind) -> SyntheticFrameTimes {
        guard kind.hasVariableRate else {
            return SyntheticFrameTimes(frameDuration: frameDuration, count: frames)
        }
        var random = SplitMix64(seed: 4)
        var times: [MediaTime] = []
        var time: Int64 = 0
        for _ in 0..<frames {
            times.append(MediaTime(value: time, timescale: 1000))
            time += Int64.random(in: 5...80, using: &random)
        }
        return SyntheticFrameTimes(times: times, end: MediaTime(value: time, timescale: 1000))
    }
}
