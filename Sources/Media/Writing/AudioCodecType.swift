// SPDX-License-Identifier: Apache-2.0

/// An audio codec that can be encoded.
///
/// - Corresponds to: `AVFormatIDKey` and its constants.
public enum AudioCodecType: String, Sendable, Hashable, CaseIterable {
    /// AAC of low complexity.
    case aac
    /// Opus. Its sample rate is 48 kHz.
    case opus
    /// FLAC, lossless.
    case flac
    /// Apple Lossless.
    case alac
    /// Uncompressed integers of 16 bits.
    case pcm16
    /// Uncompressed integers of 24 bits.
    case pcm24
    /// Uncompressed 32-bit floating-point numbers, the format of decoded audio.
    case pcmFloat = "pcm-float"
}
