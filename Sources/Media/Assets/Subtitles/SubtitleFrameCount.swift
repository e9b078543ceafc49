// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// The conversion of times in subtitle files that count frames but do not state a frame rate, so
/// that the rate of the video counts.
///
/// - Corresponds to: mpv's `--sub-fps`, whose default is the rate of the video.
package struct SubtitleFrameCount: Sendable {
    private enum Format {
        /// Every time is a number of frames.
        case microDVD
        /// A timecode, whose last field is a number of frames. FFmpeg reads it as hundredths of a
        /// second.
        case spruce
    }

    private let format: Format

    /// The rate at which demuxers count the frames of MicroDVD that states none. No video has it,
    /// so such a file is known by it.
    package static let unitsPerSecond = 1000

    /// The rate that counts if that of the video is unknown: that of films on NTSC discs.
    private static let fallbackRate = 24_000.0 / 1001

    /// Creates the conversion for a track; nil if the times of its file are known.
    init?(_ description: AssetDescription, _ track: AssetTrack) {
        switch description.container {
        case "microdvd":
            guard track.timeUnit == MediaTime(value: 1, timescale: Int32(Self.unitsPerSecond))
            else { return nil }
            format = .microDVD
        case "stl": format = .spruce
        default: return nil
        }
    }

    /// Returns the time of a frame in a video with a frame rate.
    ///
    /// - Parameter time: The time that FFmpeg computed.
    package func time(_ time: MediaTime, frameRate: Double) -> MediaTime {
        guard time.isNumeric else { return time }
        let rate = frameRate > 0 ? frameRate : Self.fallbackRate
        switch format {
        case .microDVD:
            let frame = (time.seconds * Double(Self.unitsPerSecond)).rounded()
            return MediaTime(seconds: frame / rate)
        case .spruce:
            let hundredths = (time.seconds * 100).rounded()
            let seconds = (hundredths / 100).rounded(.down)
            return MediaTime(seconds: seconds + (hundredths - seconds * 100) / rate)
        }
    }
}
