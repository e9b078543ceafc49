// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
import PlayheadThreads
public import PlayheadTime
import Synchronization

/// A presentation of an asset, with its own timeline, position and outputs.
///
/// Creating an item does no work. The item begins to open and decode its asset when it is given to
/// a `Player`. If possible, add outputs, make the first seek and choose tracks before that. Several
/// items can play the same asset independently.
///
/// - Concurrency: any thread.
/// - Ownership: a player retains its current item. Releasing the last reference to an item ends its
///   threads.
/// - Errors: `status` becomes `failed` if the asset cannot be played at all. Damaged parts are
///   skipped, which is visible in `statistics` and `lastDecodingError`.
/// - Corresponds to: `AVPlayerItem`.
public final class PlayerItem: Sendable {
    /// The asset that the item plays.
    public let asset: Asset
    let pipeline: ItemPipeline
    /// The observers of the item, which receive every change of the pipeline's state in order.
    let observers = StateObservers(PlayerItemState())
    /// The outputs that the item retains; see `outputs`.
    let keptOutputs = Mutex<[any ItemOutput]>([])
    private let chosenAudioTrackIndex = Mutex<Int?>(nil)
    let observable: ObservableProperties<PlayerItem, PlayerItemState>
    let companions = ItemCompanions()

    /// Creates an item that plays an asset.
    public init(asset: Asset) {
        self.asset = asset
        pipeline = ItemPipeline(
            asset: asset, didChange: { [observers] in observers.note(PlayerItemState($0)) },
            didUnlock: { [observers] in observers.deliver() })
        observable = ObservableProperties(Self.observableProperties, of: observers)
    }

    /// Creates an item with the asset of another item and the same settings, such as the audio
    /// track, the mix, the ends, the subtitles and the buffering. The playhead is at the beginning,
    /// and the item has no outputs.
    ///
    /// - Corresponds to: `AVPlayerItem.copy()`.
    public convenience init(copying other: PlayerItem) {
        self.init(asset: other.asset, copying: other)
    }

    /// Creates an item that plays `asset` with the settings of another item.
    package convenience init(asset: Asset, copying other: PlayerItem) {
        self.init(asset: asset)
        audioTrackIndex = other.audioTrackIndex
        let (track, isSilent, tracks) = other.pipeline.control.withLock {
            ($0.chosenAudioTrack, $0.isAudioDisabled, $0.transport.tracks)
        }
        if isSilent { pipeline.chooseAudio(nil) }
        let further = (tracks.further + tracks.furtherVideo).filter(\.isEnabled).map(\.track.id)
        pipeline.note(
            .setFurtherAudioChoice(tracks.isReady ? Set(further) : tracks.furtherChoice))
        pipeline.note(.setAudioChoice(track))
        audioTimePitchAlgorithm = other.audioTimePitchAlgorithm
        audioMix = other.audioMix
        if let composing = other.videoComposing { setVideoComposing(composing.copy()) }
        reverseCacheByteLimit = other.reverseCacheByteLimit
        preferredForwardBufferDuration = other.preferredForwardBufferDuration
        pixelBufferPool = other.pixelBufferPool
        if let preference = other.pipeline.control.withLock({ $0.variantPreference }) {
            preferVariants(preference)
        }
        forwardPlaybackEndTime = other.forwardPlaybackEndTime
        reversePlaybackEndTime = other.reversePlaybackEndTime
        configuredTimeOffsetFromLive = other.configuredTimeOffsetFromLive
        automaticallyPreservesTimeOffsetFromLive = other.automaticallyPreservesTimeOffsetFromLive
        companions.copy(other.companions, asset: asset, timebase: timebase)
    }

    deinit {
        pipeline.close()
        companions.close()
        pipeline.metadata.close()
    }

