// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

/// A decoder that turns packets into frames.
///
/// Feed it with `send`, then take frames with `receive` until it has no more, then feed again.
/// After `send(nil)` it returns all frames that it still holds; after `flush` it can be fed again.
///
/// - Concurrency: one thread at a time. It may use threads of its own inside.
/// - Corresponds to: `VTDecompressionSession`; `AVCodecContext`.
package protocol VideoDecoder: AnyObject, Sendable {
    /// Takes a packet, or nil for the end of the stream.
    ///
    /// - Throws: `decodingFailed` for a packet that cannot be decoded; the next ones may be.
    func send(_ packet: MediaPacket?) throws(MediaError)

    /// The next picture in order of presentation; nil when it needs more packets, or has ended.
    ///
    /// - Throws: `decodingFailed` for a picture that cannot be decoded; the next ones may be.
    func receive() throws(MediaError) -> VideoFrame?

    /// Forgets all packets and pictures that it holds, for a seek.
    func flush()

    /// A Boolean value that indicates whether to leave out frames that no other refers to, which
    /// makes reaching a seek's target faster. Takes effect with the next packet; frames before the
    /// target may then be missing.
    var skipsNonReferenceFrames: Bool { get set }

    /// The method that decodes at the moment. It may change with the first packets, and if hardware
    /// fails.
    ///
    /// - Concurrency: any thread.
    var method: VideoDecodingMethod { get }
}

extension VideoDecoder {
    /// For decoders that know nothing of hardware.
    package var method: VideoDecodingMethod { .processor }
}
