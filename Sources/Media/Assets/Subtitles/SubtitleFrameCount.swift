// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// The conversion of times in subtitle files that count frames but do not state a frame rate. The
/// rate of the video is used.
///
/// - Corresponds to: mpv's `--sub-fps`, which defaults to the rate of the video.
package struct SubtitleFrameCount: Sendable {
    private enum Format {
        /// Every time is a number of frames: MicroDVD and AQTitle.
        case frames
        /// Every time is a timecode whose last field is a number of frames. FFmpeg reads that field
        /// as hundredths of a second.
        case spruce
    }

    private let format: Format

    /// The frame rate that demuxers assume for a MicroDVD or AQTitle file that states no rate. No
    /// video has this rate, so the rate identifies such a file.
    package static let unitsPerSecond = 1000

    /// The rate that is used if the rate of the video is unknown. It is the rate of films on NTSC
    /// discs.
    private static let fallbackRate = 24_000.0 / 1001

    /// Creates the conversion for a track. Fails if the track's times need no conversion.
    init?(_ description: AssetDescription, _ track: AssetTrack) {
        switch description.container {
        case "microdvd", "aqtitle":
            guard track.timeUnit == MediaTime(value: 1, timescale: Int32(Self.unitsPerSecond))
            else { return nil }
            format = .frames
        case "stl": format = .spruce
        default: return nil
        }
    }

    /// Converts a time to the time of the same frame in a video with a given frame rate.
    ///
    /// - Parameter time: The time that FFmpeg computed.
    package func time(_ time: MediaTime, frameRate: Double) -> MediaTime {
        guard time.isNumeric else { return time }
        let rate = frameRate > 0 ? frameRate : Self.fallbackRate
        switch format {
        case .frames:
            let frame = (time.seconds * Double(Self.unitsPerSecond)).rounded()
            return MediaTime(seconds: frame / rate)
        case .spruce:
            let hundredths = (time.seconds * 100).rounded()
            let seconds = (hundredths / 100).rounded(.down)
            return MediaTime(seconds: seconds + (hundredths - seconds * 100) / rate)
        }
    }
}
