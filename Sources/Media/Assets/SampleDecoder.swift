// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
package import PlayheadTime

/// A decoder of compressed frames that come from no container, such as those of cameras.
///
/// - Concurrency: one thread at a time.
package protocol SampleDecoder: AnyObject, Sendable {
    /// Decodes a frame. The returned frames may belong to earlier data. The result is empty while
    /// the decoder needs more data.
    ///
    /// - Throws: `decodingFailed` for data that cannot be decoded; later data may be decodable.
    func decode(
        _ bytes: UnsafeRawBufferPointer, at time: MediaTime
    ) throws(MediaError) -> [VideoFrame]

    /// Discards everything that the decoder holds. Decoding continues with a keyframe.
    func flush()
}

/// A source of decoders for compressed frames.
///
/// - Concurrency: any thread.
package protocol SampleDecoding: Sendable {
    /// Creates a decoder that returns each frame as soon as its data has been sent.
    ///
    /// - Parameters:
    ///   - codec: The codec's short name, such as `mjpeg` or `h264`.
    ///   - attachments: The attachments of frames whose data does not state them.
    ///   - subject: The name of the source, for error messages.
    func makeDecoder(
        codec: String, width: Int, height: Int, attachments: PixelBufferAttachments,
        subject: String
    ) throws(MediaError) -> any SampleDecoder
}
