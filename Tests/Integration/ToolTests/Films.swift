// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import PlayheadAssets
import PlayheadTime

/// The videos that the tests play. Their frames carry their number.
enum Films {
    static let framesPerSecond: Int32 = 30
    static let width = 320
    static let height = 180

    /// Returns a video with audio, in groups of 30 frames.
    static func film(seconds: Int) throws -> String { try clip(seconds: seconds).url().path }

    /// Returns a video without audio.
    static func silent(seconds: Int) throws -> String {
        var clip = clip(seconds: seconds)
        clip.media.sounds = []
        return try clip.url().path
    }

    /// Returns a video with audio in a transport stream, whose timestamps begin at more than a
    /// second.
    static func broadcast(seconds: Int) throws -> String {
        var clip = clip(seconds: seconds)
        clip.container = "ts"
        return try clip.url().path
    }

    /// Returns a file with audio only.
    static func sound(seconds: Int64) throws -> String {
        let sound = SyntheticSound(duration: MediaTime(value: seconds, timescale: 1))
        let media = SyntheticMedia(frameTimes: nil, sounds: [sound])
        return try SyntheticClip(media, container: "m4a").url().path
    }

    private static func clip(seconds: Int) -> SyntheticClip {
        let times = SyntheticFrameTimes(
            framesPerSecond: framesPerSecond,
            duration: MediaTime(value: Int64(seconds), timescale: 1))
        var media = SyntheticMedia(frameTimes: times)
        media.keyframeInterval = 30
        return SyntheticClip(media)
    }
}
