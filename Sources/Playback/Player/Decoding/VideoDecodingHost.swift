// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

/// The interface that the decoding threads of a video track use.
///
/// - Concurrency: any thread. Events and queries take the item's lock for a short time.
protocol VideoDecodingHost: AnyObject, Sendable {
    var timebase: Timebase { get }
    var packets: PacketQueue { get }
    var frames: FrameQueue { get }
    var scrubbed: ScrubCache { get }
    var recentFrames: RecentFrameBudget { get }
    /// A Boolean value that indicates whether each frame is shown as soon as it is decoded, however
    /// late it is.
    var showsNewest: Bool { get }
    /// A Boolean value that indicates whether the demuxer seeks to keyframes of another track.
    var followsAnotherTrack: Bool { get }

    /// Reports an event to the transport, and performs the resulting actions.
    ///
    /// - Returns: the transport's answer; false if there is no answer.
    @discardableResult
    func post(_ event: TransportEvent) -> Bool
    /// Reports an event that no thread waits for. No thread is woken.
    @discardableResult
    func note(_ event: TransportEvent) -> Bool
    /// Records an error after which playback continues.
    func report(_ error: MediaError)
    /// Records that a decoder of the item has output something.
    func noteDecoded()

    /// Returns the decoder of the packets from now on, if it is another one. It is returned once.
    func takeNewDecoder() -> (any VideoDecoder)?
    /// Returns the seek that a generation performs; nil if there is no seek.
    func move(of generation: Int) -> Seek?
    /// Returns whether the seek of a generation may be repeated from further back, because the
    /// frame at its target cannot be decoded.
    func mayBeginEarlier(_ generation: Int, target: MediaTime) -> Bool
    /// Returns whether the track shows nothing at a time, according to the container.
    func isKnownEmpty(at time: MediaTime) -> Bool
    /// Records that the track has a gap: all frames before the gap are in the queue, and no frame
    /// follows for a while.
    func noteGap(generation: Int)
    /// The time from which on frames are not shown; `invalid` if there is no such time.
    var visibleEnd: MediaTime { get }
    func videoEnded(at end: MediaTime, generation: Int)
    func show(_ frame: VideoFrame, onTheWayTo target: MediaTime, generation: Int)
    func showKept(generation: Int)
    func hasStartedLate(generation: Int) -> Bool

    // MARK: Decoding backwards

    /// Opens the asset once more.
    ///
    /// - Parameter cancellation: A flag that ends blocking calls of the demuxer.
    func openDemuxer(_ cancellation: Cancellation) throws(MediaError) -> any Demuxer
    /// A number that changes when `openDemuxer` returns demuxers of another kind.
    var openingNumber: Int { get }
    var videoTrack: AssetTrack? { get }
    /// Waits for a reversal that is newer than a generation, and returns it; nil when the item is
    /// closed.
    func nextReversal(after generation: Int) -> Reversal?
    /// The time at which reverse playback ends.
    var reverseEnd: MediaTime { get }
    /// After everything back to the beginning has been decoded, waits until the playhead reaches
    /// the beginning or there is another request.
    func waitAtStart(generation: Int)
}

extension VideoDecodingHost {
    var openingNumber: Int { 0 }
    var showsNewest: Bool { false }

    /// Returns nil.
    func takeNewDecoder() -> (any VideoDecoder)? { nil }
}
