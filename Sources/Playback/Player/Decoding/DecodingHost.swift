// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadTime

/// The item for which the decoding threads work. It provides the queues between them, receives the
/// events that they report, and answers their queries.
///
/// - Concurrency: any thread. Events and queries take the item's lock for a short time.
protocol DecodingHost: AudioDecodingHost, VideoDecodingHost {
    var asset: Asset { get }
    /// The pool of memory for frames in forward playback.
    var framePool: any PixelBufferPool { get }

    // MARK: Opening

    /// Opens the asset.
    func openDemuxer() throws(MediaError) -> any Demuxer
    /// Returns the demuxer to read from now on, which may replace the current one at a seek.
    func reopened(_ demuxer: any Demuxer) -> any Demuxer
    /// Takes over the demuxer that has opened the asset.
    func adopt(_ demuxer: any Demuxer)
    /// The identifier of the audio track that the client has chosen; nil if it has not chosen a
    /// track.
    var chosenAudioTrack: Int? { get }
    /// Makes the item ready. Returns nil if the item has been closed.
    func becomeReady(_ tracks: OpenedTracks, _ description: AssetDescription) -> ReadyItem?
    /// Adds audio tracks that play in addition to the selected audio track. Returns their lanes in
    /// the packet queue, by key.
    func addAudio(_ tracks: [(AssetTrack, any AudioDecoder)]) -> [Int: AddedLane]
    /// Adds video tracks that play in addition to the first video track. Returns their lanes in the
    /// packet queue, by key.
    func addVideo(_ tracks: [(AssetTrack, any VideoDecoder)]) -> [Int: AddedLane]
    /// Handles the failure of a track that was to be added.
    func cannotAdd(_ track: AssetTrack, _ error: MediaError)
    /// The time from which a newly added audio track needs packets.
    var earliestNeededAudio: MediaTime { get }
    /// Ends all work with an error.
    func fail(_ error: MediaError)

    // MARK: Reading

    /// Returns the next task of the demuxing thread. Waits during reverse playback.
    func nextDemuxerTask() -> DemuxerTask
    /// After everything has been read, waits until there is a seek or the item is closed.
    func waitAtEnd(_ ends: [Int: MediaTime])
    /// The identifiers of the tracks that play.
    var playingTrackIDs: Set<Int> { get }
    var keyframes: KeyframeIndex { get }
    /// Returns a preference that has not been passed to the demuxer yet. Each preference is
    /// returned once.
    func takeVariantPreference() -> VariantPreference?
    /// The generation whose packets the demuxer reads first; −1 if the demuxer must seek before it
    /// reads.
    var firstGeneration: Int { get }
    func packetsAdvanced()
    /// Takes what is new in the log of a demuxer's transfer since its count was `count`. Returns
    /// the new count.
    func noteTransfer(of demuxer: any Demuxer, since count: Int) -> Int

    /// Takes the window of a demuxer's live stream if it has changed since its count was `count`.
    /// Returns the new count.
    func noteLive(of demuxer: any Demuxer, since count: Int) -> Int
    /// Takes the timed metadata that the demuxer has read.
    func noteMetadata()
    /// A Boolean value that indicates whether the demuxer must seek before it reads on.
    var mustMoveDemuxer: Bool { get }
    /// Waits for some time, or until the demuxer has other work.
    func waitToRead(nanoseconds: Int64)

    // MARK: Decoding

    /// Records that a video track other than the first one has advanced: it has another frame, has
    /// ended, or cannot be decoded.
    func furtherVideoAdvanced(track: Int, generation: Int)
    /// Returns whether the seek of a generation has not landed.
    func isSeeking(_ generation: Int) -> Bool
    /// Records an error of a track. The other tracks continue to play.
    func report(_ error: MediaError, track: Int)
}

/// A task of the demuxing thread.
enum DemuxerTask {
    case close
    case readOn
    case move(Seek)
    /// Adds tracks to the tracks that play.
    case add([AssetTrack])
}

/// A lane in the packet queue for a track that was added.
struct AddedLane {
    /// The identifier of the track.
    var track: Int
    var isVideo = false
    /// Starts the thread that reads the lane.
    var begin: () -> Void
}

/// The playing tracks of an item, with their decoders.
struct OpenedTracks {
    var video: (track: AssetTrack, decoder: any VideoDecoder)?
    var audio: (track: AssetTrack, decoder: any AudioDecoder, sink: any AudioSink)?
    /// The decoders of the audio tracks that can be chosen later, including the track that plays.
    var audioDecoders: [Int: any AudioDecoder] = [:]
    var error: MediaError?
}

/// The result of making an item ready: the renderer of its audio, and the work that remains after
/// its threads have started.
struct ReadyItem {
    var renderer: AudioRenderer?
    var begin: () -> Void
}

/// The configuration for the start of decoding.
struct DecodingConfiguration: Sendable {
    var audioSink: (any AudioSink)?
    /// Creates the sink of an additional audio track, which is heard together with `audioSink`. The
    /// argument is a number that determines the order of the sinks.
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
