// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
public import PlayheadTime

/// The observable state of an item at one moment.
///
///     let token = item.observe(\.status, options: .initial) { change in … }
///     for await isAtEnd in item.values(of: \.hasPlayedToEnd) { … }
///
/// The playhead is not part of the state, because it changes continuously. Read `currentTime`, or
/// use `Player.addPeriodicTimeObserver`.
public struct PlayerItemState: Sendable, Equatable {
    /// The state of the item's preparation. Corresponds to `AVPlayerItem.status`.
    public var status = PlayerItem.Status.unknown
    /// The duration of the asset; `indefinite` until it is known, and for live streams.
    public var duration = MediaTime.indefinite
    /// The ranges in which a seek is possible; see `PlayerItem.seekableTimeRanges`.
    public var seekableTimeRanges: [MediaTimeRange] = []
    /// The display size of the visible frame; zero if there is no frame. In streams whose size
    /// changes, it changes too.
    public var presentationSize = PresentationSize.zero
    /// The identifiers of the enabled tracks; see `PlayerItem.tracks`.
    package var enabledTracks: Set<Int> = []
    /// A Boolean value that indicates whether an output shows the item in place of the player; see
    /// `PlayerItem.suppressesPlayerRendering`.
    package var suppressesPlayerRendering = false
    /// The ranges that have been read ahead of the playhead. They are updated after every quarter
    /// of a second of media.
    public var loadedTimeRanges: [MediaTimeRange] = []
    /// A Boolean value that indicates whether playback is likely to continue without a stall; see
    /// `PlayerItem.isPlaybackLikelyToKeepUp`.
    public var isPlaybackLikelyToKeepUp = false
    /// A Boolean value that indicates whether all loaded media has been played.
    public var isPlaybackBufferEmpty = true
    /// A Boolean value that indicates whether reading ahead is paused.
    public var isPlaybackBufferFull = false
    /// The number of times that playback stopped because media had not arrived.
    package var stallCount = 0
    /// A Boolean value that indicates whether a seek or a step is in progress.
    public var isSeeking = false
    /// A Boolean value that indicates whether the playhead has reached the end and has not moved
    /// since.
    public var hasPlayedToEnd = false
    /// The number of times that the item has played to its end.
    package var playedToEndCount = 0
    /// The progress of the loop within the item.
    package var loop = LoopProgress()
    /// The number of packets and frames that could not be decoded so far.
    package var decodingErrors = 0
    /// The last decoding error after which playback continued.
    package var lastDecodingError: MediaError?
    /// The number of events in the access log and in the error log so far, and the last error.
    var accessLogCount = 0
    var errorLogCount = 0
    var lastLoggedError: MediaError?
    /// The error that ended reading before the end of the asset; nil if there was no such error.
    package var readingError: MediaError?
    /// The number of jumps of the playhead.
    var timeJumps = 0
    /// The rate that the player requests, and whether the item is playing; see `Player`.
    package var desiredRate = 0.0
    package var isPlaying = false
    var waitsForLevel = false
    /// A Boolean value that indicates whether the item has audio to play on a device.
    var hasSound = false
}

extension PlayerItem {
    /// The current state, with all values read at the same moment.
    public var state: PlayerItemState {
        observable.access(self, \.state)
        return observers.state
    }

    /// Calls `handler` when a part of the state changes, until the token is cancelled or released.
    ///
    /// - Parameters:
    ///   - options: `.initial` for a first call with the current value, `.old` for the previous
    ///     value.
    ///   - queue: The queue on which the handler runs.
    /// - Corresponds to: `NSObject.observe(_:options:changeHandler:)`.
    public func observe<Value: Sendable & Equatable>(
        _ keyPath: any KeyPath<PlayerItemState, Value> & Sendable, options: ObservingOptions = [],
        on queue: ObservationQueue = .background,
        handler: @escaping @Sendable (StateChange<Value>) -> Void
    ) -> ObservationToken {
        observers.observe(keyPath, options: options, on: queue, handler: handler)
    }

    /// Returns a sequence that yields the current value of a property of the state, and then each
    /// new value, until the item is deallocated.
    public func values<Value: Sendable & Equatable>(
        of keyPath: any KeyPath<PlayerItemState, Value> & Sendable
    ) -> AsyncStream<Value> {
        observers.values(of: keyPath)
    }
}

extension PlayerItemState {
    /// Creates the observable state from the state that the item's threads share.
    init(_ control: ItemPipeline.Control) {
        self.init()
        status = PlayerItem.Status(control.phase)
        duration = control.description?.duration ?? .indefinite
        if case .ready(let description) = control.phase {
            seekableTimeRanges =
                control.transport.live.window.map { [$0.range] } ?? description.seekableTimeRanges
        }
        presentationSize = control.isVideoDisabled ? .zero : control.presentationSize
        enabledTracks = control.transport.tracks.enabled
        suppressesPlayerRendering = control.isRenderingSuppressed
        isSeeking = control.seek != nil || !control.steps.isEmpty
        hasPlayedToEnd = control.hasPlayedToEnd
        playedToEndCount = control.endCount
        loop = control.transport.loop.progress
        decodingErrors = control.decodeErrors
        lastDecodingError = control.lastDecodeError
        accessLogCount = control.log.beginningCount
        errorLogCount = control.log.errorCount
        lastLoggedError = control.log.errors.last?.error
        readingError = control.readingError
        timeJumps = control.timeJumps
        desiredRate = control.desiredRate
        isPlaying = control.isPlaying
        waitsForLevel = control.waitsForLevel
        hasSound = control.renderer != nil
        loadedTimeRanges = control.buffering.status.loaded.map { [$0] } ?? []
        isPlaybackLikelyToKeepUp = control.buffering.status.isLikelyToKeepUp
        isPlaybackBufferEmpty = control.buffering.status.isEmpty
        isPlaybackBufferFull = control.buffering.status.isFull
        stallCount = control.buffering.stallCount
    }
}

extension PlayerItem.Status {
    init(_ phase: ItemPhase) {
        self =
            switch phase {
            case .failed(let error), .closed(_, let error?): .failed(error)
            case .ready, .closed(.some, nil): .readyToPlay
            case .idle, .opening, .closed(nil, nil): .unknown
            }
    }
}
