// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
package import PlayheadBuffers

/// An encoder that compresses frames.
///
/// - Concurrency: one thread at a time. The encoder may use its own threads internally.
/// - Corresponds to: `VTCompressionSession`; `AVCodecContext` of an encoder.
package protocol VideoSampleEncoder: AnyObject, Sendable {
    /// The format of the packets.
    var format: EncodedTrackFormat { get }
    /// A remark for the user about an encoder that was replaced by another; nil if there is no
    /// remark.
    var remark: String? { get }
    /// Encodes a frame in the sample format and size of the settings, and returns the complete
    /// packets. Nil ends the stream: each call with nil returns some of the remaining packets, and
    /// the last call returns none. `time` and `duration` are in units of the settings' timescale.
    ///
    /// - Parameter isKeyframe: A Boolean value that indicates whether the frame has to be a
    ///   keyframe.
    func encode(
        _ frame: PixelBuffer?, at time: Int64, duration: Int64, isKeyframe: Bool
    ) throws(MediaWritingError) -> [MediaPacket]
    /// Frees the encoder after the end of the stream. The statistics of a first pass are complete
    /// after this call, and not before.
    func close()
}
