// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets

/// Compresses audio.
///
/// - Concurrency: one thread at a time.
/// - Corresponds to: `AVAudioConverter`; `AVCodecContext` of an encoder.
package protocol AudioSampleEncoder: AnyObject, Sendable {
    /// The format of the packets.
    var format: EncodedTrackFormat { get }
    /// Encodes interleaved samples that follow those before, and returns the packets that are
    /// complete; nil encodes the end. The first sample is at time 0.
    func encode(
        _ samples: UnsafeBufferPointer<Float>?
    ) throws(MediaWritingError) -> [MediaPacket]
}
