// SPDX-License-Identifier: Apache-2.0

public import PlayheadAudio
import PlayheadThreads
public import PlayheadTime
import Synchronization

/// Plays an item: runs its timeline at a rate, in step with sound.
///
/// Nothing plays by itself: give it an item, then call `play()`. The timeline starts to move once
/// the first pictures and some sound have been decoded; until then the player is waiting.
///
///     let player = Player(playerItem: PlayerItem(asset: asset), audioSink: sink)
///     player.play()
///
/// The sound device's clock is what the timeline runs on while an item with sound plays; without a
/// device or sound, `masterClock` is.
///
/// - Concurrency: any thread; no call waits for decoding.
/// - Ownership: keeps its current item, and the sound device that it was made with.
/// - Corresponds to: `AVPlayer`.
public class Player: @unchecked Sendable {
    // Unchecked, for it has a subclass: all that changes is in mutexes.

    private let audioSink: (any AudioSink)?
    let mixer: AudioMixer?
    let fallbackClock: any MediaClock
    let shared = Mutex(Shared())
    let arrangement = Mutex(Arrangement())
    /// What shows whatever plays.
    let outputs = Mutex<[Output]>([])
    let interruption = Mutex(Interruption())
    let observers = StateObservers(PlayerState())
    let observable: ObservableProperties<Player, PlayerState>
    private let publishing = Mutex(())
    /// Held while items are given a volume, so that the newest is what stays.
    private let applyingVolume = Mutex(())

    struct Shared {
        var item: PlayerItem?
        /// What follows the current item, in order; for queues only.
        var waiting: [PlayerItem] = []
        /// The items that take turns in a loop; for queues only.
        var loop: Loop?
        var actionAtItemEnd = ActionAtItemEnd.pause
        /// The latest items that could not be played, and how many there were.
        var skipped: [PlayerItem] = []
        var skippedCount = 0
        /// Changes by `set` where somebody wants it to.
        var rate: Double = 0
        private(set) var rateSettingCount = 0
        var volume: Float = 1
        var isMuted = false
        var defaultRate: Double = 1
        var masterClock: (any MediaClock)?
        var waitsToMinimizeStalling = true

        /// Sets the rate, and returns the item that it is for, and how many settings there have been:
        /// by that the item knows which of two is the later one, in whatever order they reach it.
        mutating func set(rate: Double) -> (item: PlayerItem?, setting: Int) {
            self.rate = rate
            rateSettingCount += 1
            return (item, rateSettingCount)
        }
    }

