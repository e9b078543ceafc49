// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadUI

/// A video with eight video tracks and eight audio tracks, and its expected frames and samples.
///
/// The frames of each track carry numbers of their own, and the tracks have different keyframe
/// intervals. The audio is noise, uncompressed, and different in each track.
struct TracksFilm {
    static let count = 8
    static let size = (width: 640, height: 360)
    static let rate = 48_000
    private static let framesPerSecond: Int32 = 30
    /// The difference between the numbers of the same frame in two tracks.
    private static let distance = 20

    let asset: URLAsset
    let frameCount: Int
    /// The samples of each audio track, decoded by itself.
    let samples: [[Float]]
    private let folder: TemporaryFolder

    init(seconds: Int) throws {
        folder = TemporaryFolder()
        frameCount = seconds * Int(Self.framesPerSecond)
        let file = folder.appending("tracks.mov")
        try Self.write(to: file, frameCount: frameCount, seconds: seconds)
        asset = URLAsset(url: file)
        samples = try Self.readSamples(of: asset)
    }

    var duration: MediaTime {
        MediaTime(value: Int64(frameCount), timescale: Self.framesPerSecond)
    }

    /// Returns the number of the frame of a track that is due at a time; the last frame stays.
    func number(at time: MediaTime, track: Int) -> Int {
        let limit = time + MediaTime(value: 1, timescale: 1_000_000)
        let frame = limit.converted(
            toTimescale: Self.framesPerSecond, method: .roundTowardNegativeInfinity)
        return min(max(Int(frame.value), 0), frameCount - 1) + track * Self.distance
    }

    private static func write(to file: URL, frameCount: Int, seconds: Int) throws {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                frameDuration: MediaTime(value: 1, timescale: framesPerSecond),
                count: frameCount + distance * count), sounds: [])
        (media.width, media.height) = size
        media.keyframeInterval = 30
        let clip = try SyntheticClip(media).url()
        var arguments = ["ffmpeg", "-v", "error", "-nostdin", "-y", "-i", clip.path]
        for track in 0..<count {
            let noise = "anoisesrc=r=\(rate):seed=\(track + 1):amplitude=0.1:d=\(seconds)"
            arguments += ["-f", "lavfi", "-i", noise]
        }
        var filter = "[0:v]split=\(count)" + (0..<count).map { "[s\($0)]" }.joined()
        for track in 0..<count {
            let start = track * distance
            filter +=
                ";[s\(track)]trim=start_frame=\(start):end_frame=\(start + frameCount),"
                + "setpts=PTS-STARTPTS[v\(track)]"
        }
        arguments += ["-filter_complex", filter]
        for track in 0..<count { arguments += ["-map", "[v\(track)]"] }
        for track in 0..<count { arguments += ["-map", "\(track + 1):a"] }
        arguments += ["-c:v", "libx264", "-preset", "veryfast", "-bf", "2"]
        for track in 0..<count { arguments += ["-g:v:\(track)", "\([30, 12, 45, 7][track % 4])"] }
        arguments += ["-c:a", "pcm_f32le", "-ac", "1", file.path]
        try ProcessRunner.check(arguments, deadline: .seconds(300))
    }

    private static func readSamples(of asset: Asset) throws -> [[Float]] {
        let tracks = try AssetReader(asset: asset).description.tracks(of: .audio)
        return try tracks.map { track in
            let output = try AssetReader(asset: asset).addAudioOutput(
                trackID: track.id, format: .mono(sampleRate: rate))
            var samples: [Float] = []
            while let buffer = try output.copyNextSampleBuffer() {
                buffer.withSamples { samples += $0 }
            }
            return samples
        }
    }

    /// Returns the sum of the samples of tracks at a place, in the order in which they are mixed.
    func sum(at place: Int, without left: Int? = nil) -> Float {
        var sum: Float = 0
        for (track, samples) in samples.enumerated() where track != left {
            sum += samples.indices.contains(place) ? samples[place] : 0
        }
        return sum
    }
}
