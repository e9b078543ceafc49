// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
import PlayheadThreads
public import PlayheadTime
import Synchronization

/// Hands out an item's subtitles to whoever asks at the right time, as `PlayerItemVideoOutput` does
/// its pictures.
///
///     let output = PlayerItemLegibleOutput()
///     item.add(output)
///     let time = output.itemTime(forHostTime: tick.targetTimestamp)
///     for cue in output.copySubtitles(forItemTime: time) { print(cue.text) }
///
/// They are those of the option that is selected (`PlayerItem.select`), decoded ahead of the playhead.
/// `SubtitleOverlay` draws them over the film.
///
/// - Concurrency: any thread. Never waits for a decoder.
/// - Ownership: an item keeps its outputs, and an output its item's subtitles, until it is removed.
/// - Corresponds to: `AVPlayerItemLegibleOutput`.
public final class PlayerItemLegibleOutput: Sendable {
    private struct State {
        var media: LegibleMedia?
        var timebase: Timebase?
        var taken: [SubtitleCue] = []
        var delay = MediaTime.zero
    }

    private let state = Mutex(State())

    public init() {}

    /// By how much later than the film says subtitles come; negative for earlier.
    public var delay: MediaTime {
        get { state.withLock { $0.delay } }
        set { state.withLock { $0.delay = newValue.isNumeric ? newValue : .zero } }
    }

    public func itemTime(forHostTime hostTime: MediaTime) -> MediaTime {
        state.withLock { $0.timebase }?.time(atHostTime: hostTime) ?? .invalid
    }

    /// Whether other subtitles are shown at `itemTime` than those last taken.
    public func hasNewSubtitles(forItemTime itemTime: MediaTime) -> Bool {
        let (subtitles, taken) = (subtitles(at: itemTime), state.withLock { $0.taken })
        return subtitles != taken
    }

    /// The subtitles that are shown at `itemTime`; marks them as taken. Their times are the film's own,
    /// without the delay.
    public func copySubtitles(forItemTime itemTime: MediaTime) -> [SubtitleCue] {
        let subtitles = subtitles(at: itemTime)
        state.withLock { $0.taken = subtitles }
        return subtitles
    }

    /// When other subtitles are shown than at `itemTime`, as far as has been read: nil where that is
    /// not known.
    ///
    /// - Parameter isForward: false for the last change before `itemTime`.
    package func nextChange(
        after itemTime: MediaTime, isForward: Bool = true
    ) -> MediaTime? {
        let (media, delay) = state.withLock { ($0.media, $0.delay) }
        return media?.feed?.state.withLock {
            $0.store.change(after: itemTime - delay, isForward: isForward)
        }.map { $0 + delay }
    }

    /// When the subtitle begins that is so many after, or before, the one at a time, in the film's own
    /// times: nil where none is known there.
    ///
    /// - Parameter count: 1 for the next, -1 for the one before, and so on.
    package func begin(_ count: Int, from time: MediaTime) -> MediaTime? {
        withStore { store, _ in
            let begins = Set((store.lines + store.pictures).map(\.timeRange.start)).sorted()
            guard count > 0 else {
                // The one that is shown is the present one, which the one before comes before.
                let present = begins.lastIndex { $0 <= time } ?? begins.startIndex
                let index = present + count
                return begins.indices.contains(index) ? begins[index] : nil
            }
            let next = begins.firstIndex { $0 > time } ?? begins.endIndex
            let index = next + count - 1
            return begins.indices.contains(index) ? begins[index] : nil
        } ?? nil
    }

    /// The words that are shown at `itemTime`, whether they have been taken or not; empty where there are none,
    /// and for pictures.
    package func text(forItemTime itemTime: MediaTime) -> String {
        subtitles(at: itemTime).map(\.text).filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private func subtitles(at itemTime: MediaTime) -> [SubtitleCue] {
        let (media, delay) = state.withLock { ($0.media, $0.delay) }
        guard itemTime.isNumeric, let feed = media?.feed else { return [] }
        return feed.state.withLock { $0.store.cues(at: itemTime - delay) }
    }

    // MARK: For who draws them

    /// Whether subtitles have been chosen.
    package var hasSelection: Bool { state.withLock { $0.media }?.feed != nil }

    /// Whether what has been read is words alone, which no place in the picture belongs to.
    package var isPlainText: Bool {
        withStore { store, _ in !store.script.isStyled && !store.lines.isEmpty } ?? false
    }

    /// Calls `body` with all that has been read, and with what tells whether it is of the same track as
    /// before; nil where nothing is selected. With a lock held.
    package func withStore<Result>(
        _ body: (SubtitleStore, _ track: ObjectIdentifier) -> Result
    ) -> Result? {
        guard let feed = state.withLock({ $0.media })?.feed else { return nil }
        return feed.state.withLock { body($0.store, ObjectIdentifier(feed)) }
    }

    /// Waits until the subtitles at an item time have been read, for rendering that is not bound to real
    /// time; at most so many seconds.
    package func waitForSubtitles(at itemTime: MediaTime, seconds: Double = 10) {
        let (media, delay) = state.withLock { ($0.media, $0.delay) }
        guard itemTime.isNumeric else { return }
        media?.feed?.waitUntilRead(itemTime - delay, nanoseconds: Int64(seconds * 1e9))
    }

    /// Has `handler` called, on a thread of the feed's, when there is more to be shown.
    package func onChange(_ handler: (@Sendable () -> Void)?) {
        guard let handler else { return changeHandler.set(nil) }
        changeHandler.set { _ in handler() }
    }

    private let changeHandler = LockedHandler<Void>()

    func noteChange() {
        changeHandler()
    }

    func attach(to media: LegibleMedia?, timebase: Timebase?) {
        state.withLock { state in
            state.media = media
            state.timebase = timebase
            state.taken = []
        }
        noteChange()
    }

    func isAttached(to media: LegibleMedia) -> Bool { state.withLock { $0.media === media } }
}
