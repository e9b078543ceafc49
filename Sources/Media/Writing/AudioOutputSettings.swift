// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers

/// The settings of an encoded audio track.
///
/// - Corresponds to: the `outputSettings` of an `AVAssetWriterInput`.
public struct AudioOutputSettings: Sendable, Hashable {
    /// The codec.
    public var codec: AudioCodecType
    /// The format of the samples, which is also that of the buffers that are appended.
    public var format: AudioFormat
    /// The number of bits in a second, for AAC and Opus; nil for 64 kbit/s a channel, but at least
    /// 128 kbit/s.
    public var bitRate: Int?

    /// Creates the settings of a codec and a format.
    public init(codec: AudioCodecType, format: AudioFormat, bitRate: Int? = nil) {
        self.codec = codec
        self.format = format
        self.bitRate = bitRate
    }

    /// The number of bits in a second for codecs that need one.
    package var usedBitRate: Int { bitRate ?? max(128_000, 64_000 * format.channelCount) }
}
