// SPDX-License-Identifier: Apache-2.0

public import PlayheadAudio
import PlayheadThreads
public import PlayheadTime
import Synchronization

/// A player that runs the timeline of an item at a rate, in sync with audio.
///
/// Playback does not start by itself. Give the player an item, and call `play()`. The timeline
/// starts once the first frames and some audio have been decoded. Until then, the player is
/// waiting.
///
///     let player = Player(playerItem: PlayerItem(asset: asset), audioSink: sink)
///     player.play()
///
/// While an item with audio plays, the timeline follows the clock of the audio device. Without a
/// device or without audio, it follows `masterClock`.
///
/// - Concurrency: any thread. No call waits for decoding.
/// - Ownership: retains its current item, and the audio device with which it was created.
/// - Corresponds to: `AVPlayer`.
public class Player: @unchecked Sendable {
    // Unchecked because the class has a subclass. All mutable state is in mutexes.

    let audioSink: (any AudioSink)?
    let mixer: AudioMixer?
    let fallbackClock: any MediaClock
    let shared = Mutex(Shared())
    let arrangement = Mutex(Arrangement())
    /// The rate. It changes while `arrangement` is locked, or is changed by the current item.
    let currentRate = PlayerRate()
    /// The outputs that follow the player from item to item.
    let outputs = Mutex<[Output]>([])
    let interruption = Mutex(Interruption())
    let observers = StateObservers(PlayerState())
    let observable: ObservableProperties<Player, PlayerState>
    private let publishing = Mutex(())
    /// A lock that is held while a volume is passed to the items, so that the newest volume is
    /// passed last.
    private let applyingVolume = Mutex(())

    struct Shared {
        var item: PlayerItem?
        /// The items that follow the current one, in order. Only a queue has them.
        var waiting: [PlayerItem] = []
        /// The items that take turns in a loop. Only a queue has them.
        var loop: Loop?
        /// The item that takes over from the current one.
        var replacement: Replacement?
        /// The expected duration of the preparation of an item that takes over, from earlier ones.
        var preparation = MediaTime(value: 20, timescale: 1000)
        var actionAtItemEnd = ActionAtItemEnd.pause
        /// The latest items that could not be played, and the number of all such items.
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
    ///   - playerItem: The first item. It begins to open at once.
    ///   - audioSink: The audio output; nil for no audio. Each player needs a sink of its own. If
    ///     several players share a sink, only one of them is heard.
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
        // This is asynchronous, because it may be called within a call to the sink, with a lock
        // held. The player is not retained in the meantime: if that were the last reference, the
        // player would be deallocated within that call, and its item would wait for the lock.
        let reference = WeakReference(self)
        mixer?.onStatusChange {
            ObservationQueue.background.async { reference.object?.publish() }
        }
        if let playerItem { replaceCurrentItem(with: playerItem) }
    }

    deinit {
        let state = shared.withLock { $0 }
        for item in [state.item].compactMap({ $0 }) + state.waiting { item.pipeline.close() }
        state.replacement?.item.pipeline.close()
    }

    /// The current item; nil if there is no item. Any thread.
    ///
    /// - Corresponds to: `AVPlayer.currentItem`.
    public var currentItem: PlayerItem? {
        observable.access(self, \.currentItem)
        return shared.withLock { $0.item }
    }

    /// The time of the current item's playhead; zero if there is no item. Any thread.
    ///
    /// It changes continuously, and therefore cannot be observed. See `addPeriodicTimeObserver`.
    ///
    /// - Corresponds to: `AVPlayer.currentTime()`.
    public var currentTime: MediaTime { shared.withLock { $0.item }?.currentTime ?? .zero }

    /// Ends the current item and begins to open another item. The rate is kept, except that it
    /// becomes 0 if the current item has reached its end.
    ///
    /// - Parameter item: The new item. An item plays once: an item that a player has removed fails,
    ///   and its `error` states this. Create another item for the same asset, or a copy
    ///   (`PlayerItem(copying:)`).
    /// - Precondition: the item does not belong to another player.
    public func replaceCurrentItem(with item: PlayerItem?) {
        precondition(
            item?.pipeline.canBelong(to: self) ?? true,
            "another player has the item; make a copy of it, PlayerItem(copying:)")
        item?.pipeline.refuseReuse()
        replaceCurrentItem(with: item) { _ in true }
    }

