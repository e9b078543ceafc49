// SPDX-License-Identifier: Apache-2.0

public import PlayheadAudio
import PlayheadThreads
public import PlayheadTime
import Synchronization

/// A player that runs an item's timeline at a rate, in step with audio.
///
/// Playback does not start by itself: give the player an item, then call `play()`. The timeline
/// starts once the first frames and some audio have been decoded; until then the player is waiting.
///
///     let player = Player(playerItem: PlayerItem(asset: asset), audioSink: sink)
///     player.play()
///
/// While an item with audio plays, the timeline runs on the clock of the audio device; without a
/// device or audio, on `masterClock`.
///
/// - Concurrency: any thread; no call waits for decoding.
/// - Ownership: keeps its current item, and the audio device that it was created with.
/// - Corresponds to: `AVPlayer`.
public class Player: @unchecked Sendable {
    // Unchecked because it has a subclass: all mutable state is in mutexes.

    private let audioSink: (any AudioSink)?
    let mixer: AudioMixer?
    let fallbackClock: any MediaClock
    let shared = Mutex(Shared())
    let arrangement = Mutex(Arrangement())
    /// The rate, which changes while `arrangement` is locked, or by the current item.
    let currentRate = PlayerRate()
    /// The outputs that show whatever plays.
    let outputs = Mutex<[Output]>([])
    let interruption = Mutex(Interruption())
    let observers = StateObservers(PlayerState())
    let observable: ObservableProperties<Player, PlayerState>
    private let publishing = Mutex(())
    /// Held while items receive a volume, so that the newest remains.
    private let applyingVolume = Mutex(())

    struct Shared {
        var item: PlayerItem?
        /// The items that follow the current one, in order; only for queues.
        var waiting: [PlayerItem] = []
        /// The items that alternate in a loop; only for queues.
        var loop: Loop?
        var actionAtItemEnd = ActionAtItemEnd.pause
        /// The latest items that could not be played, and their number.
        var skipped: [PlayerItem] = []
        var skippedCount = 0
        var volume: Float = 1
        var isMuted = false
        var defaultRate: Double = 1
        var masterClock: (any MediaClock)?
        var waitsToMinimizeStalling = true
    }

    /// Creates a player.
    ///
    /// - Parameters:
    ///   - playerItem: The first item, which begins to open at once.
    ///   - audioSink: The audio output; nil for no audio. Each player needs its own: of several
    ///     with the same one only one is heard.
    ///   - masterClock: The clock of the timeline if there is no audio.
    public init(
        playerItem: PlayerItem? = nil, audioSink: (any AudioSink)?,
        masterClock: any MediaClock = HostClock.shared
    ) {
        self.audioSink = audioSink
        mixer = audioSink.map { AudioMixer(sink: $0) }
        fallbackClock = masterClock
        observable = ObservableProperties(Self.observableProperties, of: observers)
        audioSink?.onInterruption { [weak self] in self?.interrupt($0) }
        // Asynchronously, because it may be called within a call to the sink, with a lock held. The
        // player is not retained meanwhile: if that were the last reference, it would be
        // deallocated there, and its item would wait for that lock.
        let reference = WeakReference(self)
        mixer?.onStatusChange {
            ObservationQueue.background.async { reference.object?.publish() }
        }
        if let playerItem { replaceCurrentItem(with: playerItem) }
    }

    deinit {
        let state = shared.withLock { $0 }
        for item in [state.item].compactMap({ $0 }) + state.waiting { item.pipeline.close() }
    }

    /// The item that plays; nil without one. Any thread.
    ///
    /// - Corresponds to: `AVPlayer.currentItem`.
    public var currentItem: PlayerItem? {
        observable.access(self, \.currentItem)
        return shared.withLock { $0.item }
    }

    /// The time of the current item's playhead; zero without an item. Any thread.
    ///
    /// It changes continuously and is therefore not observable: see `addPeriodicTimeObserver`.
    ///
    /// - Corresponds to: `AVPlayer.currentTime()`.
    public var currentTime: MediaTime { shared.withLock { $0.item }?.currentTime ?? .zero }

