// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
package import PlayheadTime

/// A decoder that turns packets into frames.
///
/// Send a packet with `send`, take frames with `receive` until it returns nil, and then send the
/// next packet. After `send(nil)`, `receive` returns all frames that the decoder still holds. After
/// `flush`, packets can be sent again.
///
/// - Concurrency: one thread at a time. The decoder may use its own threads internally.
/// - Corresponds to: `VTDecompressionSession`; `AVCodecContext`.
package protocol VideoDecoder: AnyObject, Sendable {
    /// Takes a packet, or nil for the end of the stream.
    ///
    /// - Throws: `decodingFailed` for a packet that cannot be decoded. Later packets may be
    ///   decodable.
    func send(_ packet: MediaPacket?) throws(MediaError)

    /// Returns the next frame in presentation order. Returns nil if the decoder needs more packets
    /// or has ended.
    ///
    /// - Throws: `decodingFailed` for a frame that cannot be decoded. Later frames may be
    ///   decodable.
    func receive() throws(MediaError) -> VideoFrame?

    /// Discards all packets and frames that the decoder holds, for a seek.
    func flush()

    /// Discards all packets and frames as `flush` does, but may keep the position for a later seek,
    /// or continue at a position that an earlier seek left. The packets from a keyframe on have to
    /// be sent all the same; those that were decoded before are then ignored.
    ///
    /// - Parameters:
    ///   - limit: The time at or before which frames that are not needed end; nil if all frames
    ///     from the keyframe on are needed. Only packets that are sent while
    ///     `skipsNonReferenceFrames` is true count as not needed.
    ///   - byteLimit: The maximum size of the frames in the decoders whose positions are kept, in
    ///     bytes.
    func flush(resumingBefore limit: MediaTime?, byteLimit: Int)

    /// A Boolean value that indicates whether frames on which no other frame depends are skipped.
    /// Skipping makes a seek reach its target faster. A change takes effect with the next packet;
    /// frames before the target may then be missing.
    var skipsNonReferenceFrames: Bool { get set }

    /// The current decoding method. It may change with the first packets, or if hardware fails.
    ///
    /// - Concurrency: any thread.
    var method: VideoDecodingMethod { get }
}

extension VideoDecoder {
    /// Keeps no positions.
    package func flush(resumingBefore limit: MediaTime?, byteLimit: Int) { flush() }

    /// The method of decoders without hardware support.
    package var method: VideoDecodingMethod { .processor }
}
