// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadTime

/// The item that the decoding threads work for: the queues between them, the events that they
/// report, and the questions that they ask.
///
/// - Concurrency: any thread. Events and questions take the item's lock for a moment.
protocol DecodingHost: AudioDecodingHost {
    var asset: Asset { get }
    var frames: FrameQueue { get }
    var scrubbed: ScrubCache { get }
    var recentFrames: RecentFrameBudget { get }
    /// The pool of memory for frames that are played forwards.
    var framePool: any PixelBufferPool { get }

    /// Reports an event to the transport, and performs what follows.
    ///
    /// - Returns: the transport's answer; false without one.
    @discardableResult
    func post(_ event: TransportEvent) -> Bool
    /// Reports an event that makes nothing possible, and wakes no thread.
    @discardableResult
    func note(_ event: TransportEvent) -> Bool

    // MARK: Opening

    func openDemuxer() throws(MediaError) -> any Demuxer
    /// Handles the opening of the asset.
    func adopt(_ demuxer: any Demuxer)
    /// The identifier of the audio track that the client has chosen; nil without a choice.
    var chosenAudioTrack: Int? { get }
    /// Makes the item ready; returns nil if it has been closed, and else the renderer of its audio.
    func becomeReady(_ tracks: OpenedTracks, _ description: AssetDescription) -> ReadyItem?
    /// Adds audio tracks beside the selected one; returns their lanes in the packet queue by key.
    func addAudio(_ tracks: [(AssetTrack, any AudioDecoder)]) -> [Int: AddedLane]
    /// Handles the failure of an audio track beside the selected one.
    func cannotAdd(_ track: AssetTrack, _ error: MediaError)
    /// The time from which an audio track that is added needs packets.
    var earliestNeededAudio: MediaTime { get }
    /// Ends everything with an error.
    func fail(_ error: MediaError)

    // MARK: Reading

    /// Returns the next task of the demuxing thread. Waits while the item plays backwards.
    func nextDemuxerTask() -> DemuxerTask
    /// Waits, after everything has been read, for a seek or for closing.
    func waitAtEnd(_ ends: [Int: MediaTime])
    /// The tracks that play.
    var playingTrackIDs: Set<Int> { get }
    var videoTrack: AssetTrack? { get }
    var keyframes: KeyframeIndex { get }
    /// Returns a preference that has not been passed to the demuxer yet, once.
    func takeVariantPreference() -> VariantPreference?
    /// The generation whose packets the demuxer reads first; −1 if it has to move before.
    var firstGeneration: Int { get }
    func packetsAdvanced()

    // MARK: Decoding

    /// Records an error of a track; the others play on.
    func report(_ error: MediaError, track: Int)
    /// Returns the seek that a generation performs; nil without one.
    func move(of generation: Int) -> Seek?
    /// The time from which frames are not shown; `invalid` for none.
    var visibleEnd: MediaTime { get }
    func videoEnded(at end: MediaTime, generation: Int)
    func show(_ frame: VideoFrame, onTheWayTo target: MediaTime, generation: Int)
    func showKept(generation: Int)
    func hasStartedLate(generation: Int) -> Bool

    // MARK: Decoding backwards

    func nextReversal(after generation: Int) -> Reversal?
    /// The time at which backward playback ends.
    var reverseEnd: MediaTime { get }
    /// Waits, after everything down to the beginning is decoded, for the playhead to arrive or for
    /// another request.
    func waitAtStart(generation: Int)
}

/// A task of the demuxing thread.
enum DemuxerTask {
    case close
    case readOn
    case move(Seek)
    /// Adds audio tracks to those that play.
    case add([AssetTrack])
}

/// A lane of the packet queue for a track that was added.
struct AddedLane {
    /// The identifier of the track.
    var track: Int
    /// Starts its reader.
    var begin: () -> Void
}

/// The tracks of an item that play, with their decoders.
struct OpenedTracks {
    var video: (track: AssetTrack, decoder: any VideoDecoder)?
    var audio: (track: AssetTrack, decoder: any AudioDecoder, sink: any AudioSink)?
    /// The decoders of the audio tracks that may be chosen later, including the one that plays.
    var audioDecoders: [Int: any AudioDecoder] = [:]
    var error: MediaError?
}

/// The result of making an item ready: the renderer of its audio, and the work to do once its
/// threads have begun.
struct ReadyItem {
    var renderer: AudioRenderer?
    var begin: () -> Void
}

/// The parameters of a start.
struct DecodingConfiguration: Sendable {
    var audioSink: (any AudioSink)?
    /// Creates the sink of another track, which is heard together with `audioSink`, in the order of
    /// the numbers.
    var makeFurtherSink: (@Sendable (Int) -> (any AudioSink)?)?
    /// The clock of the timeline if no clock was chosen and there is no audio device.
    var masterClock: any MediaClock
    var chosenClock: (any MediaClock)?
    var audioTrackIndex: Int?
    var waitsToMinimizeStalling = true
    var playsVideo = true
    var playsAudio = true
    var endAction = EndAction.pause
}