    /// Ends the current item and begins to open another, at the present rate: 0 if the current item
    /// has reached its end.
    ///
    /// - Parameter item: The new item. An item plays once: one that a player has released fails,
    ///   and its `error` states so. Create another for the same asset, or a copy
    ///   (`PlayerItem(copying:)`).
    /// - Precondition: no other player has the item.
    public func replaceCurrentItem(with item: PlayerItem?) {
        precondition(
            item?.pipeline.canBelong(to: self) ?? true,
            "another player has the item; make a copy of it, PlayerItem(copying:)")
        item?.pipeline.refuseReuse()
        let old = arranging { arrangement in
            let old = shared.withLock { state in
                defer {
                    state.item = item
                    state.waiting.removeAll { $0 === item }
                }
                return state.item
            }
            makeCurrent(item, replacing: old, keepingStart: false, &arrangement)
            return old
        }
        if old !== item { old?.pipeline.close() }
        publish()
        arrange()
    }

    /// An action at the end of a player's item.
    ///
    /// - Corresponds to: `AVPlayer.ActionAtItemEnd`.
    public enum ActionAtItemEnd: Sendable, Hashable {
        /// Advances to the next item without a gap. Only for a `QueuePlayer`.
        case advance
        /// Pauses with the last frame. If another action is set later, it is performed when
        /// playback resumes.
        case pause
        /// Does nothing: the timeline continues, silently and with the last frame. Another action
        /// that is set later is performed at once.
        case none
    }

    /// A Boolean value that indicates whether other items can follow the current one.
    var advancesAtEnd: Bool { false }

    /// The action at the end of the current item: `pause` by default, `advance` in a `QueuePlayer`.
    ///
    /// - Precondition: only a `QueuePlayer` advances.
    /// - Corresponds to: `AVPlayer.actionAtItemEnd`.
    public var actionAtItemEnd: ActionAtItemEnd {
        get { shared.withLock { $0.actionAtItemEnd } }
        set {
            precondition(newValue != .advance || advancesAtEnd, "only a queue advances")
            let items = shared.withLock { state in
                state.actionAtItemEnd = newValue
                return [state.item].compactMap { $0 } + state.waiting
            }
            for item in items { item.pipeline.post(.setEndAction(newValue.action)) }
            // An unplayable item may have been detected while that had no consequence.
            if let item = currentItem { skip(item) }
            arrange()
        }
    }

    // MARK: Transport

    /// The requested rate: 0 paused, 1 normal speed, −1 backwards. `timeControlStatus` states
    /// whether the timeline already moves.
    ///
    /// There is audio at rates from 1/4 to 4 (see `PlayerItem.audioTimePitchAlgorithm`), and video
    /// at all rates. While decoding keeps up, every frame for which a display has time is shown,
    /// also backwards; otherwise frames are dropped. Rates beyond ±16 are clamped, and NaN counts
    /// as 0.
    public var rate: Double {
        get {
            observable.access(self, \.rate)
            return currentRate.value
        }
        set {
            play(atRate: newValue, isImmediate: false)
        }
    }

    /// Sets the rate for the client.
    ///
    /// - Parameter isImmediate: A Boolean value that indicates whether not to wait; see
    ///   `playImmediately(atRate:)`.
    func play(atRate rate: Double, isImmediate: Bool) {
        let rate = Self.clamped(rate)
        let item = arranging { arrangement in
            interruption.withLock { $0.formerRate = 0 }
            return set(rate: rate, isImmediate: isImmediate, &arrangement)
        }
        if rate > 0, let item { advanceIfOver(item) }
        publish()
    }

    /// Sets the rate, unless the current item is at its end: it has nothing to play, and then the
    /// next item does not start by itself.
    ///
    /// - Returns: The current item.
    @discardableResult
    func set(
        rate: Double, isImmediate: Bool, _ arrangement: inout Arrangement
    ) -> PlayerItem? {
        let item = shared.withLock { $0.item }
        if let item {
            arrangement.post(.setRate(rate, isImmediate: isImmediate), to: item)
        } else {
            currentRate.value = rate
        }
        return item
    }

    /// The clock of the timeline; nil, the default, for the audio device's clock while an item with
    /// audio plays, and otherwise the clock that the player was created with.
    ///
    /// With another clock than the device's, audio follows in steps of a few milliseconds as the
    /// two drift apart. Setting the clock keeps the playhead where it is.
    ///
    /// - Corresponds to: `AVPlayer.sourceClock`, formerly `masterClock`.
    public var masterClock: (any MediaClock)? {
        get { shared.withLock { $0.masterClock } }
        set {
            let items = shared.withLock { state in
                state.masterClock = newValue
                return [state.item].compactMap { $0 } + state.waiting
            }
            for item in items {
                item.pipeline.setMasterClock(chosen: newValue, fallback: fallbackClock)
            }
        }
    }

