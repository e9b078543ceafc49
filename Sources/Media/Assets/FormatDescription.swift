// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers

/// What the samples of a track are.
///
/// - Corresponds to: `CMFormatDescription`.
public struct FormatDescription: Sendable, Hashable {
    /// FFmpeg's short name of the codec, such as `h264`; `unknown` when nobody knows it.
    public var codec: String
    /// The profile by name, such as `High`; nil when there is none.
    public var profile: String?
    /// Four characters by which the container names the codec, such as `avc1`; nil without.
    public var codecTag: String?
    /// Set for video.
    public var video: Video?
    /// Set for audio.
    public var audio: Audio?

    /// The part of a description that only pictures have.
    public struct Video: Sendable, Hashable {
        /// Stored size in pixels.
        public var width: Int
        public var height: Int
        /// FFmpeg's name of the pixel format, such as `yuv420p`; empty until a frame tells.
        public var pixelFormat: String
        public var attachments: PixelBufferAttachments

        public init(
            width: Int, height: Int, pixelFormat: String,
            attachments: PixelBufferAttachments = PixelBufferAttachments()
        ) {
            self.width = width
            self.height = height
            self.pixelFormat = pixelFormat
            self.attachments = attachments
        }
    }

    /// The part of a description that only sound has.
    public struct Audio: Sendable, Hashable {
        public var sampleRate: Int
        public var channelCount: Int
        /// The layout by name, such as `stereo` or `5.1`; empty when unknown.
        public var channelLayout: String
        /// FFmpeg's name of the sample format, such as `fltp`.
        public var sampleFormat: String

        public init(
            sampleRate: Int, channelCount: Int, channelLayout: String, sampleFormat: String
        ) {
            self.sampleRate = sampleRate
            self.channelCount = channelCount
            self.channelLayout = channelLayout
            self.sampleFormat = sampleFormat
        }
    }

    public init(
        codec: String, profile: String? = nil, codecTag: String? = nil, video: Video? = nil,
        audio: Audio? = nil
    ) {
        self.codec = codec
        self.profile = profile
        self.codecTag = codecTag
        self.video = video
        self.audio = audio
    }
}
