// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// A sample of a text track.
///
/// FFmpeg reports no durations of samples in fragments of MP4 (confirmed in 5.1). Such a sample is
/// shown until the next one begins, or its fragment ends.
///
/// - Concurrency: a value; any thread.
struct TextSample<Contents: Sendable>: Sendable {
    let start: MediaTime
    let contents: Contents
    /// The time range that the packet states; nil if it states no duration.
    let range: MediaTimeRange?
    /// The end of the samples that the demuxer had found when it read this one, and the end of the
    /// samples of its fragment, as far as they are known.
    private let bounds: [MediaTime]

    /// Creates a sample from a packet with a time.
    ///
    /// - Parameter end: The end of the samples of the packet's fragment; nil if it is not known.
    init(_ packet: MediaPacket, _ contents: Contents, end: MediaTime?) {
        (start, self.contents) = (packet.presentationTime, contents)
        let isTimed = packet.duration.isNumeric && packet.duration > .zero
        let duration = end.map { min(packet.duration, $0 - packet.presentationTime) }
        range =
            isTimed
            ? MediaTimeRange(start: start, duration: duration ?? packet.duration) : nil
        bounds = [(packet.payload as? PacketBox)?.trackEnd, end].compactMap { $0 }
    }

    /// Returns the time range of a sample whose packet states none; nil if its end is unknown.
    ///
    /// - Parameter next: The start of the next sample; nil at the end of the track.
    func range(until next: MediaTime?) -> MediaTimeRange? {
        let ends = (bounds + [next].compactMap { $0 }).filter { $0.isNumeric && $0 > start }
        return ends.min().map { MediaTimeRange(start: start, end: $0) }
    }
}
