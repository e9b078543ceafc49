// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

/// Turns packets into sound.
///
/// Fed and emptied like a `VideoDecoder`.
///
/// - Concurrency: one thread at a time.
/// - Corresponds to: `AVAudioConverter` over compressed buffers; `AVCodecContext` and `SwrContext`.
package protocol AudioDecoder: AnyObject, Sendable {
    /// The form of the sound it delivers.
    var format: AudioFormat { get }
    /// Takes a packet, or nil for the end of the stream.
    func send(_ packet: MediaPacket?) throws(MediaError)
    /// The next run of sound, priming and padding trimmed; nil when it needs more packets, or has
    /// ended.
    func receive() throws(MediaError) -> AudioBuffer?
    /// Forgets everything that it holds, for a seek.
    func flush()
}
