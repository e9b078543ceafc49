// SPDX-License-Identifier: Apache-2.0

/// A codec with which audio can be encoded.
///
/// - Corresponds to: `AVFormatIDKey` and its constants.
public enum AudioCodecType: String, Sendable, Hashable, CaseIterable {
    /// AAC with the low-complexity profile.
    case aac
    /// Opus, with a sample rate of 48 kHz.
    case opus
    /// FLAC, which is lossless.
    case flac
    /// Apple Lossless.
    case alac
    /// Uncompressed 16-bit integers.
    case pcm16
    /// Uncompressed 24-bit integers.
    case pcm24
    /// Uncompressed 32-bit floating-point numbers, the format of decoded audio.
    case pcmFloat = "pcm-float"
}
