// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
import PlayheadThreads
public import PlayheadTime
import Synchronization

/// An output that provides the subtitles of an item by time, as `PlayerItemVideoOutput` provides
/// frames.
///
///     let output = PlayerItemLegibleOutput()
///     item.add(output)
///     let time = output.itemTime(forHostTime: tick.targetTimestamp)
///     for cue in output.copySubtitles(forItemTime: time) { print(cue.text) }
///
/// The output provides the subtitles of the selected option (`PlayerItem.select`), which are
/// decoded ahead of the playhead. `SubtitleOverlay` draws them over the video.
///
/// - Concurrency: any thread. It never waits for a decoder.
/// - Ownership: an item retains its outputs, and an output retains its item's subtitles, until the
///   output is removed.
/// - Corresponds to: `AVPlayerItemLegibleOutput`.
public final class PlayerItemLegibleOutput: Sendable {
    private struct State {
        var media: LegibleMedia?
        var timebase: Timebase?
        var taken: [SubtitleCue] = []
        var delay = MediaTime.zero
    }

    private let state = Mutex(State())

    /// Creates an output that does not belong to an item yet.
    public init() {}

    /// The delay of subtitles relative to their times; negative to show them earlier.
    public var delay: MediaTime {
        get { state.withLock { $0.delay } }
        set { state.withLock { $0.delay = newValue.isNumeric ? newValue : .zero } }
    }

    /// Returns the item time for the moment at which the host clock reads `hostTime`.
    public func itemTime(forHostTime hostTime: MediaTime) -> MediaTime {
        state.withLock { $0.timebase }?.time(atHostTime: hostTime) ?? .invalid
    }

    /// Returns whether the subtitles at `itemTime` differ from the last subtitles that were taken.
    public func hasNewSubtitles(forItemTime itemTime: MediaTime) -> Bool {
        let (subtitles, taken) = (subtitles(at: itemTime), state.withLock { $0.taken })
        return subtitles != taken
    }

    /// Returns the subtitles at `itemTime`, and marks them as taken. Their times are times in the
    /// media, without the delay.
    public func copySubtitles(forItemTime itemTime: MediaTime) -> [SubtitleCue] {
        let subtitles = subtitles(at: itemTime)
        state.withLock { $0.taken = subtitles }
        return subtitles
    }

    /// Returns the next time after `itemTime` at which the subtitles change, as far as they have
    /// been read; nil if it is unknown.
    ///
    /// - Parameter isForward: A Boolean value. If it is false, the method returns the last change
    ///   before `itemTime` instead.
    package func nextChange(
        after itemTime: MediaTime, isForward: Bool = true
    ) -> MediaTime? {
        let (media, delay) = state.withLock { ($0.media, $0.delay) }
        return media?.feed?.state.withLock {
            $0.store.change(after: itemTime - delay, isForward: isForward)
        }.map { $0 + delay }
    }

    /// Returns the start of the subtitle that is `count` subtitles after or before the one at
    /// `time`; nil if it is unknown. Both times are times in the media, without the delay.
    ///
    /// - Parameter count: The number of subtitles: 1 for the next one, -1 for the previous one, and
    ///   so on.
    package func begin(_ count: Int, from time: MediaTime) -> MediaTime? {
        withStore { store, _ in
            let begins = Set((store.lines + store.pictures).map(\.timeRange.start)).sorted()
            guard count > 0 else {
                // If no subtitle is visible, the last one that was visible is the current one.
                let present = begins.lastIndex { $0 <= time } ?? begins.startIndex
                let index = present + count
                return begins.indices.contains(index) ? begins[index] : nil
            }
            let next = begins.firstIndex { $0 > time } ?? begins.endIndex
            let index = next + count - 1
            return begins.indices.contains(index) ? begins[index] : nil
        } ?? nil
    }

    /// Returns the text at `itemTime`, even if it has been taken already. It is empty if there is
    /// no text, and for bitmap subtitles.
    package func text(forItemTime itemTime: MediaTime) -> String {
        subtitles(at: itemTime).map(\.text).filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private func subtitles(at itemTime: MediaTime) -> [SubtitleCue] {
        let (media, delay) = state.withLock { ($0.media, $0.delay) }
        guard itemTime.isNumeric, let feed = media?.feed else { return [] }
        return feed.state.withLock { $0.store.cues(at: itemTime - delay) }
    }

    // MARK: For renderers

    /// A Boolean value that indicates whether subtitles are selected.
    package var hasSelection: Bool { state.withLock { $0.media }?.feed != nil }

    /// A Boolean value that indicates whether the subtitles are plain text without positions.
    package var isPlainText: Bool {
        withStore { store, _ in
            !store.script.isStyled && store.script.grid == nil && !store.lines.isEmpty
        } ?? false
    }

    /// Calls `body` with all subtitles that have been read and an identifier of the track. Returns
    /// nil if no subtitles are selected. A lock is held during the call.
    package func withStore<Result>(
        _ body: (SubtitleStore, _ track: ObjectIdentifier) -> Result
    ) -> Result? {
        guard let feed = state.withLock({ $0.media })?.feed else { return nil }
        return feed.state.withLock { body($0.store, ObjectIdentifier(feed)) }
    }

    /// Waits until the subtitles at an item time have been read, for at most a number of seconds.
    /// It is for offline rendering.
    package func waitForSubtitles(at itemTime: MediaTime, seconds: Double = 10) {
        let (media, delay) = state.withLock { ($0.media, $0.delay) }
        guard itemTime.isNumeric else { return }
        media?.feed?.waitUntilRead(itemTime - delay, nanoseconds: Int64(seconds * 1e9))
    }

    /// Sets a handler that is called when more subtitles have been read. It is called on the feed's
    /// thread.
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
