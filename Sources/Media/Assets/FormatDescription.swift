// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers

/// The format of a track's samples.
///
/// - Corresponds to: `CMFormatDescription`.
public struct FormatDescription: Sendable, Hashable {
    /// The codec's short name in FFmpeg, such as `h264`; `unknown` if the codec is unknown.
    public var codec: String
    /// The codec's full name, such as `H.264 / AVC / MPEG-4 AVC / MPEG-4 part 10`; nil if unknown.
    package var codecName: String?
    /// The profile's name, such as `High`; nil if the codec has no profile.
    public var profile: String?
    /// The level in the codec's own numbering, such as 41 for level 4.1 of H.264; nil if the codec
    /// has no level.
    public var level: Int?
    /// The four characters that name the codec in the container, such as `avc1`; nil if the
    /// container does not name the codec in this way.
    package var codecTag: String?
    /// The properties of a video format; nil for other formats.
    public var video: Video?
    /// The properties of an audio format; nil for other formats.
    public var audio: Audio?

    /// The properties of a video format.
    public struct Video: Sendable, Hashable {
        /// The stored width of the frames, in pixels, before the aperture and the aspect ratio are
        /// applied.
        public var width: Int
        /// The stored height of the frames, in pixels, before the aperture and the aspect ratio are
        /// applied.
        public var height: Int
        /// The pixel format's name in FFmpeg, such as `yuv420p`; empty until a frame provides it.
        public var pixelFormat: String
        /// The colour, pixel aspect ratio, orientation, fields and high dynamic range metadata.
        public var attachments: PixelBufferAttachments
        /// The visible part of the stored frames, in pixels; nil if the container does not declare
        /// one. Decoded frames have the size of this part.
        public var cleanAperture: CleanAperture?
        /// The Dolby Vision configuration; nil for video without Dolby Vision.
        package var dolbyVision: DolbyVision?
        /// The layout of the views for both eyes in one frame, such as `side by side`; nil for
        /// frames with one view.
        package var stereoLayout: String?
        /// The projection of a sphere onto the frame, such as `equirectangular`; nil for flat
        /// frames.
        package var projection: String?

        package init(
            width: Int, height: Int, pixelFormat: String,
            attachments: PixelBufferAttachments = PixelBufferAttachments()
        ) {
            self.width = width
            self.height = height
            self.pixelFormat = pixelFormat
            self.attachments = attachments
        }

        /// The size of the frames, in pixels, with the aperture applied.
        package var frameSize: (width: Int, height: Int) {
            (cleanAperture?.width ?? width, cleanAperture?.height ?? height)
        }

        /// The colour model of the frames' components, derived from the pixel format's name.
        package var colorModel: PixelFormat.Model {
            if Self.grayNames.contains(where: pixelFormat.hasPrefix) { return .gray }
            return Self.rgbNames.contains(where: pixelFormat.hasPrefix) ? .rgb : .yCbCr
        }

        /// The prefixes of the names that FFmpeg gives to grey formats.
        private static let grayNames = ["gray", "ya", "mono"]
        private static let rgbNames = [
            "rgb", "bgr", "gbr", "argb", "abgr", "0rgb", "0bgr", "x2rgb", "x2bgr", "pal8", "xyz",
        ]

        /// The colour properties with which frames are shown. Unspecified values are replaced by
        /// assumed ones.
        package var shownColor: ColorAttachments {
            attachments.color.resolved(width: width, height: height, model: colorModel)
        }
    }

    /// A rectangle of stored pixels; positions are relative to the top left corner.
    ///
    /// - Corresponds to: `CMVideoFormatDescriptionGetCleanAperture`; MP4's `clap` box.
    public struct CleanAperture: Sendable, Hashable {
        /// The distance from the left edge of the frame, in pixels.
        public var x: Int
        /// The distance from the top edge of the frame, in pixels.
        public var y: Int
        /// The width, in pixels.
        public var width: Int
        /// The height, in pixels.
        public var height: Int

        package init(x: Int, y: Int, width: Int, height: Int) {
            self.x = x
            self.y = y
            self.width = width
            self.height = height
        }
    }

    /// The data that Dolby Vision adds to a video. If the data is ignored, only the base layer is
    /// played.
    ///
    /// - Corresponds to: `AVDOVIDecoderConfigurationRecord`.
    package struct DolbyVision: Sendable, Hashable {
        /// The number of the profile in Dolby Vision.
        package var profile: Int
        /// The number of the level in Dolby Vision.
        package var level: Int
        /// The format of the base layer: 0 (not displayable), 1 (HDR10), 2 (SDR) or 4 (HLG).
        package var baseCompatibility: Int

        package init(profile: Int, level: Int, baseCompatibility: Int) {
            self.profile = profile
            self.level = level
            self.baseCompatibility = baseCompatibility
        }
    }

    /// The properties of an audio format.
    public struct Audio: Sendable, Hashable {
        /// The sample rate, in frames per second.
        public var sampleRate: Int
        /// The number of channels.
        public var channelCount: Int
        /// The name of the layout, such as `stereo` or `5.1`; empty if unknown.
        package var channelLayout: String
        /// The name of the sample format in FFmpeg, such as `fltp`.
        package var sampleFormat: String
        /// The channels in the order of the samples. The list is empty if the channels are unknown,
        /// or if any of them is not an `AudioChannel`.
        public var channels: [AudioChannel]

        package init(
            sampleRate: Int, channelCount: Int, channelLayout: String, sampleFormat: String,
            channels: [AudioChannel] = []
        ) {
            self.sampleRate = sampleRate
            self.channelCount = channelCount
            self.channelLayout = channelLayout
            self.sampleFormat = sampleFormat
            self.channels = channels
        }
    }

    package init(
        codec: String, codecName: String? = nil, profile: String? = nil, codecTag: String? = nil,
        video: Video? = nil,
        audio: Audio? = nil
    ) {
        self.codec = codec
        self.codecName = codecName
        self.profile = profile
        self.codecTag = codecTag
        self.video = video
        self.audio = audio
    }
}
