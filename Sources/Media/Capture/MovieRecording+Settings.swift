// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime
import PlayheadWriting

extension MovieRecording {
    /// The settings of one file.
    struct Settings: Sendable {
        var type: MediaFileType
        /// A Boolean value that indicates whether the output has a device for video.
        var hasVideo: Bool
        /// The format of the device for audio; nil for none.
        var audioFormat: AudioFormat?
        var videoCodec: VideoCodecType?
        var audioCodec: AudioCodecType?
        var fragmentInterval: MediaTime
        /// The longest duration, without pauses; `invalid` for none.
        var limit: MediaTime
        /// A Boolean value that indicates whether a file at the path is replaced.
        var replaces: Bool

        /// Settings that are fast enough for real time, with a keyframe for each fragment.
        func video(for buffer: PixelBuffer, _ frameDuration: MediaTime) -> VideoOutputSettings {
            let codec = videoCodec ?? (type == .webM ? .vp9 : .h264)
            let duration =
                frameDuration.isNumeric ? frameDuration : MediaTime(value: 1, timescale: 30)
            var settings = VideoOutputSettings(
                codec: codec, width: buffer.width, height: buffer.height,
                sampleFormat: codec == .ffv1 ? VideoSampleFormat(of: buffer.format) : nil,
                color: buffer.color, frameDuration: duration)
            // Frames have the driver's times, in microseconds.
            settings.mediaTimeScale = type == .matroska || type == .webM ? nil : 1_000_000
            if codec == .h264 || codec == .hevc { settings.preset = "veryfast" }
            let interval = fragmentInterval.isNumeric ? fragmentInterval.seconds : 2
            settings.maximumKeyframeInterval = max(1, Int(interval / max(duration.seconds, 0.001)))
            return settings
        }

        /// Settings of the track for audio; nil for none. Matroska does not state the samples with
        /// which AAC encoders begin, so that such audio would be late.
        var audio: AudioOutputSettings? {
            guard let audioFormat else { return nil }
            let usual: AudioCodecType =
                switch type {
                case .webM, .ogg: .opus
                case .wave: .pcm24
                case .flac, .matroska: .flac
                default: .aac
                }
            return AudioOutputSettings(codec: audioCodec ?? usual, format: audioFormat)
        }
    }
}