    /// The state of an item's preparation. It keeps its value after the item has been played and
    /// its player has removed it.
    ///
    /// - Corresponds to: `AVPlayerItem.Status`.
    public enum Status: Sendable, Hashable {
        /// The item has not been given to a player yet, or is being opened.
        case unknown
        /// The item is ready to play: its tracks and its duration are known.
        case readyToPlay
        /// The item cannot be played, for this reason.
        case failed(MediaError)
    }

    /// The state of the item's preparation. Any thread.
    ///
    /// - Corresponds to: `AVPlayerItem.status`.
    public var status: Status {
        observable.access(self, \.status)
        return Status(pipeline.control.withLock { $0.phase })
    }

    /// The reason for the item's failure; nil if it has not failed.
    public var error: MediaError? {
        observable.access(self, \.error)
        return if case .failed(let error) = status { error } else { nil }
    }

    /// The description of the asset; nil until the item is ready.
    package var assetDescription: AssetDescription? {
        observable.access(self, \.assetDescription)
        return pipeline.control.withLock { $0.description }
    }

    /// The item's timeline. The player controls it, and any thread can read it at any time.
    public var timebase: Timebase { pipeline.timebase }

    /// The time of the playhead.
    public var currentTime: MediaTime { pipeline.timebase.time }

    /// The origin of relative seeks. It is usually `currentTime`. If playback was paused after a
    /// frame had been drawn and before the vsync of that frame, it is the beginning of the frame,
    /// because the frame becomes visible nevertheless.
    package var seenTime: MediaTime { pipeline.seenTime }

    /// The duration of the asset; `indefinite` until it is known, and for a live stream until it
    /// ends. The asset may begin later than 0; see `seekableTimeRanges`.
    public var duration: MediaTime {
        observable.access(self, \.duration)
        return assetDescription?.duration ?? .indefinite
    }

    /// The end of the asset on the item's timeline; `indefinite` until it is known. It is later
    /// than `duration` if the asset begins late.
    package var end: MediaTime {
        observable.access(self, \.duration)
        return assetDescription?.end ?? .indefinite
    }

    /// The asset's chapters; empty until they are known.
    public var chapters: [Chapter] {
        observable.access(self, \.chapters)
        return assetDescription?.chapters ?? []
    }

    /// The display size of the visible frame. It is zero until the item is ready, and for audio
    /// without video. In streams whose size changes, it changes too.
    ///
    /// - Corresponds to: `AVPlayerItem.presentationSize`.
    public var presentationSize: PresentationSize {
        observable.access(self, \.presentationSize)
        return observers.state.presentationSize
    }

    /// The ranges in which a seek is possible: the whole asset, or none while its duration is
    /// unknown.
    ///
    /// For a live HLS or DASH stream, it is the window: from the beginning of the oldest segment in
    /// the playlist or MPD to the live edge, the end of the newest segment. It moves each time the
    /// playlist or MPD is loaded. Time 0 is the beginning of the oldest segment when the asset was
    /// first opened. If playback is requested after the window has left the playhead behind, the
    /// playhead jumps to the beginning of the window, and `Event.timeJumped` reports it. The window
    /// of a stream that keeps all segments (`EXT-X-PLAYLIST-TYPE:EVENT`) only grows. When the
    /// stream ends (`EXT-X-ENDLIST`), `duration` becomes the duration of the window.
    ///
    /// - Corresponds to: `AVPlayerItem.seekableTimeRanges`.
    public var seekableTimeRanges: [MediaTimeRange] {
        observable.access(self, \.seekableTimeRanges)
        return observers.state.seekableTimeRanges
    }

    /// The tracks that play. A track is nil if there is no track of its kind, or if it cannot be
    /// decoded or was not requested.
    public var playingTracks: (video: AssetTrack?, audio: AssetTrack?) {
        pipeline.control.withLock { ($0.videoTrack, $0.audioTrack) }
    }

