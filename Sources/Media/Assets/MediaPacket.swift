// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// A packet of a track. It is the unit that a demuxer reads and that a decoder takes.
///
/// - Concurrency: any thread; packets are immutable.
/// - Ownership: `payload` holds the compressed data in a form that the packet's creator chooses.
/// - Corresponds to: a `CMSampleBuffer` of compressed data; `AVPacket`.
package struct MediaPacket: Sendable {
    /// The track that the packet belongs to.
    package var trackID: Int
    /// The time at which the packet is presented; `invalid` if the container does not declare one.
    package var presentationTime: MediaTime
    /// The time at which the packet has to be decoded; `invalid` if the container does not declare
    /// one.
    package var decodeTime: MediaTime
    /// The duration of the packet; `invalid` if unknown.
    package var duration: MediaTime
    /// A Boolean value that indicates whether decoding can begin with the packet.
    package var isKeyframe: Bool
    /// The number of compressed bytes.
    package var byteCount: Int
    /// The data, in a form that decoders of the same demuxer can read.
    package var payload: any AnyObject & Sendable

    /// The size of the packet in memory, in bytes, which counts towards the limits of queues. If a
    /// video has very small frames, most of this size is the overhead of the packets.
    package var memoryByteCount: Int { byteCount + Self.overhead }

    /// The overhead of a packet, in bytes: the packet itself, the payload's object, and FFmpeg's
    /// `AVPacket` with its buffer and padding.
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

    /// The time at which the track's next packet is due; `invalid` if unknown.
    package var end: MediaTime {
        duration.isNumeric ? presentationTime + duration : presentationTime
    }
}
