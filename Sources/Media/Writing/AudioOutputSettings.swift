// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers

/// The settings of an encoded audio track.
///
/// - Corresponds to: the `outputSettings` of an `AVAssetWriterInput`.
public struct AudioOutputSettings: Sendable, Hashable {
    /// The codec.
    public var codec: AudioCodecType
    /// The format of the samples. The appended buffers must have the same format.
    public var format: AudioFormat
    /// The bit rate for AAC and Opus, in bits per second. Nil means 64 kbit/s per channel, but at
    /// least 128 kbit/s.
    public var bitRate: Int?

    /// Creates settings for a codec and a format.
    public init(codec: AudioCodecType, format: AudioFormat, bitRate: Int? = nil) {
        self.codec = codec
        self.format = format
        self.bitRate = bitRate
    }

    /// The bit rate for codecs that require one, in bits per second.
    package var usedBitRate: Int { bitRate ?? max(128_000, 64_000 * format.channelCount) }
}