    /// The maximum rate in either direction; beyond it not even keyframes can be decoded usefully.
    package static let rateLimit = 16.0

    static func clamped(_ rate: Double) -> Double {
        rate.isNaN ? 0 : min(max(rate, -rateLimit), rateLimit)
    }

    /// The rate of `play()`.
    public var defaultRate: Double {
        get { shared.withLock { $0.defaultRate } }
        set { shared.withLock { $0.defaultRate = newValue } }
    }

    /// Sets the rate to `defaultRate`: plays as soon as possible. Any thread.
    ///
    /// - Corresponds to: `AVPlayer.play()`.
    public func play() { rate = defaultRate }

    /// Sets the rate to 0: the frame freezes, and audio stops. Any thread.
    ///
    /// - Corresponds to: `AVPlayer.pause()`.
    public func pause() { rate = 0 }

    /// Declares that the item reads `time` when the host clock reads `hostTime`, and runs at
    /// `rate`: all other times, past and future, follow from it.
    ///
    /// A future host time holds the playhead at `time` until then; call `preroll(atRate:)` first,
    /// and the first frame and the first sample are presented at exactly that instant. With a past
    /// one playback continues as if it had run since then: frames up to the playhead are decoded
    /// without being shown, and those that no other needs are skipped. In both cases the timeline
    /// does not wait for decoding, so players with the same pair and clock stay together.
    ///
    /// - Parameters:
    ///   - rate: The rate, as for the property `rate`; 0 pauses and, if `time` is numeric, seeks
    ///     there.
    ///   - time: The item time; `invalid` for that of the playhead.
    ///   - hostTime: The time of `HostClock`; `invalid` for now. Audio needs the device's latency,
    ///     so start at least that far in the future.
    /// - Corresponds to: `AVPlayer.setRate(_:time:atHostTime:)`.
    public func setRate(
        _ rate: Double, time: MediaTime = .invalid, atHostTime hostTime: MediaTime = .invalid
    ) {
        let rate = Self.clamped(rate)
        guard rate != 0 else {
            pause()
            if time.isNumeric {
                currentItem?.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero)
            }
            return
        }
        let start = DeclaredStart(rate: rate, time: time, hostTime: hostTime)
        arranging { arrangement in
            interruption.withLock { $0.formerRate = 0 }
            if let item = shared.withLock({ $0.item }) {
                arrangement.post(.declare(start), to: item)
            } else {
                currentRate.value = rate
            }
        }
        publish()
    }

    /// Decodes in advance as much as the queues hold, so that playback can start at an instant.
    ///
    /// - Parameter rate: The rate of the start. All rates need the same preparation.
    /// - Returns: true when everything is decoded; false without an item, while playing, or if
    ///   playing, seeking, another item, `cancelPendingPrerolls` or the task's cancellation comes
    ///   first.
    /// - Corresponds to: `AVPlayer.preroll(atRate:completionHandler:)`.
    public func preroll(atRate rate: Double) async -> Bool {
        guard let item = currentItem, rate.isFinite else { return false }
        return await waitForCompletion(orCancellation: false) { item.pipeline.post(.preroll($0)) }
    }

    /// Ends all prerolls in progress, which return false.
    ///
    /// - Corresponds to: `AVPlayer.cancelPendingPrerolls()`.
    public func cancelPendingPrerolls() { currentItem?.pipeline.post(.cancelPrerolls) }

    /// The state of playback.
    ///
    /// - Corresponds to: `AVPlayer.TimeControlStatus`.
    public enum TimeControlStatus: Sendable, Hashable {
        /// The rate is 0.
        case paused
        /// Playing is requested, but the required media has not been loaded and decoded yet. See
        /// `reasonForWaitingToPlay`.
        case waitingToPlayAtSpecifiedRate
        /// The timeline moves at the rate.
        case playing
    }

    /// The state of playback. Any thread.
    ///
    /// - Corresponds to: `AVPlayer.timeControlStatus`.
    public var timeControlStatus: TimeControlStatus {
        observable.access(self, \.timeControlStatus)
        let shared = shared.withLock { $0 }
        // Read before the rate, which is 0 when an item has stopped at its end.
        let isPlaying = shared.item?.pipeline.control.withLock { $0.isPlaying } ?? false
        if currentRate.value == 0 { return .paused }
        return isPlaying || shared.hasPassedOn ? .playing : .waitingToPlayAtSpecifiedRate
    }

    // MARK: Audio

    /// The volume: 0 is silence, 1 is unchanged; up to 1.3, as in mpv (AVFoundation ends at 1).
    /// Peaks are softly limited.
    public var volume: Float {
        get {
            observable.access(self, \.volume)
            return shared.withLock { $0.volume }
        }
        set {
            shared.withLock { $0.volume = newValue.isNaN ? 1 : min(max(newValue, 0), 1.3) }
            applyVolume()
        }
    }

    /// A Boolean value that indicates whether audio is muted, whatever the volume. Any thread.
    ///
    /// - Corresponds to: `AVPlayer.isMuted`.
    public var isMuted: Bool {
        get {
            observable.access(self, \.isMuted)
            return shared.withLock { $0.isMuted }
        }
        set {
            shared.withLock { $0.isMuted = newValue }
            applyVolume()
        }
    }

    /// The largest delay of audio in either direction; decoding ahead covers it.
    package static let audioDelayLimit = MediaTime(value: 2, timescale: 1)

    /// The delay of audio behind video, negative for earlier, to correct a file or a slow display.
    /// Clamped to `audioDelayLimit` in either direction; zero without a device.
    ///
    /// - Corresponds to: mpv's `audio-delay`.
    public var audioDelay: MediaTime {
        get { mixer?.delay ?? .zero }
        set {
            let limit = Self.audioDelayLimit
            mixer?.delay = newValue.isNumeric ? min(max(newValue, .zero - limit), limit) : .zero
        }
    }

    /// The reason why the current item's audio is not heard at present: the device, or its server,
    /// is gone. Nil while it is heard, without audio, and if the player was created without a
    /// device.
    public var audioError: AudioError? {
        observable.access(self, \.audioError)
        return observers.state.audioError
    }

    /// The state of the audio device, for display; nil if the player was created without one.
    public var audioSinkStatus: AudioSinkStatus? { audioSink?.status }

    private func applyVolume() {
        // Items are released without the lock.
        let items = applyingVolume.withLock { _ in
            let (items, volume) = shared.withLock { state in
                ([state.item].compactMap { $0 } + state.waiting, state.isMuted ? 0 : state.volume)
            }
            for item in items { item.pipeline.setVolume(volume) }
            return items
        }
        withExtendedLifetime(items) {}
        publish()
    }

    // MARK: Observing

    /// Notifies observers of the state of the player and its item. Called after every change; it
    /// reads the whole state again, so that the last of several concurrent calls reports the
    /// present state.
    func publish() {
        // Items are released without the lock: their deallocation is a change that is reported,
        // too.
        let items = publishing.withLock { _ -> Shared in
            let shared = shared.withLock { $0 }
            // Read before the rate, which is 0 when an item has stopped at its end.
            let item = shared.item?.observers.state
            var state = PlayerState()
            state.rate = currentRate.value
            state.currentItem = shared.item.map(ObjectIdentifier.init)
            state.currentItemStatus = item?.status ?? .unknown
            state.volume = shared.volume
            state.isMuted = shared.isMuted
            state.isInterrupted = interruption.withLock { $0.isUnderWay }
            if item?.hasSound == true, case .failed(let error) = audioSink?.status {
                state.audioError = error
            }
            state.skippedItemCount = shared.skippedCount
            state.automaticallyWaitsToMinimizeStalling = shared.waitsToMinimizeStalling
            if state.rate != 0, item?.isPlaying == true || shared.hasPassedOn {
                state.timeControlStatus = .playing
            } else if state.rate != 0 {
                state.timeControlStatus = .waitingToPlayAtSpecifiedRate
                state.reasonForWaitingToPlay = Self.reason(item)
            }
            observers.note(state)
            return shared
        }
        observers.deliver()
        withExtendedLifetime(items) {}
    }
}