    /// - Parameters:
    ///   - playerItem: what to play first; it begins to be opened at once.
    ///   - audioSink: where sound goes; without one there is none. One for each player: of several with the
    ///     same only one is heard.
    ///   - masterClock: what the timeline runs on where there is no sound.
    public init(
        playerItem: PlayerItem? = nil, audioSink: (any AudioSink)?,
        masterClock: any MediaClock = HostClock.shared
    ) {
        self.audioSink = audioSink
        mixer = audioSink.map { AudioMixer(sink: $0) }
        fallbackClock = masterClock
        observable = ObservableProperties(Self.observableProperties, of: observers)
        audioSink?.onInterruption { [weak self] in self?.interrupt($0) }
        // Not at once: it may be told within a call to the sink, with a lock held. Nor is the player held
        // meanwhile: if nobody else did by then, it would be let go of there, and its item wait for that lock.
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

    /// What plays, or would; nil without one. Any thread.
    ///
    /// - Corresponds to: `AVPlayer.currentItem`.
    public var currentItem: PlayerItem? {
        observable.access(self, \.currentItem)
        return shared.withLock { $0.item }
    }

    /// Where the current item's playhead is; zero without one. Any thread.
    ///
    /// It moves all the time, and so is not observed: see `addPeriodicTimeObserver`.
    ///
    /// - Corresponds to: `AVPlayer.currentTime()`.
    public var currentTime: MediaTime { shared.withLock { $0.item }?.currentTime ?? .zero }

    /// Ends the current item and begins to open another, at the rate that is set: 0 where the
    /// current one has come to its end.
    ///
    /// - Parameter item: one that no other player has. An item plays once: one that a player has let go of
    ///   fails, and its `error` says so. Make another of the same asset, or a copy (`PlayerItem(copying:)`).
    /// - Precondition: no other player has the item.
    public func replaceCurrentItem(with item: PlayerItem?) {
        precondition(
            item?.pipeline.canBelong(to: self) ?? true,
            "another player has the item; make a copy of it, PlayerItem(copying:)")
        let before = shared.withLock { $0 }
        // What the current one has made of the rate, unless it has not even heard of it.
        let rate = before.item?.pipeline.control.withLock {
            $0.rateSetting == before.rateSettingCount ? $0.desiredRate : nil
        }
        item?.pipeline.refuseReuse()
        let old = arranging { arrangement in
            let old = shared.withLock { state in
                defer {
                    // What somebody has set in the meantime stands.
                    if let rate, state.item === before.item,
                        state.rateSettingCount == before.rateSettingCount
                    {
                        state.rate = rate
                    }
                    state.item = item
                    state.waiting.removeAll { $0 === item }
                }
                return state.item
            }
            makeCurrent(item, keepingStart: false, &arrangement)
            return old
        }
        if old !== item { old?.pipeline.close() }
        if let item { passRate(to: item) }
        publish()
        arrange()
    }

    /// Gives an item that has become the current one the rate that is set, whoever sets another
    /// meanwhile.
    func passRate(to item: PlayerItem) {
        var count: Int?
        while true {
            let (rate, present) = shared.withLock { ($0.rate, $0.rateSettingCount) }
            if present == count { return }
            item.pipeline.setDesiredRate(rate, setting: present, isRepeated: true)
            count = present
        }
    }

    /// What a player does when its item has come to its end.
    ///
    /// - Corresponds to: `AVPlayer.ActionAtItemEnd`.
    public enum ActionAtItemEnd: Sendable, Hashable {
        /// Goes on to the next item, without a gap. For a `QueuePlayer`.
        case advance
        /// Stops there, with the last picture. Where another action is set later, that is what playing on
        /// does.
        case pause
        /// Nothing: the timeline runs on, in silence and with the last picture. Another action that
        /// is set later is done at once.
        case none
    }

    /// What happens when the current item has come to its end: `pause`, in a `QueuePlayer` `advance`.
    ///
    /// - Precondition: only a `QueuePlayer` advances.
    /// - Corresponds to: `AVPlayer.actionAtItemEnd`.
    public var actionAtItemEnd: ActionAtItemEnd {
        get { shared.withLock { $0.actionAtItemEnd } }
        set {
            precondition(newValue != .advance || self is QueuePlayer, "only a queue advances")
            let items = shared.withLock { state in
                state.actionAtItemEnd = newValue
                return [state.item].compactMap { $0 } + state.waiting
            }
            for item in items { item.pipeline.setActionAtEnd(newValue) }
            // That it cannot be played may have been found out when nothing followed from it.
            if let item = currentItem { skip(item) }
            arrange()
        }
    }

    // MARK: Transport

    /// What the rate is set to: 0 paused, 1 normal speed, −1 backwards. Whether the timeline moves
    /// already is told by `timeControlStatus`.
    ///
    /// There is sound at rates from 1/4 to 4 (see `PlayerItem.audioTimePitchAlgorithm`), and pictures
    /// at all. While decoding keeps up, every picture that a display has time for is shown, backwards
    /// as well; where it does not, pictures are left out. Rates beyond ±16 are clamped, and one that
    /// is no number counts as 0.
    public var rate: Double {
        get {
            observable.access(self, \.rate)
            let (item, rate) = shared.withLock { ($0.item, $0.rate) }
            return item?.pipeline.control.withLock { $0.desiredRate } ?? rate
        }
        set {
            play(atRate: newValue, isImmediate: false)
        }
    }

    /// Sets the rate, and heeds the item's answer: one at its end has nothing to play at it, and then
    /// the item after it does not start by itself.
    ///
    /// - Parameters:
    ///   - isImmediate: see `playImmediately(atRate:)`.
    ///   - latest: sets it only if no other setting has come after this one.
    /// - Returns: which setting it is, and the rate before; nil where it was not set.
    @discardableResult
    func play(
        atRate rate: Double, isImmediate: Bool, ifLatestIs latest: Int? = nil
    ) -> (setting: Int, formerRate: Double)? {
        let rate = Self.clamped(rate)
        let set = shared.withLock { state -> (PlayerItem?, setting: Int, formerRate: Double)? in
            if let latest, state.rateSettingCount != latest { return nil }
            let formerRate = state.rate
            let (item, setting) = state.set(rate: rate)
            return (item, setting, formerRate)
        }
        guard let (item, setting, formerRate) = set else { return nil }
        let isRefused = item?.pipeline.setDesiredRate(
            rate, setting: setting, isImmediate: isImmediate)
        if isRefused == true {
            shared.withLock { if $0.rateSettingCount == setting { $0.rate = 0 } }
        }
        if rate > 0, let item { advanceIfOver(item) }
        publish()
        return (setting, formerRate)
    }

    /// What the timeline runs on; nil, at first, for the sound device's clock while an item with
    /// sound plays, and else the clock that the player was made with.
    ///
    /// With another clock than the device's, sound follows in steps of a few milliseconds as the two
    /// drift apart. Setting it keeps the playhead where it is.
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

    /// Faster than this, either way, even keyframes alone cannot be decoded usefully.
    package static let rateLimit = 16.0

    static func clamped(_ rate: Double) -> Double {
        rate.isNaN ? 0 : min(max(rate, -rateLimit), rateLimit)
    }

    /// The rate at which `play()` plays.
    public var defaultRate: Double {
        get { shared.withLock { $0.defaultRate } }
        set { shared.withLock { $0.defaultRate = newValue } }
    }

    /// Sets the rate to `defaultRate`: plays as soon as it can. Any thread.
    ///
    /// - Corresponds to: `AVPlayer.play()`.
    public func play() { rate = defaultRate }

    /// Sets the rate to 0: the picture stands, and the sound is silent. Any thread.
    ///
    /// - Corresponds to: `AVPlayer.pause()`.
    public func pause() { rate = 0 }

    /// Declares that the item reads `time` when the host clock reads `hostTime`, and runs at `rate`:
    /// all times, past and coming, follow from it.
    ///
    /// A host time that lies ahead holds the playhead at `time` until then; preroll first, and the
    /// first picture and the first sample come at that very instant. One that has passed makes
    /// playback go on as if it had run since then: frames up to the playhead are decoded without
    /// being shown, and those that no other needs are left out. The timeline does not wait for
    /// decoding, here as there, so players that are given the same pair and clock stay together.
    ///
    /// - Parameters:
    ///   - rate: as in `rate`; 0 pauses and, if `time` is numeric, seeks there.
    ///   - time: item time; `invalid` for the playhead's.
    ///   - hostTime: of `HostClock`; `invalid` for now. Sound needs the device's latency, so give a
    ///     start with sound that much in advance.
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
        let (item, setting) = shared.withLock { $0.set(rate: rate) }
        item?.pipeline.declare(
            DeclaredStart(rate: rate, time: time, hostTime: hostTime), setting: setting)
        publish()
    }

