// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
import PlayheadThreads
public import PlayheadTime
import Synchronization

/// One playing, or yet to be played, of an asset: its timeline, position and outputs.
///
/// Making one costs nothing; it begins to open and decode its asset when it is given to a `Player`.
/// Outputs, the first seek and the choice of tracks are best set before that. Several items may
/// play one asset independently.
///
/// - Concurrency: any thread.
/// - Ownership: a player keeps its current item; dropping the last reference ends its threads.
/// - Errors: `status` becomes `failed` when the asset cannot be played at all. Damage within it is
///   played around, and shows in `statistics` and `lastDecodingError`.
/// - Corresponds to: `AVPlayerItem`.
public final class PlayerItem: Sendable {
    /// What it plays.
    public let asset: Asset
    let pipeline: ItemPipeline
    private let outputList = Mutex<[PlayerItemVideoOutput]>([])
    private let chosenAudioTrackIndex = Mutex<Int?>(nil)
    let observable: ObservableProperties<PlayerItem, PlayerItemState>
    let legible: LegibleMedia

    public init(asset: Asset) {
        self.asset = asset
        pipeline = ItemPipeline(asset: asset)
        legible = LegibleMedia(asset: asset, timebase: pipeline.timebase)
        observable = ObservableProperties(Self.observableProperties, of: pipeline.observers)
    }

    /// An item of the same asset, with the same choices, that has not been played: its track of sound, mix,
    /// ends, subtitles, and how it is buffered. The playhead is at its beginning, and outputs stay where
    /// they are.
    ///
    /// - Corresponds to: `AVPlayerItem.copy()`.
    public convenience init(copying other: PlayerItem) {
        self.init(asset: other.asset)
        audioTrackIndex = other.audioTrackIndex
        let (track, isSilent) = other.pipeline.control.withLock {
            ($0.chosenAudioTrack, $0.isAudioDisabled)
        }
        if isSilent { pipeline.chooseAudio(nil) }
        pipeline.control.withLock { $0.chosenAudioTrack = track }
        audioTimePitchAlgorithm = other.audioTimePitchAlgorithm
        audioMix = other.audioMix
        reverseCacheByteLimit = other.reverseCacheByteLimit
        preferredForwardBufferDuration = other.preferredForwardBufferDuration
        pixelBufferPool = other.pixelBufferPool
        if let preference = other.pipeline.control.withLock({ $0.variantPreference }) {
            preferVariants(preference)
        }
        forwardPlaybackEndTime = other.forwardPlaybackEndTime
        reversePlaybackEndTime = other.reversePlaybackEndTime
        for file in other.legible.files {
            addSubtitles(file.asset, name: file.option.displayName, language: file.option.language)
        }
        legible.select(other.legible.selected)
    }

    deinit {
        pipeline.close()
        legible.close()
    }

    /// Whether the item can be played. What is known of it stays known when it has been played, and its
    /// player has let it go.
    ///
    /// - Corresponds to: `AVPlayerItem.Status`.
    public enum Status: Sendable, Hashable {
        /// Not given to a player yet, or still being opened.
        case unknown
        case readyToPlay
        case failed(MediaError)
    }

    /// Whether it can be played. Any thread.
    ///
    /// - Corresponds to: `AVPlayerItem.status`.
    public var status: Status {
        observable.access(self, \.status)
        return pipeline.control.withLock { $0.status }
    }

    /// Why the item failed; nil while it has not.
    public var error: MediaError? {
        observable.access(self, \.error)
        return if case .failed(let error) = status { error } else { nil }
    }

    /// What the asset was found to be; nil until the item is ready.
    package var assetDescription: AssetDescription? {
        observable.access(self, \.assetDescription)
        return pipeline.control.withLock { $0.description }
    }

    /// The item's timeline: read it as often as you like, from any thread. The player sets it.
    public var timebase: Timebase { pipeline.timebase }

    /// Where the playhead is.
    public var currentTime: MediaTime { pipeline.timebase.time }

    /// What a relative seek counts from: `currentTime`, or, where a pause came between the taking of a
    /// picture for a vsync to come and that vsync, when that picture begins, for it is what is seen.
    package var seenTime: MediaTime { pipeline.seenTime }

    /// The asset's duration, a length; `indefinite` until it is known. `seekableTimeRanges` says where it
    /// begins and ends.
    public var duration: MediaTime {
        observable.access(self, \.duration)
        return assetDescription?.duration ?? .indefinite
    }

    /// Where the asset ends on the item's timeline, which is later than `duration` where it begins late;
    /// `indefinite` until it is known.
    package var end: MediaTime {
        observable.access(self, \.duration)
        return assetDescription?.end ?? .indefinite
    }

    /// The asset's chapters; empty until they are known.
    public var chapters: [Chapter] {
        observable.access(self, \.chapters)
        return assetDescription?.chapters ?? []
    }

