// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// A sample of a text track whose packet has no duration. It is shown until the next sample begins.
///
/// FFmpeg reports no durations of samples in fragments of MP4 (confirmed in 5.1).
///
/// - Concurrency: a value; any thread.
struct OpenSample<Contents: Sendable>: Sendable {
    let start: MediaTime
    let contents: Contents
    /// The end of the samples that the demuxer had found when it read this one; nil if unknown.
    private let bound: MediaTime?

    init(_ packet: MediaPacket, _ contents: Contents) {
        (start, self.contents) = (packet.presentationTime, contents)
        bound = (packet.payload as? PacketBox)?.trackEnd
    }

    /// Returns the time range of the sample; nil if its end is unknown.
    ///
    /// - Parameter next: The start of the next sample; nil at the end of the track.
    func range(until next: MediaTime?) -> MediaTimeRange? {
        let ends = [next, bound].compactMap { $0 }.filter { $0.isNumeric && $0 > start }
        return ends.min().map { MediaTimeRange(start: start, end: $0) }
    }
}
