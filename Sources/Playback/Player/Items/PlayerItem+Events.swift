// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets

/// Events of an item.
extension PlayerItem {
    /// An event of an item.
    ///
    /// - Corresponds to: the notifications of `AVPlayerItem`.
    public enum Event: Sendable, Hashable {
        /// The playhead has reached the end.
        ///
        /// - Corresponds to: `didPlayToEndTimeNotification`.
        case didPlayToEndTime
        /// The item cannot be played to its end. It failed, or reading failed and everything that
        /// was read before has been played.
        ///
        /// - Corresponds to: `failedToPlayToEndTimeNotification`.
        case failedToPlayToEndTime(MediaError)
        /// The playhead jumped because of a seek, a step or a declared start.
        ///
        /// - Corresponds to: `timeJumpedNotification`.
        case timeJumped
        /// Playback stalled because media had not arrived. It continues automatically.
        ///
        /// - Corresponds to: `playbackStalledNotification`.
        case playbackStalled
        /// An event of the access log has begun.
        ///
        /// - Corresponds to: `newAccessLogEntryNotification`.
        case newAccessLogEntry
        /// A part of the media could not be read or decoded. Playback continues after that part.
        /// `PlayerItem.errorLog` has the error too.
        ///
        /// - Corresponds to: `newErrorLogEntryNotification`.
        case newErrorLogEntry(MediaError)
    }

    /// Calls `handler` with each event from now on, in order, until the token is cancelled or
    /// released.
    ///
    /// - Parameter queue: The queue on which the handler runs.
    /// - Corresponds to: `NotificationCenter.addObserver(forName:object:queue:using:)`.
    public func observeEvents(
        on queue: ObservationQueue = .background, handler: @escaping @Sendable (Event) -> Void
    ) -> ObservationToken {
        observers.observe({ $1.events(since: $0) }, on: queue, handler: handler)
    }

    /// A sequence of all events from now on, in order. It ends when the item is deallocated.
    ///
    /// - Corresponds to: `NotificationCenter.notifications(named:object:)`.
    public var events: AsyncStream<Event> {
        observers.events { $1.events(since: $0) }
    }
}

extension PlayerItemState {
    /// Returns the events that lead from `old` to this state.
    func events(since old: PlayerItemState) -> [PlayerItem.Event] {
        var events: [PlayerItem.Event] = []
        if accessLogCount > old.accessLogCount { events.append(.newAccessLogEntry) }
        // An error that ends the item has an event of its own.
        if errorLogCount > old.errorLogCount, !hasFailed(since: old), let lastLoggedError {
            events.append(.newErrorLogEntry(lastLoggedError))
        }
        if timeJumps > old.timeJumps { events.append(.timeJumped) }
        if stallCount > old.stallCount { events.append(.playbackStalled) }
        if playedToEndCount > old.playedToEndCount {
            events.append(readingError.map { .failedToPlayToEndTime($0) } ?? .didPlayToEndTime)
        }
        if case .failed(let error) = status, hasFailed(since: old) {
            events.append(.failedToPlayToEndTime(error))
        }
        return events
    }

    private func hasFailed(since old: PlayerItemState) -> Bool {
        if case .failed = status { status != old.status } else { false }
    }
}
