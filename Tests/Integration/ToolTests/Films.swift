// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import PlayheadAssets
import PlayheadTime

/// The films that the tests play. Their frames carry their number.
enum Films {
    static let framesPerSecond: Int32 = 30
    static let width = 320
    static let height = 180

    /// With sound, in groups of 30 pictures.
    static func film(seconds: Int) throws -> String { try clip(seconds: seconds).url().path }

    /// Without sound.
    static func silent(seconds: Int) throws -> String {
        var clip = clip(seconds: seconds)
        clip.media.sounds = []
        return try clip.url().path
    }

    /// With sound, in a transport stream, whose timestamps begin at more than a second.
    static func broadcast(seconds: Int) throws -> String {
        var clip = clip(seconds: seconds)
        clip.container = "ts"
        return try clip.url().path
    }

    /// Sound alone.
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
