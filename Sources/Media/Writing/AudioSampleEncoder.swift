// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets

/// An encoder that compresses audio.
///
/// - Concurrency: one thread at a time.
/// - Corresponds to: `AVAudioConverter`; `AVCodecContext` of an encoder.
package protocol AudioSampleEncoder: AnyObject, Sendable {
    /// The format of the packets.
    var format: EncodedTrackFormat { get }
    /// Encodes interleaved samples that follow the previous ones, and returns the complete packets.
    /// Nil ends the stream. The first sample is at time 0.
    func encode(
        _ samples: UnsafeBufferPointer<Float>?
    ) throws(MediaWritingError) -> [MediaPacket]
}
