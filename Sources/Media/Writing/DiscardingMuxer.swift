// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// A muxer that discards all samples, for passes that only measure.
final class DiscardingMuxer: MediaMuxer {
    func begin() throws(MediaWritingError) {}
    func write(_ packet: MediaPacket, track: Int) throws(MediaWritingError) {}
    func write(_ text: String, in range: MediaTimeRange, track: Int) throws(MediaWritingError) {}
    func flush() throws(MediaWritingError) {}
    func finish(at end: MediaTime) throws(MediaWritingError) {}
}
