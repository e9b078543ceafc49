// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// A packet of a track: the unit that a demuxer reads and a decoder takes.
///
/// - Concurrency: any thread; packets are immutable.
/// - Ownership: `payload` holds the compressed data in the form that the packet's creator uses.
/// - Corresponds to: a `CMSampleBuffer` of compressed data; `AVPacket`.
package struct MediaPacket: Sendable {
    /// The track that it belongs to.
    package var trackID: Int
    /// The time at which the packet is presented; `invalid` if the container does not declare one.
    package var presentationTime: MediaTime
    /// The time at which the packet has to be decoded; `invalid` if the container does not declare
    /// one.
    package var decodeTime: MediaTime
    /// `invalid` where unknown.
    package var duration: MediaTime
    /// A Boolean value that indicates whether decoding can begin with the packet.
    package var isKeyframe: Bool
    /// Compressed bytes.
    package var byteCount: Int
    /// The data, in a form that decoders of the same demuxer can read.
    package var payload: any AnyObject & Sendable

    /// The size of the packet in memory, in bytes, for the limits of queues. In a video with very
    /// small frames, most of it is the overhead of each packet.
    package var memoryByteCount: Int { byteCount + Self.overhead }

    /// The packet itself, its payload's object, and FFmpeg's `AVPacket` with its buffer and
    /// padding.
    private static let overhead = 512

    package init(
        trackID: Int, presentationTime: MediaTime, decodeTime: MediaTime, duration: MediaTime,
        isKeyframe: Bool, byteCount: Int, payload: any AnyObject & Sendable
    ) {
        self.trackID = trackID
        self.presentationTime = presentationTime
        self.decodeTime = decodeTime
        self.duration = duration
        self.isKeyframe = isKeyframe
        self.byteCount = byteCount
        self.payload = payload
    }

    /// The time at which the track's next packet is due; `invalid` if that is not known.
    package var end: MediaTime {
        duration.isNumeric ? presentationTime + duration : presentationTime
    }
}
