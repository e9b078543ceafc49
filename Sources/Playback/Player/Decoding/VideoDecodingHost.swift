// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

/// The interface that the decoding threads of a video track use.
///
/// - Concurrency: any thread. Events and questions take the item's lock for a moment.
protocol VideoDecodingHost: AnyObject, Sendable {
    var timebase: Timebase { get }
    var packets: PacketQueue { get }
    var frames: FrameQueue { get }
    var scrubbed: ScrubCache { get }
    var recentFrames: RecentFrameBudget { get }
    /// A Boolean value that indicates whether the demuxer moves to keyframes of another track.
    var followsAnotherTrack: Bool { get }

    /// Reports an event to the transport, and performs what follows.
    ///
    /// - Returns: the transport's answer; false without one.
    @discardableResult
    func post(_ event: TransportEvent) -> Bool
    /// Reports an event that makes nothing possible, and wakes no thread.
    @discardableResult
    func note(_ event: TransportEvent) -> Bool
    /// Records an error after which playback continues.
    func report(_ error: MediaError)
    /// Records that something can be decoded.
    func noteDecoded()

    /// Returns the seek that a generation performs; nil without one.
    func move(of generation: Int) -> Seek?
    /// Returns whether the seek of a generation may be repeated from further back.
    func mayBeginEarlier(_ generation: Int) -> Bool
    /// The time from which frames are not shown; `invalid` for none.
    var visibleEnd: MediaTime { get }
    func videoEnded(at end: MediaTime, generation: Int)
    func show(_ frame: VideoFrame, onTheWayTo target: MediaTime, generation: Int)
    func showKept(generation: Int)
    func hasStartedLate(generation: Int) -> Bool

    // MARK: Decoding backwards

    func openDemuxer() throws(MediaError) -> any Demuxer
    var videoTrack: AssetTrack? { get }
    /// Waits for a reversal after that of a generation; returns nil when the item is closed.
    func nextReversal(after generation: Int) -> Reversal?
    /// The time at which backward playback ends.
    var reverseEnd: MediaTime { get }
    /// Waits, after everything down to the beginning is decoded, for the playhead to arrive or for
    /// another request.
    func waitAtStart(generation: Int)
}