    /// Replaces the current item if `isDue`, which is called while the player is locked, returns
    /// true. Returns whether the item was replaced.
    @discardableResult
    func replaceCurrentItem(with item: PlayerItem?, where isDue: (Shared) -> Bool) -> Bool {
        let change = arranging { arrangement -> (old: PlayerItem?, dropped: Replacement?)? in
            let change = shared.withLock { state -> (PlayerItem?, Replacement?)? in
                guard isDue(state) else { return nil }
                defer {
                    state.item = item
                    state.waiting.removeAll { $0 === item }
                    state.replacement = nil
                }
                return (state.item, state.replacement)
            }
            guard let (old, dropped) = change else { return nil }
            makeCurrent(item, replacing: old, keepingStart: false, &arrangement)
            return (old, dropped)
        }
        guard let (old, dropped) = change else { return false }
        if old !== item { old?.pipeline.close() }
        publish()
        arrange()
        if let dropped { settle(dropped, current: item) }
        return true
    }

    /// An action at the end of a player's item.
    ///
    /// - Corresponds to: `AVPlayer.ActionAtItemEnd`.
    public enum ActionAtItemEnd: Sendable, Hashable {
        /// Advances to the next item without a gap. Valid only for a `QueuePlayer`.
        case advance
        /// Pauses at the last frame. If another action is set later, it is performed when playback
        /// resumes.
        case pause
        /// Does nothing: the timeline continues in silence, and the last frame stays. If another
        /// action is set later, it is performed immediately.
        case none
    }

    /// A Boolean value that indicates whether other items can follow the current one.
    var advancesAtEnd: Bool { false }

