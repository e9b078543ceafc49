// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
import PlayheadThreads
public import PlayheadTime
import Synchronization

/// A looper that repeats an item, or a part of it, without gaps in video or audio.
///
///     let looper = PlayerLooper(player: player, templateItem: PlayerItem(asset: asset))
///     player.play()
///
/// It inserts copies of the template into the queue, before or after the other items. A copy that
/// has ended is inserted after the other copies again. There are two copies, or up to four if the
/// range is short. As between any items of a queue, the first frame directly follows the last
/// frame, and the first sample the last sample. The template itself is not played.
///
/// - Concurrency: any thread.
/// - Ownership: retain the looper while it loops. The player does not retain it.
/// - Errors: `status` becomes `failed` if the item cannot be played, or if the range is empty or
///   outside of the media. The queue then continues without the loop.
/// - Corresponds to: `AVPlayerLooper`.
public final class PlayerLooper: ItemLoop, Sendable {
    /// The state of looping.
    ///
    /// - Corresponds to: `AVPlayerLooper.Status`.
    public enum Status: Sendable, Hashable {
        /// The item is being opened.
        case unknown
        /// The loop is being played.
        case ready
        /// The item cannot be looped, for this reason.
        case failed(MediaError)
        /// Looping was disabled, or the looper's items were removed from the queue.
        case cancelled
    }

    /// The position at which the copies are inserted into a queue that is not empty.
    ///
    /// - Corresponds to: `AVPlayerLooper.ItemOrdering`.
    public enum ItemOrdering: Sendable, Hashable {
        /// Copies are inserted before the items already in the queue, which wait until looping is
        /// disabled.
        case loopingItemsPrecedeExistingItems
        /// Copies are inserted after the items already in the queue, which play first.
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

    /// Creates a looper and begins the loop, which plays if the player's rate is not 0.
    ///
    /// - Parameters:
    ///   - templateItem: The item whose asset is looped, with its end times and its choice of
    ///     tracks. The item itself must not be played.
    ///   - timeRange: The range to loop; `invalid` for the whole item. It is clamped to the item.
    ///   - existingItemsOrdering: The position of the copies: the items in the queue wait until
    ///     looping is disabled, or play first.
    public init(
        player: QueuePlayer, templateItem: PlayerItem, timeRange: MediaTimeRange = .invalid,
        existingItemsOrdering: ItemOrdering = .loopingItemsPrecedeExistingItems
    ) {
        self.player = player
        template = templateItem
        self.timeRange = timeRange
        observable = ObservableProperties(Self.observableProperties, of: observers)
        if timeRange.isValid, !timeRange.start.isNumeric || timeRange.end <= timeRange.start {
            fail(cause: "the loop range \(timeRange) needs a numeric start and a later end")
            return
        }
        let first = makeItem()
        content.withLock { $0.items = [first, makeItem()] }
        player.startLoop(
            self,
            precedesExistingItems: existingItemsOrdering == .loopingItemsPrecedeExistingItems)
        first.pipeline.whenReady { [weak self] result in self?.firstItemIsReady(first, result) }
    }

    deinit { disableLooping() }

    /// Plays the current repetition to its end, and then the items that follow in the queue.
    ///
    /// - Corresponds to: `AVPlayerLooper.disableLooping()`.
    public func disableLooping() { end(.cancelled) }

    /// The state of looping. Any thread.
    ///
    /// - Corresponds to: `AVPlayerLooper.status`.
    public var status: Status {
        observable.access(self, \.status)
        return observers.state.status
    }

    /// The reason for the looper's failure; nil if it has not failed.
    public var error: MediaError? {
        observable.access(self, \.error)
        return if case .failed(let error) = observers.state.status { error } else { nil }
    }

    /// The number of repetitions that have been played to their end.
    ///
    /// - Corresponds to: `AVPlayerLooper.loopCount`.
    public var loopCount: Int {
        observable.access(self, \.loopCount)
        return observers.state.loopCount
    }

    /// The copies that take turns in the loop.
    ///
    /// - Corresponds to: `AVPlayerLooper.loopingPlayerItems`.
    package var loopingPlayerItems: [PlayerItem] { content.withLock { $0.items } }

    // MARK: Interface of the player

    /// Moves a copy back to the beginning of a repetition.
    func rewind(_ item: PlayerItem) {
        let first = max(item.assetDescription?.firstTime ?? .zero, .zero)
        item.pipeline.rewind(to: timeRange.isValid ? max(timeRange.start, first) : first)
    }

    /// Counts a repetition that has been played to its end.
    func roundHasEnded() { change { $0.loopCount += 1 } }

    /// Ends the loop, because the player has removed its items.
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
            fail(cause: "the loop range \(timeRange) is outside of the media")
            return
        }
        let ends = [timeRange.end, item.forwardPlaybackEndTime, itemEnd]
        if let end = ends.filter(\.isNumeric).min() { addItems(forRoundsOf: end - start) }
        change { if $0.status == .unknown { $0.status = .ready } }
    }

    /// Adds copies. While a copy plays, the others are moved back to the start. If repetitions are
    /// short, there are more copies.
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
                    remedy: "choose a range within the media")))
    }

    private func end(_ status: Status) {
        change { if !$0.status.isFinal { $0.status = status } }
        let hasFailed = if case .failed = status { true } else { false }
        // Only the identity of the looper is passed, because `deinit` may call this.
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
