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
    /// - Throws: `decodingFailed` for a packet that cannot be decoded; later ones may be decodable.
    func send(_ packet: MediaPacket?) throws(MediaError)

    /// Returns the next frame in presentation order, or nil if the decoder needs more packets or
    /// has ended.
    ///
    /// - Throws: `decodingFailed` for a frame that cannot be decoded; later ones may be decodable.
    func receive() throws(MediaError) -> VideoFrame?

    /// Discards all packets and frames that it holds, for a seek.
    func flush()

    /// A Boolean value that indicates whether to skip frames on which no other depends, which makes
    /// reaching the target of a seek faster. Takes effect with the next packet; frames before the
    /// target may then be missing.
    var skipsNonReferenceFrames: Bool { get set }

    /// The method that decodes at the moment. It may change with the first packets, and if hardware
    /// fails.
    ///
    /// - Concurrency: any thread.
    var method: VideoDecodingMethod { get }
}

extension VideoDecoder {
    /// The method of decoders without hardware support.
    package var method: VideoDecodingMethod { .processor }
}