    /// The action at the end of the current item. The default is `pause`, or `advance` for a
    /// `QueuePlayer`.
    ///
    /// - Precondition: `advance` is used with a `QueuePlayer` only.
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
            // If the item failed while another action was set, the failure had no effect at that
            // time.
            if let item = currentItem { skip(item) }
            arrange()
        }
    }

    // MARK: Transport

    /// The requested rate: 0 is paused, 1 is normal speed, and −1 is reverse. See
    /// `timeControlStatus` for whether the timeline moves already.
    ///
    /// Audio is heard at rates from 1/4 to 4 and from −4 to −1/4, where it is reversed (see
    /// `PlayerItem.audioTimePitchAlgorithm`), and video is shown at all rates. While decoding keeps
    /// up, every frame that the display has time for is shown, also in reverse. If decoding does
    /// not keep up, frames are dropped. Rates beyond ±16 are clamped, and NaN counts as 0.
    public var rate: Double {
        get {
            observable.access(self, \.rate)
            return currentRate.value
        }
        set {
            play(atRate: newValue, isImmediate: false)
        }
    }

    /// Sets the rate that the client requests.
    ///
    /// - Parameter isImmediate: A Boolean value that indicates whether playback starts without
    ///   waiting; see `playImmediately(atRate:)`.
    func play(atRate rate: Double, isImmediate: Bool) {
        let rate = Self.clamped(rate)
        let item = arranging { arrangement in
            interruption.withLock { $0.formerRate = 0 }
            return set(rate: rate, isImmediate: isImmediate, &arrangement)
        }
        if rate > 0, let item { advanceIfOver(item) }
        publish()
    }

    /// Sets the default rate. Unless the current rate is 0, also sets the rate in the same step.
    package func setPlayingRate(_ rate: Double) {
        let rate = Self.clamped(rate)
        arranging { arrangement in
            shared.withLock { $0.defaultRate = rate }
            if currentRate.value != 0 { set(rate: rate, isImmediate: false, &arrangement) }
        }
        publish()
    }

    /// Sets the rate. If the current item is at its end, it has nothing to play: the rate is then
    /// 0, and the next item does not start by itself.
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

    /// The clock of the timeline. With nil, the default, it is the clock of the audio device while
    /// an item with audio plays; at other times, it is the clock with which the player was created.
    ///
    /// If the timeline follows a clock other than that of the audio device, the audio is adjusted
    /// in steps of a few milliseconds whenever the two clocks have drifted apart. The position of
    /// the playhead does not change when the clock is set.
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

    /// The maximum rate in both directions. At higher rates, even keyframes cannot be decoded fast
    /// enough to be useful.
    package static let rateLimit = 16.0

    static func clamped(_ rate: Double) -> Double {
        rate.isNaN ? 0 : min(max(rate, -rateLimit), rateLimit)
    }

    /// The rate that `play()` sets.
    public var defaultRate: Double {
        get { shared.withLock { $0.defaultRate } }
        set { shared.withLock { $0.defaultRate = newValue } }
    }

    /// Sets the rate to `defaultRate`, so that playback starts as soon as possible. Any thread.
    ///
    /// - Corresponds to: `AVPlayer.play()`.
    public func play() { rate = defaultRate }

    /// Sets the rate to 0. The frame freezes, and audio stops. Any thread.
    ///
    /// - Corresponds to: `AVPlayer.pause()`.
    public func pause() { rate = 0 }

    /// Declares that the item's time is `time` when the host clock reads `hostTime`, and that the
    /// timeline runs at `rate`. All other times, past and future, follow from that.
    ///
    /// If the host time is in the future, the playhead is held at `time` until then. Call
    /// `preroll(atRate:)` first, so that the first frame and the first sample are presented at
    /// exactly that moment. If the host time is in the past, playback continues as if it had run
    /// since then: frames up to the playhead are decoded without being shown, and non-reference
    /// frames are skipped. In both cases, the timeline does not wait for decoding, so players with
    /// the same pair of times and the same clock stay in sync.
    ///
    /// - Parameters:
    ///   - rate: The rate, as for the property `rate`. With 0, the player pauses and, if `time` is
    ///     numeric, seeks to `time`.
    ///   - time: The item time; `invalid` for the time of the playhead.
    ///   - hostTime: The time of `HostClock`; `invalid` for the current time. Audio
    ///     must reach the device earlier than it is heard, by the latency of the device. The start
    ///     should therefore be at least that far in the future.
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

    /// Decodes in advance as much as the queues hold, so that playback can start immediately.
    ///
    /// - Parameter rate: The rate of the start. The preparation is the same for all rates.
    /// - Returns: true when everything has been decoded. The result is false if there is no item or
    ///   the item plays. It is also false if playback, a seek, another item or
    ///   the cancellation of the task ends the preroll.
    /// - Corresponds to: `AVPlayer.preroll(atRate:completionHandler:)`.
    public func preroll(atRate rate: Double) async -> Bool {
        guard let item = currentItem, rate.isFinite else { return false }
        return await waitForCompletion(orCancellation: false) { item.pipeline.post(.preroll($0)) }
    }

    /// Ends all prerolls that are in progress. They return false.
    ///
    /// - Corresponds to: `AVPlayer.cancelPendingPrerolls()`.
    package func cancelPendingPrerolls() { currentItem?.pipeline.post(.cancelPrerolls) }

    /// The state of playback.
    ///
    /// - Corresponds to: `AVPlayer.TimeControlStatus`.
    public enum TimeControlStatus: Sendable, Hashable {
        /// The rate is 0.
        case paused
        /// Playback was requested, but the required media has not been loaded and decoded yet. See
        /// `reasonForWaitingToPlay`.
        case waitingToPlayAtSpecifiedRate
        /// The timeline moves at the requested rate.
        case playing
    }

    /// The state of playback. Any thread.
    ///
    /// - Corresponds to: `AVPlayer.timeControlStatus`.
    public var timeControlStatus: TimeControlStatus {
        observable.access(self, \.timeControlStatus)
        let shared = shared.withLock { $0 }
        // This is read before the rate, which becomes 0 when an item has stopped at its end.
        let isPlaying = shared.item?.pipeline.control.withLock { $0.isPlaying } ?? false
        if currentRate.value == 0 { return .paused }
        return isPlaying || shared.hasPassedOn ? .playing : .waitingToPlayAtSpecifiedRate
    }

    // MARK: Audio

    /// The volume: 0 is silence, 1 is the original volume, and 1.3 is the maximum, as in mpv (in
    /// AVFoundation it is 1). Peaks are softly limited.
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

    /// A Boolean value that indicates whether audio is muted, independently of the volume. Any
    /// thread.
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

    /// The maximum delay of audio in both directions. Enough media is decoded ahead to cover it.
    package static let audioDelayLimit = MediaTime(value: 2, timescale: 1)

    /// The delay of audio relative to video, to correct a file or a slow display. It is negative if
    /// audio should be earlier. It is clamped to `audioDelayLimit` in both directions, and is zero
    /// without a device.
    ///
    /// - Corresponds to: mpv's `audio-delay`.
    public var audioDelay: MediaTime {
        get { mixer?.delay ?? .zero }
        set {
            let limit = Self.audioDelayLimit
            mixer?.delay = newValue.isNumeric ? min(max(newValue, .zero - limit), limit) : .zero
        }
    }

    /// The reason why the audio of the current item is not heard: the device or its server has
    /// disappeared. Nil while the audio is heard, if there is no audio, and if the player was
    /// created without a device.
    public var audioError: AudioError? {
        observable.access(self, \.audioError)
        return observers.state.audioError
    }

    /// The state of the audio device, for display; nil if the player was created without a device.
    public var audioSinkStatus: AudioSinkStatus? { audioSink?.status }

    private func applyVolume() {
        // The items are released without the lock.
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

    /// Notifies observers of the state of the player and its item. It is called after every change.
    /// It always reads the whole state, so that the last of several concurrent calls reports the
    /// current state.
    func publish() {
        // The items are released without the lock, because their deallocation is a change that is
        // reported too.
        let items = publishing.withLock { _ -> Shared in
            let shared = shared.withLock { $0 }
            // This is read before the rate, which becomes 0 when an item has stopped at its end.
            let item = shared.item?.observers.state
            var state = PlayerState()
            state.rate = currentRate.value
            state.currentItem = shared.item.map(ObjectIdentifier.init)
            state.status = item?.status ?? .unknown
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
