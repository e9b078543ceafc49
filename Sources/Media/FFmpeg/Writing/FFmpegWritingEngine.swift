// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
package import PlayheadWriting

/// A writing engine with the encoders and muxers of FFmpeg.
///
/// - Concurrency: any thread.
package struct FFmpegWritingEngine: WritingEngine {
    package init() {}

    package func makeVideoEncoder(
        _ settings: VideoOutputSettings, for type: MediaFileType, subject: String
    ) throws(MediaWritingError) -> any VideoSampleEncoder {
        try FFmpegVideoEncoder(settings, for: type, subject: subject)
    }

    package func makeAudioEncoder(
        _ settings: AudioOutputSettings, for type: MediaFileType, subject: String
    ) throws(MediaWritingError) -> any AudioSampleEncoder {
        try FFmpegAudioEncoder(settings, for: type, subject: subject)
    }

    package func makeMuxer(
        of file: WritingFile, type: MediaFileType, tracks: [EncodedTrackFormat],
        options: MuxerOptions
    ) throws(MediaWritingError) -> any MediaMuxer {
        try FFmpegMuxer(file, type: type, tracks: tracks, options: options)
    }

    package func haveSameFormat(
        _ first: any AnyObject & Sendable, _ second: any AnyObject & Sendable
    ) -> Bool {
        guard let first = first as? CodecParameters, let second = second as? CodecParameters else {
            return false
        }
        return first.describesSameSamples(as: second)
    }

    package func sampleRate(nearest rate: Int, for codec: AudioCodecType) -> Int {
        FFmpegAudioEncoder.sampleRate(nearest: rate, for: codec)
    }
}
