// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

/// Decodes packets to audio.
///
/// It is used like a `VideoDecoder`.
///
/// - Concurrency: one thread at a time.
/// - Corresponds to: `AVAudioConverter` over compressed buffers; `AVCodecContext` and `SwrContext`.
package protocol AudioDecoder: AnyObject, Sendable {
    /// The format of the decoded audio.
    var format: AudioFormat { get }
    /// Takes a packet, or nil for the end of the stream.
    func send(_ packet: MediaPacket?) throws(MediaError)
    /// Returns the next decoded audio, without priming and padding, or nil if the decoder needs
    /// more packets or has ended.
    func receive() throws(MediaError) -> AudioBuffer?
    /// Discards everything that it holds, for a seek.
    func flush()
}
