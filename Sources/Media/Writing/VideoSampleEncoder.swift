// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
package import PlayheadBuffers

/// Compresses frames.
///
/// - Concurrency: one thread at a time. It may use threads of its own inside.
/// - Corresponds to: `VTCompressionSession`; `AVCodecContext` of an encoder.
package protocol VideoSampleEncoder: AnyObject, Sendable {
    /// The format of the packets.
    var format: EncodedTrackFormat { get }
    /// A line about an encoder that was replaced by another, for the user; nil for none.
    var remark: String? { get }
    /// Encodes a frame in the settings' sample format and size, and returns the packets that are
    /// complete; nil encodes the end. `time` and `duration` are in units of the settings'
    /// timescale.
    func encode(
        _ frame: PixelBuffer?, at time: Int64, duration: Int64
    ) throws(MediaWritingError) -> [MediaPacket]
}