    /// Size at which the visible picture is meant to be seen: zero until the item is ready, and for
    /// one that has only sound. Changes with the picture where a stream changes its size.
    ///
    /// - Corresponds to: `AVPlayerItem.presentationSize`.
    public var presentationSize: PresentationSize {
        observable.access(self, \.presentationSize)
        return pipeline.observers.state.presentationSize
    }

    /// Where a seek can lead: all of the asset, or nothing while its duration is not known.
    ///
    /// - Corresponds to: `AVPlayerItem.seekableTimeRanges`.
    public var seekableTimeRanges: [MediaTimeRange] {
        observable.access(self, \.seekableTimeRanges)
        return pipeline.observers.state.seekableTimeRanges
    }

    /// The tracks that play: nil for a kind that is missing, cannot be decoded, or was not wanted.
    public var playingTracks: (video: AssetTrack?, audio: AssetTrack?) {
        pipeline.control.withLock { ($0.videoTrack, $0.audioTrack) }
    }

    /// Chooses the audio track by its place among the asset's audio tracks, from 0; nil leaves the
    /// choice to the file. Before the item is given to a player; by `select(_:in:)`, or by enabling
    /// another of `tracks`, it can be changed at any time.
    package var audioTrackIndex: Int? {
        get { chosenAudioTrackIndex.withLock { $0 } }
        set {
            chosenAudioTrackIndex.withLock { $0 = newValue }
            pipeline.control.withLock { $0.chosenAudioTrack = nil }
        }
    }

    /// The asset's tracks as they play here; empty until the item is ready.
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

    /// Whether the playhead has reached the end and not been moved since.
    public var hasPlayedToEnd: Bool {
        observable.access(self, \.hasPlayedToEnd)
        return pipeline.control.withLock { $0.hasPlayedToEnd }
    }

    /// The last error in decoding that playback went past.
    package var lastDecodingError: MediaError? {
        observable.access(self, \.lastDecodingError)
        return pipeline.control.withLock { $0.lastDecodeError }
    }

    // MARK: Outputs

    /// Tells when the display shows something new on which the item is shown, so that playback
    /// starts with a vsync: at most one vsync later than it could, and every picture comes on time.
    /// A `FramePresenter` tells it at each tick. Starts that are declared, by
    /// `Player.setRate(_:time:atHostTime:)`, stay as they are declared.
    ///
    /// - Parameters:
    ///   - hostTime: a vsync that has come or will come.
    ///   - period: from one to the next; zero for no display, as at first.
    /// - Concurrency: any thread; neither locks nor waits.
    package func alignStarts(toVsyncAt hostTime: MediaTime, period: MediaTime) {
        pipeline.vsyncs.set(vsync: hostTime, period: period)
    }

    /// By how much the timeline is faster than the rate that was asked for: 0.995 to 1.005, 1 at first.
    ///
    /// Presenters lock a film to a display by it. The player's `rate` does not tell of it, the
    /// timebase's does; sound goes with it, its pitch too.
    ///
    /// - Concurrency: any thread.
    package var rateAdjustment: Double {
        get { pipeline.control.withLock { $0.rateAdjustment } }
        set {
            precondition(newValue.isFinite, "an adjustment is a number")
            pipeline.setRateAdjustment(min(max(newValue, 0.995), 1.005))
        }
    }

    /// Those that were added and belong to no other item since, in that order. Any thread.
    ///
    /// - Corresponds to: `AVPlayerItem.outputs`.
    public var outputs: [PlayerItemVideoOutput] {
        outputList.withLock { $0 }.filter { $0.pipeline === pipeline }
    }

    /// Adds an output, which hands out this item's pictures from now on, and no other's any more.
    public func add(_ output: PlayerItemVideoOutput) {
        output.attach(to: pipeline)
        outputList.withLock { outputs in
            // Those that have been added to other items since are kept by these.
            outputs.removeAll { $0.pipeline !== pipeline }
            if !outputs.contains(where: { $0 === output }) { outputs.append(output) }
        }
    }

    /// Removes an output, which then has no pictures any more.
    public func remove(_ output: PlayerItemVideoOutput) {
        outputList.withLock { $0.removeAll { $0 === output } }
        output.detach(from: pipeline)
    }

    /// Whether one of the outputs asks the player not to show the item itself. Whatever shows the
    /// pictures of a player asks for this first.
    public var suppressesPlayerRendering: Bool {
        observable.access(self, \.suppressesPlayerRendering)
        return pipeline.observers.state.suppressesPlayerRendering
    }

    /// Waits, without blocking a thread, until the item can be played; one that no player has been given
    /// is waited for until one is.
    ///
    /// - Throws: why it cannot; `cancelled` when it is let go before, or the task is cancelled that waits.
    public func waitUntilReady() async throws(MediaError) {
        let cancellation = MediaError(
            .cancelled, subject: asset.displayName, cause: "waiting for it was cancelled")
        let result: Result<Void, MediaError> = await waitForCompletion(
            orCancellation: .failure(cancellation)
        ) { pipeline.whenReady($0) }
        try result.get()
    }
}
