// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

/// Turns packets into pictures.
///
/// Feed it with `send`, then take pictures with `receive` until it has no more, then feed again.
/// After `send(nil)` it gives up everything it still holds; after `flush` it can be fed anew.
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

    /// Whether to leave out pictures that no other refers to, which makes getting to a seek's
    /// target faster. Takes effect with the next packet; pictures before the target may then be
    /// missing.
    var skipsNonReferenceFrames: Bool { get set }

    /// What decodes at the moment. It may change with the first packets, and where hardware fails.
    ///
    /// - Concurrency: any thread.
    var method: VideoDecodingMethod { get }
}

extension VideoDecoder {
    /// For decoders that know nothing of hardware.
    package var method: VideoDecodingMethod { .processor }
}
