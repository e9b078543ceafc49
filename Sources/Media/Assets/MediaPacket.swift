// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// A piece of a track as the container stores it: what a demuxer reads and a decoder takes.
///
/// - Concurrency: any thread; a packet does not change once it exists.
/// - Ownership: `payload` holds the compressed data in the form that the packet's creator uses.
/// - Corresponds to: a `CMSampleBuffer` of compressed data; `AVPacket`.
package struct MediaPacket: Sendable {
    /// The track that it belongs to.
    package var trackID: Int
    /// The time at which the packet is shown or heard; `invalid` if the container does not say.
    package var presentationTime: MediaTime
    /// The time at which the packet has to be decoded; `invalid` if the container does not say.
    package var decodeTime: MediaTime
    /// `invalid` where unknown.
    package var duration: MediaTime
    /// A Boolean value that indicates whether decoding can begin with the packet.
    package var isKeyframe: Bool
    /// Compressed bytes.
    package var byteCount: Int
    /// The data itself, meaningful to the decoders that come from the same demuxer.
    package var payload: any AnyObject & Sendable

    /// The number of bytes that the packet takes in memory while it waits, for bounding queues: in
    /// a video with the smallest frames, most of the memory is the overhead of each packet.
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
