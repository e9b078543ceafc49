// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
import PlayheadThreads
public import PlayheadTime
import Synchronization

/// Plays an item, or a part of it, over and over, without a gap in picture or sound.
///
///     let looper = PlayerLooper(player: player, templateItem: PlayerItem(asset: asset))
///     player.play()
///
/// It puts copies of the template into the queue, before or after what is in it, and has each that has ended
/// follow again on the others: two, or up to four where rounds are short. The first frame follows
/// the last, and the first sample the last, as between any items of a queue. The template itself is
/// not played.
///
/// - Concurrency: any thread.
/// - Ownership: keep it, as long as it is to loop; the player does not.
/// - Errors: `status` becomes `failed` when the item cannot be played, or the range is none or lies
///   outside of it; the queue goes on without it.
/// - Corresponds to: `AVPlayerLooper`.
public final class PlayerLooper: Sendable {
    /// Whether rounds are played.
    ///
    /// - Corresponds to: `AVPlayerLooper.Status`.
    public enum Status: Sendable, Hashable {
        /// The item is being opened.
        case unknown
        case ready
        case failed(MediaError)
        /// Looping was disabled, or the looper's items were taken out of the queue.
        case cancelled
    }

    /// Where the copies go in a queue that is not empty.
    ///
    /// - Corresponds to: `AVPlayerLooper.ItemOrdering`.
    public enum ItemOrdering: Sendable, Hashable {
        case loopingItemsPrecedeExistingItems
        case loopingItemsFollowExistingItems
    }

    private struct Content {
        var items: [PlayerItem] = []
        var state = PlayerLooperState()
    }

    private let player: QueuePlayer
    private let template: PlayerItem
    private let timeRange: MediaTimeRange
    private let content = Mutex(Content())
    let observers = StateObservers(PlayerLooperState())
    let observable: ObservableProperties<PlayerLooper, PlayerLooperState>

    /// Begins to loop; plays if the player's rate says so.
    ///
    /// - Parameters:
    ///   - templateItem: its asset is looped, with its end times and choice of tracks. Not to be
    ///     played itself.
    ///   - timeRange: the part that is looped; `invalid` for all of it. What exceeds the item is cut
    ///     off.
    ///   - existingItemsOrdering: whether what is in the queue has to wait until looping is disabled,
    ///     or plays first.
    public init(
        player: QueuePlayer, templateItem: PlayerItem, timeRange: MediaTimeRange = .invalid,
        existingItemsOrdering: ItemOrdering = .loopingItemsPrecedeExistingItems
    ) {
        self.player = player
        template = templateItem
        self.timeRange = timeRange
        observable = ObservableProperties(Self.observableProperties, of: observers)
        if timeRange.isValid, !timeRange.start.isNumeric || timeRange.end <= timeRange.start {
            fail(cause: "the range \(timeRange) to loop has no start, or no length")
            return
        }
        let first = makeItem()
        content.withLock { $0.items = [first, makeItem()] }
        player.startLoop(self, existingItemsOrdering)
        first.pipeline.whenReady { [weak self] result in self?.firstItemIsReady(first, result) }
    }

    deinit { disableLooping() }

    /// Plays the present round to its end, and then what follows in the queue.
    ///
    /// - Corresponds to: `AVPlayerLooper.disableLooping()`.
    public func disableLooping() { end(.cancelled) }

    /// Whether it loops, or cannot. Any thread.
    ///
    /// - Corresponds to: `AVPlayerLooper.status`.
    public var status: Status {
        observable.access(self, \.status)
        return observers.state.status
    }

    /// Why the looper failed; nil while it has not.
    public var error: MediaError? {
        observable.access(self, \.error)
        return if case .failed(let error) = observers.state.status { error } else { nil }
    }

    /// How many rounds have been played to their end.
    ///
    /// - Corresponds to: `AVPlayerLooper.loopCount`.
    public var loopCount: Int {
        observable.access(self, \.loopCount)
        return observers.state.loopCount
    }

    /// The copies that play in turn.
    ///
    /// - Corresponds to: `AVPlayerLooper.loopingPlayerItems`.
    public var loopingPlayerItems: [PlayerItem] { content.withLock { $0.items } }

    // MARK: The player's side

    /// Puts a copy back to where rounds begin.
    func rewind(_ item: PlayerItem) {
        let first = max(item.assetDescription?.firstTime ?? .zero, .zero)
        item.pipeline.rewind(to: timeRange.isValid ? max(timeRange.start, first) : first)
    }

    /// A round has been played to its end.
    func roundHasEnded() { change { $0.loopCount += 1 } }

    /// The player has no use for the looper any more.
    func wasRemoved() { change { if !$0.status.isFinal { $0.status = .cancelled } } }

    // MARK: Copies

    private func makeItem() -> PlayerItem {
        let item = PlayerItem(copying: template)
        if timeRange.isValid {
            item.seek(to: timeRange.start, toleranceBefore: .zero, toleranceAfter: .zero)
            item.reversePlaybackEndTime = timeRange.start
            if timeRange.end.isNumeric { item.forwardPlaybackEndTime = timeRange.end }
        }
        return item
    }

    private func firstItemIsReady(_ item: PlayerItem, _ result: Result<Void, MediaError>) {
        if case .failure(let error) = result {
            if error.code != .cancelled { end(.failed(error)) }
            return
        }
        let first = max(item.assetDescription?.firstTime ?? .zero, .zero)
        let start = timeRange.isValid ? max(timeRange.start, first) : first
        let itemEnd = item.end
        let isOutside = timeRange.end.isNumeric && timeRange.end <= first
        if itemEnd.isNumeric, start >= itemEnd || isOutside {
            fail(cause: "the range \(timeRange) to loop lies outside of it")
            return
        }
        let ends = [timeRange.end, item.forwardPlaybackEndTime, itemEnd]
        if let end = ends.filter(\.isNumeric).min() { addItems(forRoundsOf: end - start) }
        change { if $0.status == .unknown { $0.status = .ready } }
    }

    /// While one copy plays, the others are taken back to the start: more of them where there is
    /// little time for it.
    private func addItems(forRoundsOf duration: MediaTime) {
        let milliseconds = duration.converted(toTimescale: 1000).value
        let count = milliseconds >= 1000 ? 0 : milliseconds >= 250 ? 1 : 2
        for _ in 0..<count {
            let item = makeItem()
            let isAdded = content.withLock { content -> Bool in
                guard !content.state.status.isFinal else { return false }
                content.items.append(item)
                return true
            }
            if isAdded { player.insertLooping(item, of: self) }
        }
    }

    private func fail(cause: String) {
        end(
            .failed(
                MediaError(
                    .noSuchFrame, subject: template.asset.displayName, cause: cause,
                    remedy: "choose a range within the film")))
    }

    private func end(_ status: Status) {
        change { if !$0.status.isFinal { $0.status = status } }
        let hasFailed = if case .failed = status { true } else { false }
        // Only the identity is handed on: this may be called by `deinit`.
        player.endLoop(ObjectIdentifier(self), leavingCurrentItem: hasFailed)
    }

    private func change(_ body: (inout PlayerLooperState) -> Void) {
        content.withLock { content in
            body(&content.state)
            observers.note(content.state)
        }
        observers.deliver()
    }
}

extension PlayerLooper.Status {
    fileprivate var isFinal: Bool {
        switch self {
        case .unknown, .ready: false
        case .failed, .cancelled: true
        }
    }
}
