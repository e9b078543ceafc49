// SPDX-License-Identifier: Apache-2.0

public import PlayheadAudio

/// The observable state of a player at one moment.
public struct PlayerState: Sendable, Equatable {
    /// The requested rate.
    public var rate = 0.0
    /// The state of playback.
    public var timeControlStatus = Player.TimeControlStatus.paused
    /// The reason why the player waits; nil if it does not wait.
    public var reasonForWaitingToPlay: Player.WaitingReason?
    /// The identity of the current item; nil if there is no item.
    public var currentItem: ObjectIdentifier?
    /// The status of the current item; see `Player.status`.
    public var status = PlayerItem.Status.unknown
    /// The volume; see `Player.volume`.
    public var volume: Float = 1
    /// A Boolean value that indicates whether audio is muted; see `Player.isMuted`.
    public var isMuted = false
    /// A Boolean value that indicates whether the player waits until enough media is loaded; see
    /// `Player.automaticallyWaitsToMinimizeStalling`.
    package var automaticallyWaitsToMinimizeStalling = true
    /// A Boolean value that indicates whether the system has requested silence, as during a call.
    public var isInterrupted = false
    /// The reason why the audio of the current item is not heard; nil while it is heard, or if
    /// there is no audio.
    public var audioError: AudioError?
    /// The number of items of a queue that could not be played and have been skipped; see
    /// `QueuePlayer.skippedItems`.
    package var skippedItemCount = 0
}

extension Player {
    /// The current state, with all values read at the same moment.
    public var state: PlayerState {
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
        _ keyPath: any KeyPath<PlayerState, Value> & Sendable, options: ObservingOptions = [],
        on queue: ObservationQueue = .background,
        handler: @escaping @Sendable (StateChange<Value>) -> Void
    ) -> ObservationToken {
        observers.observe(keyPath, options: options, on: queue, handler: handler)
    }

    /// Returns a sequence that yields the current value of a property of the state, and then each
    /// new value, until the player is deallocated.
    public func values<Value: Sendable & Equatable>(
        of keyPath: any KeyPath<PlayerState, Value> & Sendable
    ) -> AsyncStream<Value> {
        observers.values(of: keyPath)
    }
}
