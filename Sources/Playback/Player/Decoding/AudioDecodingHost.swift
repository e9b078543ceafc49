// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The item that an audio decoding thread works for.
///
/// - Concurrency: any thread. Events and questions take the item's lock for a moment.
protocol AudioDecodingHost: AnyObject, Sendable {
    var timebase: Timebase { get }
    var packets: PacketQueue { get }

    /// Records an error that playback survives.
    func report(_ error: MediaError)
    /// Records that something can be decoded.
    func noteDecoded()
    /// The lane of the packet queue to read from the next generation on.
    var audioLane: Int? { get }
    /// Waits for the time at which audio begins in a generation; nil if that is over.
    func landingTime(generation: Int) -> MediaTime?
    /// Handles a lack of packets.
    func audioRanDry()
    /// Audio of earlier generations has been discarded.
    func audioFlushed(generation: Int)
    func audioAdvanced()
    func audioEnded(at end: MediaTime, generation: Int)
}
