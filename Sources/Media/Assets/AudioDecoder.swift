// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

/// A decoder that turns packets into audio.
///
/// It is used in the same way as a `VideoDecoder`.
///
/// - Concurrency: one thread at a time.
/// - Corresponds to: `AVAudioConverter` over compressed buffers; `AVCodecContext` and `SwrContext`.
package protocol AudioDecoder: AnyObject, Sendable {
    /// The format of the decoded audio.
    var format: AudioFormat { get }
    /// Takes a packet, or nil for the end of the stream.
    func send(_ packet: MediaPacket?) throws(MediaError)
    /// Returns the next decoded audio, without priming and padding. Returns nil if the decoder
    /// needs more packets or has ended.
    func receive() throws(MediaError) -> AudioBuffer?
    /// Discards everything that the decoder holds, for a seek.
    func flush()
}