    /// Decodes in advance as much as the queues hold, so that playback can start at an instant.
    ///
    /// - Parameter rate: the rate at which it is going to start. Any needs the same.
    /// - Returns: true when all is there; false without an item, while playing, or when playing,
    ///   seeking, another item, `cancelPendingPrerolls` or the task's cancellation comes first.
    /// - Corresponds to: `AVPlayer.preroll(atRate:completionHandler:)`.
    public func preroll(atRate rate: Double) async -> Bool {
        guard let item = currentItem, rate.isFinite else { return false }
        return await waitForCompletion(orCancellation: false) { item.pipeline.preroll($0) }
    }

    /// Ends all prerolls that are under way, with false.
    ///
    /// - Corresponds to: `AVPlayer.cancelPendingPrerolls()`.
    public func cancelPendingPrerolls() { currentItem?.pipeline.cancelPrerolls() }

    /// Whether the timeline moves.
    ///
    /// - Corresponds to: `AVPlayer.TimeControlStatus`.
    public enum TimeControlStatus: Sendable, Hashable {
        case paused
        /// Told to play, but what it takes has not been loaded and decoded yet.
        /// See `reasonForWaitingToPlay`.
        case waitingToPlayAtSpecifiedRate
        case playing
    }

    /// Whether it plays, stands, or waits to play. Any thread.
    ///
    /// - Corresponds to: `AVPlayer.timeControlStatus`.
    public var timeControlStatus: TimeControlStatus {
        observable.access(self, \.timeControlStatus)
        let shared = shared.withLock { $0 }
        guard let item = shared.item else {
            return shared.rate == 0 ? .paused : .waitingToPlayAtSpecifiedRate
        }
        let (rate, isPlaying) = item.pipeline.control.withLock { ($0.desiredRate, $0.isPlaying) }
        if rate == 0 { return .paused }
        return isPlaying || shared.hasPassedOn ? .playing : .waitingToPlayAtSpecifiedRate
    }

    // MARK: Sound

    /// 0 is silence, 1 as it is; up to 1.3, as mpv has it (AVFoundation ends at 1), softly limited where it
    /// would clip.
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

    /// Whether nothing is heard, whatever the volume is. Any thread.
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

    /// The longest delay of sound either way: what is decoded ahead covers it.
    package static let audioDelayLimit = MediaTime(value: 2, timescale: 1)

    /// By how much later than its picture sound is heard, negative for earlier: where a film is wrong,
    /// or a display takes its time. Clamped to `audioDelayLimit` either way; zero without a device.
    ///
    /// - Corresponds to: mpv's `audio-delay`.
    public var audioDelay: MediaTime {
        get { mixer?.delay ?? .zero }
        set {
            let limit = Self.audioDelayLimit
            mixer?.delay = newValue.isNumeric ? min(max(newValue, .zero - limit), limit) : .zero
        }
    }

    /// Why the current item's sound is not heard for the time being: the device, or its server, is gone. Nil
    /// while it is heard, where there is none, and when the player was made without a device.
    public var audioError: AudioError? {
        observable.access(self, \.audioError)
        return observers.state.audioError
    }

    /// The sound device's state, for display; nil when the player was made without one.
    public var audioSinkStatus: AudioSinkStatus? { audioSink?.status }

    private func applyVolume() {
        // Items are let go of outside of the lock.
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

    /// Tells observers what the player and its item have come to. Whatever changes calls it after
    /// the change; it reads everything anew, so the last of several calls at once tells the truth.
    func publish() {
        // Items are let go outside of the lock: their end is a change that is published, too.
        let items = publishing.withLock { _ -> Shared in
            let shared = shared.withLock { $0 }
            let item = shared.item?.pipeline.observers.state
            var state = PlayerState()
            state.rate = item?.desiredRate ?? shared.rate
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
