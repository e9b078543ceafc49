// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The item for which an audio decoding thread works.
///
/// - Concurrency: any thread. Events and queries take the item's lock for a short time.
protocol AudioDecodingHost: AnyObject, Sendable {
    var timebase: Timebase { get }
    var packets: PacketQueue { get }

    /// Records an error after which playback continues.
    func report(_ error: MediaError)
    /// Records that a decoder of the item has output something.
    func noteDecoded()
    /// The lane of the packet queue that is read from the next generation on.
    var audioLane: Int? { get }
    /// Waits until it is known at which time the audio of a generation begins, and returns that
    /// time. Returns nil if the generation has ended.
    func landingTime(generation: Int) -> MediaTime?
    /// Handles a lack of audio: all packets in the queue have been read, or the audio has been
    /// decoded in reverse up to its beginning.
    func audioRanDry()
    /// Records that the audio of earlier generations has been discarded.
    func audioFlushed(generation: Int)
    func audioAdvanced()
    func audioEnded(at end: MediaTime, generation: Int)

    // MARK: Decoding backwards

    /// The track that is read.
    var audioTrack: AssetTrack? { get }
    /// Returns the reversal that a generation performs; nil if the generation decodes forwards or
    /// has ended.
    func reversal(of generation: Int) -> Reversal?
    /// Waits while a generation plays in reverse at a rate at which nothing is heard.
    ///
    /// - Returns: A Boolean value that indicates whether there was such a wait.
    func waitWhileSilent(generation: Int) -> Bool
    /// Opens the asset once more, for audio in reverse order.
    ///
    /// - Parameter cancellation: A flag that ends blocking calls of the reader.
    func openReader(_ cancellation: Cancellation) throws(MediaError) -> AssetReader
}
