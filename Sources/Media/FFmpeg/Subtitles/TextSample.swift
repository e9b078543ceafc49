// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// A sample of a text track.
///
/// FFmpeg reports no durations of samples in fragments of MP4 (confirmed in 5.1). Such a sample is
/// shown until the next one begins.
///
/// - Concurrency: a value; any thread.
struct TextSample<Contents: Sendable>: Sendable {
    let start: MediaTime
    let contents: Contents
    /// The time range that the packet states; nil if it states no duration.
    let range: MediaTimeRange?
    /// The end of the samples that the demuxer had found when it read this one; nil if unknown.
    private let bound: MediaTime?

    /// Creates a sample from a packet with a time.
    init(_ packet: MediaPacket, _ contents: Contents) {
        (start, self.contents) = (packet.presentationTime, contents)
        let isTimed = packet.duration.isNumeric && packet.duration > .zero
        range = isTimed ? MediaTimeRange(start: start, duration: packet.duration) : nil
        bound = (packet.payload as? PacketBox)?.trackEnd
    }

    /// Returns the time range of a sample whose packet states none; nil if its end is unknown.
    ///
    /// - Parameter next: The start of the next sample; nil at the end of the track.
    func range(until next: MediaTime?) -> MediaTimeRange? {
        let ends = [next, bound].compactMap { $0 }.filter { $0.isNumeric && $0 > start }
        return ends.min().map { MediaTimeRange(start: start, end: $0) }
    }
}