    /// The index of the audio track among the asset's audio tracks, counted from 0; nil to use the
    /// track that the file prefers. Set it before the item is given to a player. After that, use
    /// `select(_:in:)`, or enable another track of `tracks`.
    package var audioTrackIndex: Int? {
        get { chosenAudioTrackIndex.withLock { $0 } }
        set {
            chosenAudioTrackIndex.withLock { $0 = newValue }
            pipeline.note(.setAudioChoice(nil))
        }
    }

    /// The asset's tracks in this item; empty until the item is ready.
    ///
    ///     item.tracks.first { $0.assetTrack.languageTag == "de" }?.isEnabled = true
    ///
    /// - Corresponds to: `AVPlayerItem.tracks`.
    public var tracks: [PlayerItemTrack] {
        observable.access(self, \.tracks)
        return (assetDescription?.tracks ?? []).map {
            PlayerItemTrack(assetTrack: $0, pipeline: pipeline)
        }
    }

    /// A Boolean value that indicates whether the playhead has reached the end and has not moved
    /// since.
    public var hasPlayedToEnd: Bool {
        observable.access(self, \.hasPlayedToEnd)
        return pipeline.control.withLock { $0.hasPlayedToEnd }
    }

    /// The last decoding error after which playback continued.
    package var lastDecodingError: MediaError? {
        observable.access(self, \.lastDecodingError)
        return pipeline.control.withLock { $0.lastDecodeError }
    }

    // MARK: Outputs

    /// Sets the vsync times of the display that shows the item. If playback starts after this call,
    /// the start is delayed to a vsync, by less than a vsync interval, so that every frame is on
    /// time. A `FramePresenter` calls this method at each tick. Starts at a host time that is
    /// passed to `Player.setRate(_:time:atHostTime:)` are not delayed.
    ///
    /// - Parameters:
    ///   - hostTime: The time of any vsync, past or future.
    ///   - period: The time between two vsyncs; zero, the default, if there is no display.
    /// - Concurrency: any thread. It does not lock or wait.
    package func alignStarts(toVsyncAt hostTime: MediaTime, period: MediaTime) {
        pipeline.vsyncs.set(vsync: hostTime, period: period)
    }

    /// The ratio of the timeline's rate to the requested rate, from 0.995 to 1.005; 1 by default.
    ///
    /// Presenters use it to lock a video to a display. It is not part of the player's `rate`, but
    /// of the timebase's rate. Audio follows it, including its pitch.
    ///
    /// - Concurrency: any thread.
    package var rateAdjustment: Double {
        get { pipeline.control.withLock { $0.rateAdjustment } }
        set {
            precondition(newValue.isFinite, "an adjustment is a number")
            pipeline.post(.setRateAdjustment(min(max(newValue, 0.995), 1.005)))
        }
    }

    /// A Boolean value that indicates whether an output requests that the player does not show the
    /// item itself. Renderers of a player's frames check it.
    package var suppressesPlayerRendering: Bool {
        observable.access(self, \.suppressesPlayerRendering)
        return observers.state.suppressesPlayerRendering
    }

    /// Waits until the item can be played. Call this method after the item has been given to a
    /// player, or inserted into its queue: the item is opened only then, and without a player the
    /// wait would not end.
    ///
    /// - Throws: the reason why it cannot be played; `cancelled` if no player has the item, if the
    ///   item is removed before it is ready, or if the waiting task is cancelled.
    public func waitUntilReady() async throws(MediaError) {
        guard pipeline.claim.isTaken || !pipeline.isIdle else {
            throw MediaError(
                .cancelled, subject: asset.displayName,
                cause: "no player has the item, and an item is opened by its player",
                remedy: "give it to a player first, for example with Player(playerItem:)")
        }
        let cancellation = MediaError(
            .cancelled, subject: asset.displayName, cause: "the wait for the item was cancelled")
        let result: Result<Void, MediaError> = await waitForCompletion(
            orCancellation: .failure(cancellation)
        ) { pipeline.whenReady($0) }
        try result.get()
    }
}
