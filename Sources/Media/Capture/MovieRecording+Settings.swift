// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime
import PlayheadWriting

extension MovieRecording {
    /// The settings of one file.
    struct Settings: Sendable {
        var type: MediaFileType
        /// A Boolean value that indicates whether the output has a video device.
        var hasVideo: Bool
        /// The format of the audio device; nil if no audio is recorded.
        var audioFormat: AudioFormat?
        var videoCodec: VideoCodecType?
        var audioCodec: AudioCodecType?
        var fragmentInterval: MediaTime
        /// The maximum duration, not counting pauses; `invalid` for no limit.
        var limit: MediaTime
        /// The maximum size of the file, in bytes; 0 for no limit.
        var maximumByteCount: Int64 = 0
        /// A Boolean value that indicates whether a file at the path is replaced.
        var replaces: Bool

        /// Returns encoder settings that are fast enough for real time, with a keyframe for each
        /// fragment.
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

        /// The settings of the audio track; nil if no audio is recorded. In Matroska, AAC audio
        /// plays late, because the file does not state the priming samples of the encoder. FLAC is
        /// therefore used.
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
