// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg

/// The encoding of an audio file.
package enum AudioCodec: String, Sendable, Hashable, CaseIterable {
    /// Uncompressed samples in WAVE.
    case pcm
    /// FLAC, which is lossless.
    case flac
    /// AAC in M4A.
    case aac
    /// Opus in Ogg, with a sample rate of 48 kHz.
    case opus

    /// Creates the codec for a file extension. Fails if it is not the extension of an audio file.
    package init?(pathExtension: String) {
        switch pathExtension.lowercased() {
        case "wav": self = .pcm
        case "flac": self = .flac
        case "m4a": self = .aac
        case "opus": self = .opus
        default: return nil
        }
    }

    /// Returns FFmpeg's name of the encoder.
    ///
    /// - Parameter bitDepth: The bit depth of samples that are stored without loss.
    func encoder(bitDepth: Int) -> String {
        switch self {
        case .pcm: bitDepth > 16 ? "pcm_s24le" : "pcm_s16le"
        case .flac: "flac"
        case .aac: "aac"
        case .opus: "libopus"
        }
    }

    /// Returns the sample rate at which audio of rate `rate` is stored: `rate` if the encoder
    /// supports it, otherwise the nearest rate that the encoder supports.
    package func sampleRate(nearest rate: Int) -> Int {
        self == .opus
            ? 48_000 : SampleWriting.rate(nearest: rate, of: encoder(bitDepth: 24))
    }
}
