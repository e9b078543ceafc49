// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
public import PlayheadTime

/// Everything about an item that changes and can be observed, at one moment.
///
///     let token = item.observe(\.status, options: .initial) { change in … }
///     for await isAtEnd in item.values(of: \.hasPlayedToEnd) { … }
///
/// The playhead is not among it, since it changes all the time: read `currentTime`, or see
/// `Player.addPeriodicTimeObserver`.
public struct PlayerItemState: Sendable, Equatable {
    /// Whether it can be played. Corresponds to `AVPlayerItem.status`.
    public var status = PlayerItem.Status.unknown
    /// Of the asset; `indefinite` until it is known, and for streams without an end.
    public var duration = MediaTime.indefinite
    /// Where a seek can lead.
    public var seekableTimeRanges: [MediaTimeRange] = []
    /// Size of the visible picture, zero while there is none; changes with the picture in streams
    /// whose size changes.
    public var presentationSize = PresentationSize.zero
    /// Identifiers of the tracks that are enabled; see `PlayerItem.tracks`.
    package var enabledTracks: Set<Int> = []
    /// Whether an output shows the item in the player's place; see `PlayerItem`.
    public var suppressesPlayerRendering = false
    /// What has been read ahead of the playhead; told anew with every quarter of a second.
    public var loadedTimeRanges: [MediaTimeRange] = []
    /// See `PlayerItem` for these.
    public var isPlaybackLikelyToKeepUp = false
    /// Whether playing would stall at once.
    public var isPlaybackBufferEmpty = true
    /// Whether nothing more is read ahead.
    public var isPlaybackBufferFull = false
    /// How often playback has stopped because what it needs had not come.
    public var stallCount = 0
    /// Whether the playhead is on its way to another time: by a seek, or by steps.
    public var isSeeking = false
    /// Whether the playhead has reached the end and not been moved since.
    public var hasPlayedToEnd = false
    /// How often the item has played to its end.
    package var playedToEndCount = 0
    /// Packets and frames that could not be decoded so far.
    package var decodingErrors = 0
    /// The last error that playback went past.
    package var lastDecodingError: MediaError?
    /// What ended reading before the end of the asset; nil where nothing did.
    package var readingError: MediaError?
    /// How often the playhead has been moved to another time than playing leads to.
    var timeJumps = 0
    /// What the player wants and whether it is so; see `Player`.
    package var desiredRate = 0.0
    package var isPlaying = false
    var waitsForLevel = false
    /// Whether there is sound that goes to a device.
    var hasSound = false
}

extension PlayerItem {
    /// The present state, all of it from one moment.
    public var state: PlayerItemState {
        observable.access(self, \.state)
        return pipeline.observers.state
    }

    /// Calls `handler` when a part of the state changes, until the token is cancelled or dropped.
    ///
    /// - Parameters:
    ///   - options: `.initial` for a first call with the present value, `.old` for the value before.
    ///   - queue: where the handler runs.
    /// - Corresponds to: `NSObject.observe(_:options:changeHandler:)`.
    public func observe<Value: Sendable & Equatable>(
        _ keyPath: any KeyPath<PlayerItemState, Value> & Sendable, options: ObservingOptions = [],
        on queue: ObservationQueue = .background,
        handler: @escaping @Sendable (StateChange<Value>) -> Void
    ) -> ObservationToken {
        pipeline.observers.observe(keyPath, options: options, on: queue, handler: handler)
    }

    /// The present value of a part of the state, then every new one, until the item is gone.
    public func values<Value: Sendable & Equatable>(
        of keyPath: any KeyPath<PlayerItemState, Value> & Sendable
    ) -> AsyncStream<Value> {
        pipeline.observers.values(of: keyPath)
    }
}

extension AssetDescription {
    /// Where the timeline begins; 0 where nothing says.
    var firstTime: MediaTime { startTime.isNumeric ? startTime : .zero }

    /// All of the asset, if it says how much that is.
    var seekableTimeRanges: [MediaTimeRange] {
        guard duration.isNumeric, duration > .zero else { return [] }
        return [MediaTimeRange(start: firstTime, duration: duration)]
    }
}

extension ItemPipeline.Control {
    /// The part of what the threads share that others may observe.
    var state: PlayerItemState {
        var state = PlayerItemState()
        state.status = status
        state.duration = description?.duration ?? .indefinite
        if case .ready(let description) = phase {
            state.seekableTimeRanges = description.seekableTimeRanges
        }
        state.presentationSize = isVideoDisabled ? .zero : presentationSize
        if let videoTrack, !isVideoDisabled { state.enabledTracks.insert(videoTrack.id) }
        if let audioTrack, !isAudioDisabled { state.enabledTracks.insert(audioTrack.id) }
        state.suppressesPlayerRendering = isRenderingSuppressed
        state.isSeeking = seek != nil || !steps.isEmpty
        state.hasPlayedToEnd = hasPlayedToEnd
        state.playedToEndCount = endCount
        state.decodingErrors = decodeErrors
        state.lastDecodingError = lastDecodeError
        state.readingError = readingError
        state.timeJumps = timeJumps
        state.desiredRate = desiredRate
        state.isPlaying = isPlaying
        state.waitsForLevel = waitsForLevel
        state.hasSound = renderer != nil
        state.loadedTimeRanges = buffering.status.loaded.map { [$0] } ?? []
        state.isPlaybackLikelyToKeepUp = buffering.status.isLikelyToKeepUp
        state.isPlaybackBufferEmpty = buffering.status.isEmpty
        state.isPlaybackBufferFull = buffering.status.isFull
        state.stallCount = buffering.stallCount
        return state
    }
}
